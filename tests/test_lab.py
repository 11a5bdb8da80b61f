"""The lab: the same calls that every peer was measured with (`make lab`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_lab_holds_every_bar() -> None:
    """None of 18 invalid calls reaches the upstream, 5 of 5 valid ones arrive intact, 6 of 6 effects are demanded, one effect."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.lab"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == (
        "lab: 18 invalid calls: 0 reached the upstream, 18 refused, 18 at the fault's own place; "
        "5 valid calls: 5 intact; 6 operations: 6 fail without an effect; 1 effect for one intent with a lost answer\n"
    )
