"""Where each part of a charter was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from toolcharter.diagnostics import Origin

__all__ = ["Places", "escape"]


def escape(segment: str) -> str:
    """Return one segment of a JSON Pointer, escaped (RFC 6901)."""
    return segment.replace("~", "~0").replace("/", "~1")


def _nowhere(pointer: str) -> Origin | None:
    return Origin("charter.yaml", 1, 1, pointer)


@dataclass(frozen=True, slots=True)
class Places:
    """Finds the origin of a pointer, or of the nearest parent that was written."""

    find: Callable[[str], Origin | None] = _nowhere
    raw: JsonValue = None
    """The value of the whole file."""

    def origin(self, pointer: str) -> Origin:
        """Return the place of `pointer`, walking up while it is not in the file."""
        wanted = pointer
        while True:
            found = self.find(wanted)
            if found is not None:
                return found
            if not wanted:
                return Origin("charter.yaml", 1, 1, "")
            wanted = wanted.rpartition("/")[0]
