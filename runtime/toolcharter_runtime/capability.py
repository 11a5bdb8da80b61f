"""What a run may do: chosen when it opens, enforced at dispatch (D2, D3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .catalog import Role, Snapshot
from .frozen import Contract
from .listing import ListedTool, list_tools

__all__ = ["BoundaryError", "Capability", "capability_of", "choose_versions"]


class BoundaryError(Exception):
    """The application asked for what cannot be: a role, purpose, version or context that the catalog does not have."""


@dataclass(frozen=True, slots=True)
class Capability:
    """The tools of one run; a name that is not here does not exist for it."""

    tools: tuple[ListedTool, ...]
    by_name: Mapping[str, ListedTool]
    """By the model's name and by registry id; other spellings are other names."""
    contracts: Mapping[str, Contract]
    """By the tool's registry id; of built-in tools there is none."""


def choose_versions(
    snapshot: Snapshot, role: Role, purpose: str, pins: Mapping[str, int]
) -> dict[str, str]:
    """Return tool → registry id for a new run: the newest version that the role has, or the pinned one."""
    offered: dict[str, dict[int, str]] = {}
    for contract in _allowed(snapshot, (*role.reads, *role.writes), purpose):
        offered.setdefault(contract.tool, {})[contract.version] = contract.id
    chosen = {tool: versions[max(versions)] for tool, versions in offered.items()}
    for tool, version in pins.items():
        if version not in offered.get(tool, {}):
            raise BoundaryError(f"the role {role.name} has no version {version} of {tool}")
        chosen[tool] = offered[tool][version]
    return chosen


def capability_of(
    snapshot: Snapshot, role: Role, purpose: str, versions: Mapping[str, str]
) -> Capability:
    """Return what a run may do now: its versions, as far as the role of this catalog still has them."""
    held = set(role.reads) | set(role.writes)
    kept = [tool_id for tool_id in versions.values() if tool_id in held]
    contracts = [one for one in _allowed(snapshot, kept, purpose) if not one.hidden]
    tools = list_tools(contracts)
    named = {tool.name: tool for tool in tools}
    return Capability(
        tools=tools,
        by_name=named | {tool.id: tool for tool in tools},
        contracts=_by_tool(contracts),
    )


def _allowed(snapshot: Snapshot, ids: Iterable[str], purpose: str) -> list[Contract]:
    known = set(snapshot.ids)
    contracts = [snapshot.contract(tool_id) for tool_id in ids if tool_id in known]
    return [one for one in contracts if one.purposes is None or purpose in one.purposes]


def _by_tool(contracts: Iterable[Contract]) -> dict[str, Contract]:
    by_id: dict[str, Contract] = {}
    for contract in contracts:
        if contract.effect == "read":
            by_id[contract.id] = contract
        else:
            by_id[f"preview_{contract.id}"] = contract
            by_id[f"commit_{contract.id}"] = contract
    return by_id
