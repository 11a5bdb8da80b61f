"""What a run offers: its tools as a model sees them, made from the frozen contracts and nothing else (PL4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from . import frozen

__all__ = ["BUILT_IN", "COMMIT_SCHEMA", "OPERATION_SCHEMA", "ListedTool", "list_tools"]

BUILT_IN: Final = ("get_operation", "cancel_operation")


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One tool of a run as a surface shows it."""

    name: str
    """What a model calls, e.g. `preview_refund`."""
    id: str
    """The registry id, e.g. `preview_refund.v1`."""
    kind: Literal["read", "preview", "commit", "get_operation", "cancel_operation"]
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema (2020-12) of the arguments."""


def _one_id(name: str, words: str, pattern: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "pattern": pattern, "description": words}},
        "required": [name],
        "additionalProperties": False,
    }


COMMIT_SCHEMA: Final[Mapping[str, Any]] = _one_id(
    "proposal_id", "The id that the preview returned.", "^[A-Za-z0-9_]{8,64}$"
)
OPERATION_SCHEMA: Final[Mapping[str, Any]] = _one_id(
    "operation_id", "The operation_id of the reply that accepted it.", "^[A-Za-z0-9_]{8,64}$"
)


def list_tools(contracts: Iterable[frozen.Contract]) -> tuple[ListedTool, ...]:
    """Return the tools of a capability set in name order; hidden reads are in none."""
    visible = [contract for contract in contracts if not contract.hidden]
    listed = [tool for contract in visible for tool in _tools_of(contract)]
    if any(contract.write is not None and contract.write.follow for contract in visible):
        listed += _built_in()
    return tuple(sorted(listed, key=lambda tool: tool.name))


def _tools_of(contract: frozen.Contract) -> Iterator[ListedTool]:
    words = contract.description
    if contract.effect == "read":
        yield ListedTool(contract.tool, contract.id, "read", words, contract.arguments)
        return
    propose, carry_out = f"preview_{contract.tool}", f"commit_{contract.tool}"
    yield ListedTool(
        propose,
        f"{propose}.v{contract.version}",
        "preview",
        f"Propose: {words} Changes nothing; returns a proposal_id for {carry_out}.",
        contract.arguments,
    )
    yield ListedTool(
        carry_out,
        f"{carry_out}.v{contract.version}",
        "commit",
        f"Carry out an approved proposal of {propose}: {words}",
        COMMIT_SCHEMA,
    )


def _built_in() -> Iterator[ListedTool]:
    yield ListedTool(
        "get_operation",
        "get_operation.v1",
        "get_operation",
        "The state of a long operation that a commit of this run started.",
        OPERATION_SCHEMA,
    )
    yield ListedTool(
        "cancel_operation",
        "cancel_operation.v1",
        "cancel_operation",
        "Ask to stop a long operation that a commit of this run started.",
        OPERATION_SCHEMA,
    )
