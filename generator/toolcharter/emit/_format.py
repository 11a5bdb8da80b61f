"""The one formatting step: ruff, pinned exactly, in a folder of its own where no settings of anybody can reach it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

__all__ = ["FormattingError", "format_python"]

_SETTINGS = ("--isolated", "--no-cache", "--quiet", "--line-length=120", "--target-version=py311")


class FormattingError(RuntimeError):
    """The formatter refused what was emitted: a bug of a template, never of an input."""


def _formatter() -> str:
    find: Callable[[], str] = import_module("ruff").find_ruff_bin
    return find()


def format_python(texts: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """Return the Python files formatted; one process for all of them."""
    with TemporaryDirectory(prefix="toolcharter-") as name:
        folder = Path(name)
        for path, text in texts.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
        done = subprocess.run(  # noqa: S603 - the wheel's own binary, with arguments of ours
            [_formatter(), "format", *_SETTINGS, "."],
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode != 0:
            raise FormattingError(done.stderr.strip())
        return {path: (folder / path).read_text("utf-8") for path in texts}
