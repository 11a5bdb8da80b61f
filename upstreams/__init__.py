"""HTTP servers of ours that stand where an application's upstreams stand: for the demo, the tests and the benchmarks."""
