"""The line that a finding is about, with a caret below its column."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from toolcharter.diagnostics import Origin
from toolcharter.wording import visible

__all__ = ["Lines", "frame", "read_lines"]

Lines: TypeAlias = Callable[[str], Sequence[str] | None]
_TAB = "    "
_LEAD = 24
"""How much of a long line is kept before the caret."""


@lru_cache(maxsize=8)
def read_lines(file: str) -> tuple[str, ...] | None:
    """Return the lines of a file, without their ends; None where it cannot be read as text."""
    try:
        return tuple(Path(file).read_text("utf-8-sig").split("\n"))
    except (OSError, ValueError):
        return None


def frame(origin: Origin, lines: Lines, width: int) -> list[str]:
    """Return the rows of a code frame; empty where the line is not there."""
    found = lines(origin.file)
    if found is None or not 0 < origin.line <= len(found):
        return []
    number = str(origin.line)
    room = max(width - len(number) - 6, 20)
    text, caret = _window(found[origin.line - 1].rstrip("\r"), max(origin.column, 1) - 1, room)
    if not text.strip():
        return []
    margin = " " * len(number)
    return [f"  {margin} |", f"  {number} | {text}", f"  {margin} | {' ' * caret}^"]


def _window(line: str, column: int, room: int) -> tuple[str, int]:
    """Return what of a line fits, escaped, and the cell of the caret in it; cuts show as `…`."""
    start = 0
    if len(line) > room and column > room - 8:
        start = max(column - _LEAD, 0)
    piece = line[start : start + room]
    before, after = _shown(piece[: column - start]), _shown(piece[column - start :])
    lead, tail = "…" if start else "", "…" if start + room < len(line) else ""
    return f"{lead}{before}{after}".rstrip() + tail, len(lead) + _cells(before)


def _shown(text: str) -> str:
    return visible(text.replace("\t", _TAB))


def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
