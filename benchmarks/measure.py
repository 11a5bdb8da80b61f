"""Cold processes and hot loops, measured: seconds of wall time, peak memory in KiB."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Cold", "cold", "hot", "median", "peer_python"]

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Cold:
    """One command in fresh processes: median seconds, largest peak (KiB), last standard output."""

    seconds: float
    peak: int
    output: str


def peer_python(environment: str) -> str:
    """Return the interpreter of a peers' virtual environment; say which target makes it."""
    python = ROOT / environment / "bin" / "python"
    if not python.exists():
        sys.exit(f"{environment} is missing: run `make bench`, which installs the peers")
    return str(python)


def cold(
    command: Sequence[str],
    *,
    runs: int = 5,
    env: Mapping[str, str] | None = None,
    before: Callable[[], object] = lambda: None,
) -> Cold:
    """Run `command` in `runs` fresh processes after one that warms the disk cache; `before` each is not timed."""
    seconds: list[float] = []
    peak = 0
    output = ""
    for attempt in range(runs + 1):
        before()
        began = time.perf_counter()
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env={**_as_installed(), **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            output = process.stdout.read()
            errors = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        taken = time.perf_counter() - began
        if process.returncode != 0:
            sys.exit(
                f"{' '.join(command)} failed ({process.returncode}):\n{output[-2000:]}\n{errors[-2000:]}"
            )
        if attempt:
            seconds.append(taken)
            peak = max(peak, usage.ru_maxrss)
    return Cold(statistics.median(seconds), peak, output)


def _as_installed() -> dict[str, str]:
    """Return the environment in which modules keep their bytecode, as those of an installed package do."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


async def hot(
    *calls: Callable[[], Awaitable[object]], rounds: int = 60, times: int = 25
) -> tuple[float, ...]:
    """Return of each awaited call the best round's mean seconds; they take turns, so that all meet the same machine."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for index, call in enumerate(calls):
            began = time.perf_counter()
            for _ in range(times):
                await call()
            best[index] = min(best[index], (time.perf_counter() - began) / times)
    return tuple(best)


def median(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)
