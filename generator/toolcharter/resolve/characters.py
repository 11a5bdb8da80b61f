"""Sets of characters, as ranges of code points: the classes of ECMA-262, and what lies outside of some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

__all__ = ["DIGIT", "LAST", "LINE_ENDS", "SPACE", "WORD", "Ranges", "ordered", "without"]

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points, as closed ranges in order."""

LAST: Final = 0x10FFFF
DIGIT: Final[Ranges] = ((48, 57),)
WORD: Final[Ranges] = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACE: Final[Ranges] = (
    (9, 13), (32, 32), (160, 160), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
LINE_ENDS: Final[Ranges] = ((10, 10), (13, 13), (0x2028, 0x2029))


def ordered(ranges: Sequence[tuple[int, int]]) -> Ranges:
    """Return the ranges in order, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def without(ranges: Ranges) -> Ranges:
    """Return all characters that are in none of the ranges."""
    found: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        found.append((start, LAST))
    return tuple(found)
