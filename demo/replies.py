"""What a reply says, in the few words that the story shows."""

from __future__ import annotations

from typing import Any, TypeAlias

from toolcharter_runtime import Failure, Success

__all__ = ["Reply", "advice", "code", "evidence_rows", "is_masked", "refusal", "result", "versions"]

Reply: TypeAlias = Success[Any] | Failure[Any]

_SHOWN = (
    "target",
    "previous_version",
    "new_version",
    "changed_fields",
    "approved_by",
    "version_check",
    "proof",
    "resolved_by",
    "upstream_operation_id",
)


def code(reply: Reply) -> str:
    """Return the error's code, or the status of a success."""
    return reply.error.code if isinstance(reply, Failure) else reply.status


def refusal(reply: Reply) -> tuple[str, str] | None:
    """Return an error's code and text."""
    return (reply.error.code, reply.error.message) if isinstance(reply, Failure) else None


def advice(reply: Reply) -> str:
    """Return what an error tells the agent to do."""
    return reply.error.next_action if isinstance(reply, Failure) else "nothing"


def result(reply: Reply) -> Any:
    """Return a success's result."""
    return reply.result if isinstance(reply, Success) else None


def versions(reply: Reply) -> tuple[Any, Any]:
    """Return the previous version, and the new or the current one, of evidence or of a conflict."""
    if reply.evidence is not None:
        return reply.evidence.previous_version, reply.evidence.new_version
    details = reply.error.details if isinstance(reply, Failure) else None
    return (details.previous_version, details.current_version) if details else (None, None)


def is_masked(value: object) -> bool:
    """Say whether a value is a mask and no longer a value."""
    return isinstance(value, str) and value.startswith("•••")


def evidence_rows(reply: Reply) -> list[tuple[str, str]]:
    """Return the facts of the evidence that are known."""
    known = reply.evidence.to_json() if reply.evidence else {}
    return [(name, _plain(known[name])) for name in _SHOWN if known.get(name) is not None]


def _plain(value: dict[str, Any] | list[Any] | str | int | bool) -> str:
    if isinstance(value, dict):
        return " ".join(map(str, value.values()))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
