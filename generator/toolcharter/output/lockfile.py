"""What the lock of the last generation says, as far as it can be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["LOCK_NAME", "Lock", "read_lock"]

LOCK_NAME = "toolcharter.lock"
_LONGEST_NAME = 255
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")


@dataclass(frozen=True, slots=True)
class Lock:
    """The lock on disk; empty where there is none or it cannot be read."""

    path: Path
    exists: bool = False
    is_broken: bool = False
    """It has merge markers or is no lock at all."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path below the package's folder → `sha256:<hex>`."""
    owners: Mapping[str, str] = field(default_factory=dict[str, str])
    contracts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    generator: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def version(self) -> str | None:
        """Return the version of the generator that wrote it."""
        stated = self.generator.get("version")
        return stated if isinstance(stated, str) else None


def read_lock(folder: Path) -> Lock:
    """Return the lock of the package in `folder`, which is named like the package."""
    path = folder / folder.name / "catalog" / LOCK_NAME
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Lock(path)
    except (OSError, UnicodeDecodeError):
        return Lock(path, exists=True, is_broken=True)
    if any(line.startswith(_CONFLICT) for line in text.splitlines()):
        return Lock(path, exists=True, is_broken=True)
    try:
        return _parsed(path, json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Lock(path, exists=True, is_broken=True)


def _parsed(path: Path, value: Mapping[str, Any]) -> Lock:
    files = value["files"].items()
    return Lock(
        path,
        exists=True,
        files={_file_name(name): str(entry["sha256"]) for name, entry in files},
        owners={str(name): str(entry["owner"]) for name, entry in files},
        contracts={key: dict(entry.items()) for key, entry in value["contracts"].items()},
        inputs=dict(value["inputs"].items()),
        generator=dict(value["generator"].items()),
    )


def _file_name(name: str) -> str:
    """Return the name; `ValueError` where no file can be called so."""
    if "\0" in name or any(len(part.encode()) > _LONGEST_NAME for part in name.split("/")):
        raise ValueError("no name of a file")
    return name
