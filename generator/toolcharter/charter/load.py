"""Reads a charter: text with places, then its shape, then its little language."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from toolcharter.diagnostics import Origin, Staged
from toolcharter.source import Document, load_document

from .findings import shape_findings, undecided_findings
from .places import Places
from .schema import Charter
from .sentences import language_findings

__all__ = ["load_charter", "read_charter"]


def load_charter(path: Path, *, root: Path | None = None) -> Staged[Charter]:
    """Read the charter at `path`; findings name it relative to `root` (the working folder if none).

    All errors of one file are reported together. A charter of the right shape is handed on even with errors in it
    (an answer still `DECIDE`, a template that cannot be read), so that later checks can report theirs too.
    """
    loaded = load_document(path, root=root)
    if loaded.value is None:
        return Staged(None, loaded.diagnostics)
    read = read_charter(loaded.value)
    return Staged(read.value, loaded.diagnostics + read.diagnostics)


def read_charter(document: Document) -> Staged[Charter]:
    """Read the charter that a loaded document holds."""

    def find(pointer: str) -> Origin:
        return document.origin(pointer)

    places = Places(find, document.value)
    undecided = tuple(undecided_findings(document.value, places))
    try:
        charter = Charter.model_validate(document.value, context=places)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False)
        return Staged(None, undecided + tuple(shape_findings(errors, places)))
    return Staged(charter, undecided + tuple(language_findings(charter)))
