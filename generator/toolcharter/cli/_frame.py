"""The line that a finding is about, with a caret below its column."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from toolcharter.diagnostics import Origin
from toolcharter.wording import visible

__all__ = ["Lines", "frame", "read_lines"]

Lines: TypeAlias = Callable[[str], Sequence[str] | None]
_TAB = "    "
_LEAD = 24
"""How many cells of a long line are kept before the caret."""
_AFTER = 8
"""How many characters have to be seen behind the caret, or the line is cut on its left."""


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
    if not text.strip(" …"):
        return []
    margin = " " * len(number)
    return [f"  {margin} |", f"  {number} | {text}", f"  {margin} | {' ' * caret}^"]


def _window(line: str, column: int, room: int) -> tuple[str, int]:
    """Return what of a line fits into the cells, escaped, and the cell of the caret in it; cuts show as `…`.

    Only the characters around the column are looked at: a minified description is one line of millions.
    """
    column = min(column, len(line))
    head = _fitting(line[: room + 1], room)
    if len(head) == len(line):
        return _joined(head, column, has_lead=False, has_tail=False)
    if column < len(head) - _AFTER:
        return _joined(head[:-1], column, has_lead=False, has_tail=True)
    before = [*reversed(_fitting(reversed(line[max(column - _LEAD, 0) : column]), _LEAD))]
    has_lead = column > len(before)
    left = room - sum(map(_cells, before)) - has_lead
    after = _fitting(line[column : column + room], left)
    has_tail = column + len(after) < len(line)
    kept = after[:-1] if has_tail and sum(map(_cells, after)) == left else after
    return _joined([*before, *kept], len(before), has_lead=has_lead, has_tail=has_tail)


def _joined(
    pieces: Sequence[str], column: int, *, has_lead: bool, has_tail: bool
) -> tuple[str, int]:
    lead, tail = "…" if has_lead else "", "…" if has_tail else ""
    text = "".join(pieces)
    caret = len(lead) + sum(map(_cells, pieces[:column]))
    return f"{lead}{text if has_tail else text.rstrip()}{tail}", caret


def _fitting(characters: Iterable[str], room: int) -> list[str]:
    """Return the characters as they are shown, as many as fit into the cells."""
    pieces: list[str] = []
    for character in characters:
        piece = _TAB if character == "\t" else visible(character)
        room -= _cells(piece)
        if room < 0:
            break
        pieces.append(piece)
    return pieces


def _cells(text: str) -> int:
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    """Return the cells of a character on a terminal: two of a wide one, none of an accent that joins the one before."""
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me") else 1
