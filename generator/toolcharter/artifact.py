"""One file of a package: where it goes, its text, and what it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

__all__ = ["Artifact"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file to write; nothing has touched the disk yet."""

    path: PurePosixPath
    """Below `generated/<package>/`."""
    text: str
    """UTF-8, LF, final newline."""
    owner: str
    """A registry id, e.g. `get_customer.v1`, or `package`."""
