"""Many descriptions at once, in processes of their own; and the one line that counts it all."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

from .folder import Description
from .judging import Tally, judge_description

__all__ = ["WRONG", "Asked", "judge_all", "line"]

_PART: Final = 1_500_000
_MOST_PARTS: Final = 8
WRONG: Final = (
    "crashes",
    "false accepts",
    "false refusals",
    "model differs",
    "decode differs",
    "refused without a rule",
)
"""What must not be counted even once."""


@dataclass(frozen=True)
class Asked:
    """What is asked of each description."""

    operation: str | None = None
    """Only this one, by its method and path or its operationId."""
    limit: int | None = None
    values: int = 60
    """An operation is tried with so many values; with none, its bytes are emitted and nothing is compared."""


def judge_all(found: Iterable[Description], asked: Asked, workers: int) -> Tally:
    """Return one tally of all descriptions, added up in the order of their names."""
    whole = Tally()
    jobs = [(one, part) for one in found for part in _parts(one)]
    jobs.sort(key=lambda job: -job[0].root.stat().st_size)
    with ProcessPoolExecutor(workers) as pool:
        futures = {
            (one.name, part): pool.submit(
                judge_description, one, asked.operation, asked.limit, part, asked.values
            )
            for one, part in jobs
        }
        for (name, _), future in sorted(futures.items(), key=lambda pair: pair[0]):
            tally = future.result()
            whole.add(tally)
            print(f"{name}: {dict(tally.counts)}", file=sys.stderr, flush=True)
    return whole


def _parts(one: Description) -> Iterator[tuple[int, int]]:
    number = max(1, min(_MOST_PARTS, one.root.stat().st_size // _PART))
    for index in range(number):
        yield index, number


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
