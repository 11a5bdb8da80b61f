"""`python -m benchmarks.fidelity FOLDER`: every operation of every description of a folder, judged; the last line counts."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .folder import Description, find_descriptions
from .judging import Tally, judge_description

_CHUNK_BYTES = 600_000


def main() -> int:
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
    parser.add_argument("--verbose", action="store_true")
    told = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        found = [
            one
            for one in find_descriptions(told.folder, Path(work))
            if told.only is None or told.only in one.name
        ]
        whole = _all(found, told)
    if told.report is not None:
        report = {"counts": whole.counts, "refused": whole.refused, "excuses": whole.excuses,
                  "needs": whole.needs, "examples": whole.examples}  # fmt: skip
        told.report.write_text(json.dumps(report, indent=1), "utf-8")
    if told.verbose:
        for kind, texts in sorted(whole.examples.items()):
            print(f"## {kind}")
            for text in texts[:12]:
                print("  ", text.encode("ascii", "backslashreplace").decode())
    print(f"{time.monotonic() - began:.0f} s, digest {whole.digest[:16]}")
    print(line(whole))
    wrong = (
        "crashes",
        "false accepts",
        "false refusals",
        "model differs",
        "decode differs",
        "refused without a rule",
    )
    return 1 if any(whole.counts[name] for name in wrong) else 0


def line(whole: Tally) -> str:
    """Return what was counted, in one line."""
    counts = whole.counts
    rules = " ".join(f"{code}:{number}" for code, number in sorted(whole.refused.items()))
    excuses = " ".join(f"{kind}:{number}" for kind, number in sorted(whole.excuses.items()))
    asked = counts["operations"] - counts["needs charter"]
    made = counts["contracts"] - counts["contracts beside needs"]
    share = 100 * made / asked if asked else 100.0
    return (
        f"{counts['descriptions']} descriptions, {counts['operations']} operations, {counts['contracts']} contracts "
        f"({share:.1f} % of the {asked} that need no charter's word; {counts['needs charter']} need one), "
        f"refused {counts['refused']} ({rules or 'none'}), crashes {counts['crashes']}, "
        f"values {counts['values']} ({counts['accepted']} valid, excused {excuses or 'none'}), "
        f"false accepts {counts['false accepts']}, false refusals {counts['false refusals']}, "
        f"models that differ {counts['model differs']}, requests decoded {counts['decoded']}, "
        f"decoded otherwise {counts['decode differs']}"
    )


def _all(found: list[Description], told: argparse.Namespace) -> Tally:
    whole = Tally()
    jobs = [(one, part) for one in found for part in _parts(one)]
    jobs.sort(key=lambda job: -job[0].root.stat().st_size)
    with ProcessPoolExecutor(told.workers) as pool:
        futures = {
            (one.name, part): pool.submit(
                judge_description, one, told.operation, told.limit, part, told.values
            )
            for one, part in jobs
        }
        for (name, _), future in sorted(futures.items(), key=lambda pair: pair[0]):
            tally = future.result()
            whole.add(tally)
            print(f"{name}: {dict(tally.counts)}", file=sys.stderr)
    return whole


def _parts(one: Description) -> list[tuple[int, int]]:
    number = max(1, min(8, one.root.stat().st_size // 1_500_000))
    return [(index, number) for index in range(number)]


if __name__ == "__main__":
    sys.exit(main())
