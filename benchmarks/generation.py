"""GitHub's whole description (13 MB), the committed charter: `generate` and `check` beside fastmcp, cold."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.measure import ROOT, Cold, cold, peer_python
from benchmarks.report import Figure

__all__ = ["DESCRIPTION", "figures", "operation_ids"]

DESCRIPTION = ROOT / ".venv-peers/npm/node_modules/@octokit/openapi/generated/api.github.com.json"
CHARTER = ROOT / "specs" / "github" / "charter.yaml"
MIB = 1024.0


def operation_ids() -> list[str]:
    """Return the operationIds that the committed GitHub charter uses, sorted."""
    charter = yaml.safe_load(CHARTER.read_text("utf-8"))
    return sorted({tool["operation"] for tool in charter["tools"].values()})


def _copy_inputs(folder: Path) -> Path:
    shutil.copy(DESCRIPTION, folder / "api.github.com.json")
    lines = CHARTER.read_text("utf-8").splitlines(keepends=True)
    replaced = [
        "spec: api.github.com.json\n" if line.startswith("spec:") else line for line in lines
    ]
    charter = folder / "charter.yaml"
    charter.write_text("".join(replaced), "utf-8")
    return charter


def _ours(folder: Path) -> tuple[Cold, Cold, Cold]:
    charter = _copy_inputs(folder)
    command = [str(Path(sys.executable).with_name("toolcharter"))]
    out = folder / "out"
    fresh = [*command, "generate", str(charter), "--out", str(out)]
    first = cold(fresh, runs=3, before=lambda: shutil.rmtree(out, ignore_errors=True))
    again = cold(fresh, runs=5)
    check = cold([*command, "check", str(charter), "--out", str(out)], runs=5)
    return first, again, check


def figures() -> list[Figure]:
    """Measure, ours first, then fastmcp on all operations and on the same ones."""
    ids = operation_ids()
    script = str(ROOT / "benchmarks/peers/fastmcp_listing.py")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = folder / "operations.txt"
        wanted.write_text("\n".join(ids), "utf-8")
        first, again, check = _ours(folder)
        peer = peer_python(".venv-peers")
        everything = cold([peer, script, str(DESCRIPTION), "-"], runs=3)
        same = cold([peer, script, str(DESCRIPTION), str(wanted)], runs=3)
    tools = json.loads(everything.output)["tools"]
    theirs = f"fastmcp, {tools} tools {everything.seconds:.2f} s"
    few = f"fastmcp, same operations {same.seconds:.2f} s"
    return [
        Figure(
            "generate, nothing there yet",
            f"{first.seconds:.2f} s",
            theirs,
            first.seconds / everything.seconds,
            1 / 3,
        ),
        Figure(
            "generate, nothing changed",
            f"{again.seconds:.2f} s",
            theirs,
            again.seconds / everything.seconds,
            1 / 3,
        ),
        Figure(
            "check", f"{check.seconds:.2f} s", theirs, check.seconds / everything.seconds, 1 / 3
        ),
        Figure("generate", f"{again.seconds:.2f} s", few, again.seconds / same.seconds),
        Figure(
            "generate, peak memory",
            f"{again.peak / MIB:.0f} MiB",
            f"fastmcp {everything.peak / MIB:.0f} MiB",
            again.peak / everything.peak,
            0.6,
        ),
        Figure(
            "check, peak memory",
            f"{check.peak / MIB:.0f} MiB",
            f"fastmcp {everything.peak / MIB:.0f} MiB",
            check.peak / everything.peak,
            0.6,
        ),
    ]
