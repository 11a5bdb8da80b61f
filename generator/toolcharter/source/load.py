"""Reads a file as JSON or YAML."""

from __future__ import annotations

from pathlib import Path

from toolcharter.diagnostics import Staged

from .document import Document

__all__ = ["load_document"]


def load_document(path: Path, *, root: Path | None = None) -> Staged[Document]:
    """Read one file; findings name it relative to `root` (the working folder if none)."""
    raise NotImplementedError
