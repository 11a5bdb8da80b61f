"""Collects what goes wrong while a charter is resolved: all of it, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcharter.charter.places import escape
from toolcharter.charter.schema import Charter
from toolcharter.diagnostics import Diagnostic, Origin

__all__ = ["Findings", "UncarriedError", "tool_pointer"]


class UncarriedError(Exception):
    """A schema construct that a contract cannot hold exactly; becomes TC705 at the place that met it."""

    def __init__(self, keyword: str, reason: str, hint: str = "", code: str = "TC705") -> None:
        super().__init__(reason)
        self.keyword = keyword
        self.reason = reason
        self.hint = hint
        self.code = code


def tool_pointer(tool: str, *steps: str) -> str:
    """Return the pointer of a part of a tool in the charter, e.g. `/tools/refund/input/amount`."""
    return "".join("/" + escape(step) for step in ("tools", tool, *steps))


@dataclass(slots=True)
class Findings:
    """The findings of one tool (or, with no tool, of the whole charter)."""

    charter: Charter
    tool: str | None = None
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def error(self, code: str, message: str, place: str | Origin, hint: str = "") -> None:
        """Add an error at a pointer of the charter, or at an origin."""
        self._add("error", code, message, place, hint)

    def warning(self, code: str, message: str, place: str | Origin, hint: str = "") -> None:
        """Add a warning at a pointer of the charter, or at an origin."""
        self._add("warning", code, message, place, hint)

    def uncarried(self, error: UncarriedError, what: str, place: str | Origin) -> None:
        """Add what a schema holds that the contract cannot."""
        hint = error.hint or "leave the place out, or type it in the charter"
        self.error(error.code, f"{what}: {error.reason}", place, hint)

    @property
    def has_errors(self) -> bool:
        """Say whether an error is among them."""
        return any(finding.severity == "error" for finding in self.found)

    def _add(self, severity: str, code: str, message: str, place: str | Origin, hint: str) -> None:
        origin = self.charter.origin(place) if isinstance(place, str) else place
        self.found.append(
            Diagnostic(
                code=code,
                severity="error" if severity == "error" else "warning",
                message=message,
                origin=origin,
                hint=hint,
                tool=self.tool,
            )
        )
