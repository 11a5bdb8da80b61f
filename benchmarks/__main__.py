"""`make bench`: every figure, ours and the peers' in one run; exits with 1 if a bar is missed."""

from __future__ import annotations

import sys

from benchmarks import calls, cold_import, generation, loading, tool_list
from benchmarks.report import Figure, show


def main() -> int:
    """Measure, print, and return 1 if a bar was missed."""
    figures: list[Figure] = []
    for part in (generation, loading, tool_list, cold_import, calls):
        print(f"measuring {part.__name__.rpartition('.')[2]}", file=sys.stderr, flush=True)
        figures += part.figures()
    return 1 if show(figures) else 0


if __name__ == "__main__":
    sys.exit(main())
