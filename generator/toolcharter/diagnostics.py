"""What a stage says: places, diagnostics, and a value or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

__all__ = ["Diagnostic", "Origin", "Related", "Staged", "failed"]

T = TypeVar("T")

_LONGEST = 2_000
"""Characters of a message or a hint: a name of a description may have a million, and a person reads none of them."""


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where a fact was written: file (relative, POSIX), line and column (from 1), and JSON Pointer."""

    file: str
    line: int
    column: int
    pointer: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that a finding is about, and what stands there."""

    text: str
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding: a stable code, what is wrong, where, and how to mend it."""

    code: str
    severity: Literal["error", "warning"]
    message: str
    origin: Origin
    hint: str = ""
    tool: str | None = None
    related: tuple[Related, ...] = ()

    def __post_init__(self) -> None:
        """Cut what a long name made too long to read."""
        for field in ("message", "hint"):
            text = getattr(self, field)
            if len(text) > _LONGEST:
                object.__setattr__(self, field, text[: _LONGEST - 1] + "…")

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Return what findings are ordered by: file, line, column, code, message."""
        return (self.origin.file, self.origin.line, self.origin.column, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Staged(Generic[T]):
    """What a stage hands on: a value, or None where it could make none, and what it has to say."""

    value: T | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Say whether there is a value and no error among the diagnostics."""
        return self.value is not None and all(d.severity != "error" for d in self.diagnostics)


def failed(code: str, message: str, origin: Origin, hint: str = "") -> Staged[Any]:
    """Return a stage's refusal: no value and one error."""
    finding = Diagnostic(code=code, severity="error", message=message, origin=origin, hint=hint)
    return Staged(None, (finding,))
