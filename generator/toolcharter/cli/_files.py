"""Writes one file, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from toolcharter.diagnostics import Diagnostic, Origin

__all__ = ["write_whole"]


def write_whole(path: Path, text: str, *, replace: bool) -> Diagnostic | None:
    """Write a text beside its place, synced, and move it there; say why if it cannot be.

    Without `replace` a file that is there already stays as it is.
    """
    try:
        folder = path.resolve().parent
        descriptor, staged = tempfile.mkstemp(dir=folder, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            Path(staged).chmod(0o644)
            if replace:
                Path(staged).replace(path.resolve())
                return None
            os.link(staged, path)  # fails where the name is taken, as no check beforehand could
        finally:
            Path(staged).unlink(missing_ok=True)
    except FileExistsError:
        hint = "remove it first, or write elsewhere with --out"
        return _finding("TC728", path, "The file is there already", hint)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return _finding("TC729", path, f"Cannot be written: {reason}", "check the folder")
    return None


def _finding(code: str, path: Path, message: str, hint: str) -> Diagnostic:
    origin = Origin(path.as_posix(), 1, 1)
    return Diagnostic(code=code, severity="error", message=message, origin=origin, hint=hint)
