"""Importing the GitHub package with a cold interpreter, beside importing pydantic and httpx2 alone."""

from __future__ import annotations

import sys

from benchmarks.measure import ROOT, cold
from benchmarks.report import Figure

__all__ = ["figures"]


def figures() -> list[Figure]:
    """Measure both imports in fresh processes."""
    paths = {"PYTHONPATH": str(ROOT / "generated" / "github_tools")}
    ours = cold([sys.executable, "-c", "from github_tools import catalog"], runs=15, env=paths)
    bare = cold([sys.executable, "-c", "import pydantic, httpx2"], runs=15)
    name = "import github_tools"
    theirs = f"pydantic and httpx2 {bare.seconds * 1000:.0f} ms"
    return [Figure(name, f"{ours.seconds * 1000:.0f} ms", theirs, ours.seconds / bare.seconds, 1.5)]
