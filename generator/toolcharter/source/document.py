"""A file's JSON value, and where each part of it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from toolcharter.diagnostics import Origin

from .shapes import as_step, members_of

__all__ = ["Anchor", "Document", "Locator", "Moved", "Step", "parse_pointer", "write_pointer"]

Step: TypeAlias = str | int
"""One step into a JSON value: a member's name or an element's index."""


Moved: TypeAlias = "dict[tuple[int, Step], Anchor | Step]"
"""By the id of a container, and key or index: where the part is written, or at which index it was."""


class Locator(Protocol):
    """Finds the line and column (both from 1) of a part of one text."""

    def locate(self, steps: Sequence[Step]) -> tuple[int, int]:
        """Return the place of the member's key, or of the element; of the nearest parent if it is not there."""
        ...


def write_pointer(steps: Sequence[Step]) -> str:
    """Return the JSON Pointer (RFC 6901) of some steps."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def parse_pointer(pointer: str) -> tuple[str, ...]:
    """Return the steps of a JSON Pointer; indexes stay strings, as the value decides what they are."""
    if not pointer:
        return ()
    return tuple(
        step.replace("~1", "/").replace("~0", "~") for step in pointer.removeprefix("/").split("/")
    )


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One loaded file. The value is shared by all readers and must not be changed."""

    name: str
    """The file as findings show it: relative to the working folder where it lies inside, POSIX."""
    path: Path
    """The file, absolute and free of symbolic links."""
    value: dict[str, Any]
    sha256: str
    """Digest of the bytes on the disk, hexadecimal."""
    locator: Locator = field(repr=False)
    ambiguous: frozenset[tuple[int, Step]] = frozenset()
    """Scalars that YAML 1.1 and YAML 1.2 read differently: id of their container, key or index."""
    moved: Moved = field(default_factory=dict["tuple[int, Step]", "Anchor | Step"], repr=False)
    """Of a value that was changed after it was read: what is written elsewhere."""

    def origin(self, pointer: str | Sequence[Step] = "") -> Origin:
        """Return where a part is written; for a part that is not there, where its nearest parent is."""
        steps = parse_pointer(pointer) if isinstance(pointer, str) else tuple(pointer)
        if self.moved:
            written = self._written(steps)
            if written.document is not self:
                return written.origin
            steps = written.steps
        line, column = self.locator.locate(steps)
        return Origin(self.name, line, column, write_pointer(steps))

    def _written(self, steps: Sequence[Step]) -> Anchor:
        """Return where the text has a part: here or in another document, by the steps that it had there."""
        value: Any = self.value
        written = Anchor(self)
        for step in steps:
            key = as_step(value, step)
            moved = self.moved.get((id(value), key), key)
            written = moved if isinstance(moved, Anchor) else written / moved
            value = members_of(value).get(key)
        return written


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """A part of a document, whose line and column are looked up only when they are asked for."""

    document: Document
    steps: tuple[Step, ...] = ()

    def __truediv__(self, step: Step) -> Anchor:
        """Return the anchor of a member or element."""
        return Anchor(self.document, (*self.steps, step))

    @property
    def pointer(self) -> str:
        """Return the JSON Pointer inside the document."""
        return write_pointer(self.steps)

    @property
    def origin(self) -> Origin:
        """Return file, line, column and pointer."""
        return self.document.origin(self.steps)
