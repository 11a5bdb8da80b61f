"""What one unit of a description says while it is read: its findings, and the definitions that it reaches."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcharter.diagnostics import Diagnostic

from .document import Anchor, Step
from .shapes import is_array, is_object

__all__ = ["Node", "Reading", "malformed", "nearest"]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A raw value of a document, and where it stands."""

    anchor: Anchor
    value: Any

    def __truediv__(self, step: Step) -> Node:
        """Return the member or element of that name or index, which must be there."""
        return Node(self.anchor / step, self.value[step])

    def get(self, step: str) -> Node | None:
        """Return the member of that name, or None."""
        return self / step if is_object(self.value) and step in self.value else None

    def find(self, steps: Iterable[str]) -> Node | None:
        """Return the member that the names lead to, or None."""
        node: Node | None = self
        for step in steps:
            node = node.get(step) if node else None
        return node


@dataclass(slots=True)
class Reading:
    """The findings and the reach of one operation or one definition."""

    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    reached: dict[str, None] = field(default_factory=dict[str, None])
    """Names of definitions, in the order met."""
    in_place: dict[str, None] = field(default_factory=dict[str, None])
    """Those of them that hold for the same value, through `$ref` and `allOf` alone."""
    dynamic: list[tuple[str, Anchor]] = field(default_factory=list[tuple[str, Anchor]])
    """Dynamic anchors that are referred to, and where."""

    @property
    def is_clean(self) -> bool:
        """Say whether nothing found is an error."""
        return all(finding.severity != "error" for finding in self.findings)

    def report(
        self,
        code: str,
        message: str,
        anchor: Anchor,
        hint: str = "",
        severity: Literal["error", "warning"] = "error",
    ) -> None:
        """Add a finding."""
        self.findings.append(
            Diagnostic(
                code=code, severity=severity, message=message, origin=anchor.origin, hint=hint
            )
        )

    def mapping(self, node: Node | None, what: str) -> dict[str, Any]:
        """Return the node's object; empty if there is none, and if it is something else, with a finding."""
        if node is None:
            return {}
        if is_object(node.value):
            return node.value
        malformed(self, node.anchor, f"{what} is not an object")
        return {}

    def elements(self, node: Node | None, what: str) -> list[Any]:
        """Return the node's array; empty if there is none, and if it is something else, with a finding."""
        if node is None:
            return []
        if is_array(node.value):
            return node.value
        malformed(self, node.anchor, f"{what} is not an array")
        return []

    def text(self, node: Node | None, what: str) -> str | None:
        """Return the node's string; None if there is none, and if it is something else, with a finding."""
        if node is None or isinstance(node.value, str):
            return node.value if node else None
        malformed(self, node.anchor, f"{what} is not a string")
        return None

    def flag(self, node: Node | None, what: str, default: bool = False) -> bool:
        """Return the node's truth value; the default if there is none or, with a finding, another type."""
        if node is None or isinstance(node.value, bool):
            return node.value if node else default
        malformed(self, node.anchor, f"{what} is not true or false")
        return default


def malformed(reading: Reading, anchor: Anchor, message: str) -> None:
    """Report a part whose shape OpenAPI does not know."""
    reading.report("TC725", message, anchor, "see the OpenAPI Specification of this version")


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the most alike of some names, or None if none is alike."""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return close[0] if close else None
