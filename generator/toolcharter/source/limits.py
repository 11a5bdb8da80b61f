"""Bounds on what a file may be, and how names of a file may appear in text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from .document import Step
from .shapes import is_array, is_object, members_of

__all__ = [
    "MAX_ALIASED_NODES",
    "MAX_BYTES",
    "MAX_DEPTH",
    "Extent",
    "find_too_deep",
    "shown",
    "survey",
]

MAX_BYTES: Final = 64 * 1024 * 1024
"""Bytes of one file, unpacked."""
MAX_DEPTH: Final = 128
"""Objects and arrays inside one another; GitHub's description has 21."""
MAX_ALIASED_NODES: Final = 1_000_000
"""YAML nodes that aliases may add to a document."""
_MAX_SHOWN: Final = 80
_CONTAINERS: Final = frozenset({dict, list})


def shown(name: str) -> str:
    """Return a name as a finding may print it: escaped, in backquotes, cut at 80 characters."""
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
    escaped = printable.replace("`", "\\x60")
    cut = escaped if len(escaped) <= _MAX_SHOWN else escaped[: _MAX_SHOWN - 1] + "…"
    return f"`{cut}`"


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a JSON value holds."""

    levels: int
    """Of containers inside one another."""
    members: int
    """Of all objects."""
    is_finite: bool
    """No number is beyond a float."""


def survey(value: Any) -> Extent:
    """Return the extent of a value, in one walk over it, level by level."""
    levels = members = 0
    is_finite = True
    children: list[Any] = [value]
    while children:
        is_finite = is_finite and not any(
            map(math.isinf, [c for c in children if type(c) is float])
        )
        level: list[Any] = [child for child in children if type(child) in _CONTAINERS]
        levels += bool(level)
        children = []
        for parent in level:
            if is_object(parent):
                members += len(parent)
                children.extend(parent.values())
            else:
                children.extend(parent)
    return Extent(levels, members, is_finite)


def find_too_deep(value: Any, limit: int = MAX_DEPTH) -> tuple[Step, ...] | None:
    """Return the steps to the first container below `limit` others, or None; the time is linear."""
    level = [value]
    for _ in range(limit):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return None
    return _first_path(value, limit)


def _first_path(value: Any, limit: int) -> tuple[Step, ...] | None:
    stack: list[tuple[tuple[Step, ...], Any]] = [((), value)]
    while stack:
        steps, node = stack.pop()
        if len(steps) == limit:
            return steps
        members: list[tuple[Step, Any]]
        members = list(members_of(node).items())
        inner = [((*steps, step), child) for step, child in members]
        stack.extend(row for row in reversed(inner) if is_object(row[1]) or is_array(row[1]))
    return None
