"""`python -m benchmarks.fidelity FOLDER`: every operation of every description of a folder, judged; the last line counts."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from .folder import find_descriptions
from .judging import Tally
from .running import WRONG, Asked, judge_all, line

_SEEDS: Final = ("1", "2")
_EXAMPLES: Final = 12


def main() -> int:
    """Judge, report, print; return 1 where anything is counted that must not be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fidelity", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", help="descriptions whose name holds this")
    parser.add_argument("--operation", help="one operation, as `GET /path` or by its operationId")
    parser.add_argument("--limit", type=int, help="operations of each description")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--values", type=int, default=60, help="values an operation is tried with")
    parser.add_argument(
        "--report", type=Path, help="a JSON file with examples of all that is not right"
    )
    parser.add_argument("--verbose", action="store_true", help="print the examples")
    parser.add_argument(
        "--digest", action="store_true", help="emit, compare nothing, print a digest of the bytes"
    )
    parser.add_argument(
        "--seeds", action="store_true", help="compare the digests under two hash seeds"
    )
    told = parser.parse_args()
    if not told.folder.is_dir():
        print(f"no such folder: {told.folder}", file=sys.stderr)
        return 2
    return _under_seeds() if told.seeds else _judge(told)


def _judge(told: argparse.Namespace) -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        every = find_descriptions(told.folder, Path(work))
        found = [one for one in every if told.only is None or told.only in one.name]
        if not found:
            print(f"no description there: {told.folder}", file=sys.stderr)
            return 2
        asked = Asked(told.operation, told.limit, 0 if told.digest else told.values)
        whole = judge_all(found, asked, told.workers)
    if told.report is not None:
        told.report.write_text(json.dumps(_report(whole), indent=1), "utf-8")
    if told.verbose:
        _show(whole)
    if told.digest:
        print(whole.digest)
        return 1 if whole.counts["crashes"] else 0
    print(f"{time.monotonic() - began:.0f} s, digest {whole.digest[:16]}", file=sys.stderr)
    print(line(whole))
    return 1 if any(whole.counts[name] for name in WRONG) else 0


def _report(whole: Tally) -> dict[str, object]:
    return {
        "counts": dict(sorted(whole.counts.items())),
        "refused": dict(sorted(whole.refused.items())),
        "excuses": dict(sorted(whole.excuses.items())),
        "needs charter": whole.needs,
        "examples": dict(sorted(whole.examples.items())),
        "digest": whole.digest,
    }


def _show(whole: Tally) -> None:
    for kind, texts in sorted(whole.examples.items()):
        print(f"## {kind}")
        for text in texts[:_EXAMPLES]:
            print("  ", text.encode("ascii", "backslashreplace").decode())


def _under_seeds() -> int:
    """Run with the same words in two processes that order sets otherwise, and compare what they emit."""
    words = [word for word in sys.argv[1:] if word != "--seeds"]
    command = [sys.executable, "-m", "benchmarks.fidelity", *words, "--digest"]
    digests: list[str] = []
    for seed in _SEEDS:
        run = subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True, check=False
        )  # fmt: skip
        if run.returncode:
            return run.returncode
        digests.append(run.stdout.split()[-1])
    is_same = len(set(digests)) == 1
    print(
        f"the emitted bytes under hash seeds {' and '.join(_SEEDS)}: {'the same' if is_same else 'DIFFERENT'}"
    )
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
