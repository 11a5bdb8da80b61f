"""`make demo` tells the whole story, and its exit code is the truth."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STEPS = [
    "Three catalogs are generated from their charters",
    "An explorer's run reads a customer",
    "It pages through a search",
    "It asks for a write, and is refused as for a tool that does not exist",
    "A support agent's run previews an address change",
    "It commits too early, and is told to wait",
    "Lena, a support lead, approves at the desk",
    "The agent commits, with the proposal's id and nothing else",
    "It commits the same proposal again, and gets the stored result",
    "A second proposal is approved; then a colleague changes the customer",
    "A third commit loses its answer after the service applied it",
    "A fourth, in a run of its own, loses its answer while the status operation is down",
    "Omar, an operator, finds it in his list, looks it up in the service, and settles it",
    "What really happened, by the service's own ledger",
]


@pytest.mark.xdist_group("demo")
def test_demo_plays_the_whole_story() -> None:
    command = [sys.executable, "-W", "error", "-m", "demo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    lines = done.stdout.splitlines()
    told = [line[4:] for line in lines if line[:2].strip().isdigit() and line[2:4] == "  "]
    assert [title[: len(step)] for title, step in zip(told, STEPS, strict=True)] == STEPS
    assert not [line for line in lines if "DIFFERS" in line]
    for fact in (
        "UNKNOWN_TOOL",
        "APPROVAL_PENDING: wait_for_approval",
        "VERSION_CONFLICT",
        "UNKNOWN_OUTCOME",
    ):
        assert any(line.startswith("  ok  ") and fact in line for line in lines), fact
    assert lines[-1].startswith("Proved, ")
    assert "of 4 approved proposals 3 had exactly one effect" in lines[-1]
