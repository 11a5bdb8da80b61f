"""Regular expressions in the meaning of ECMA-262, spelled so that the engine cannot read them in another one.

The engine reads a pattern as ECMA-262 does, but for two things. With look-around or back references it takes another path,
on which `\\d`, `\\w`, `\\s` and `.` mean more than ASCII or less than any character; and its `\\b` knows letters beyond ASCII.
Such a pattern is spelled out with classes. What is no expression of ECMA-262 though the engine would take it, e.g. `(?i)`,
is none here either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

__all__ = ["is_foreign", "is_plain", "spelled_out"]

_TOKEN: Final = re.compile(
    r"\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\k<[^>]*>"
    r"|\\.|\(\?<[=!]|\(\?<[^>]*>|\(\?[:=!]|\(\?|.",
    re.DOTALL,
)
_UNSURE: Final = re.compile(r"\(\?[=!]|\(\?<[=!]|\\[1-9]|\\k<|\\[bB]")
_SPACE: Final = r"\x09-\x0d\x20\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NOT_SPACE: Final = (
    r"\x00-\x08\x0e-\x1f\x21-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    r"\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
)
_CLASSES: Final = {
    "\\d": "0-9",
    "\\D": r"\x00-\x2f\x3a-\U0010ffff",
    "\\w": "0-9A-Z_a-z",
    "\\W": r"\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\U0010ffff",
    "\\s": _SPACE,
    "\\S": _NOT_SPACE,
}
_ALONE: Final = {
    **{escape: f"[{inner}]" for escape, inner in _CLASSES.items()},
    ".": r"[^\x0a\x0d\u2028\u2029]",
    "\\b": "(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))",
    "\\B": "(?:(?<=[0-9A-Z_a-z])(?=[0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?![0-9A-Z_a-z]))",
}
_COUNTS: Final = frozenset("*+?")
_FOREIGN_ESCAPES: Final = frozenset({"\\A", "\\z", "\\Z", "\\G", "\\h", "\\H", "\\R", "\\X", "\\K", "\\a", "\\<", "\\>"})  # fmt: skip


@lru_cache(maxsize=1024)
def spelled_out(pattern: str) -> str:
    """Return the pattern with its classes spelled out, where the engine would not read them as ECMA-262 does."""
    if not _UNSURE.search(pattern):
        return pattern
    groups = _groups(pattern)
    spelled: list[str] = []
    for atom, in_class in _atoms(pattern):
        table = _CLASSES if in_class else _ALONE
        if atom in table:
            spelled.append(_points(table[atom]))
        elif atom.startswith("\\k<") and atom[3:-1] in groups:
            spelled.append(
                f"(?:\\{groups[atom[3:-1]]})"
            )  # by number: by name the engine misses some
        else:
            spelled.append(atom)
    return "".join(spelled)


def _atoms(pattern: str) -> Iterator[tuple[str, bool]]:
    """The pattern's tokens, and whether each stands in a class."""
    in_class = False
    for atom in _TOKEN.findall(pattern):
        yield atom, in_class
        in_class = atom == "[" or (in_class and atom != "]")


def _groups(pattern: str) -> dict[str, int]:
    """Names of groups → their numbers."""
    opened = [
        atom
        for atom, in_class in _atoms(pattern)
        if not in_class and (atom == "(" or (atom.startswith("(?<") and atom[-1] == ">"))
    ]
    return {atom[3:-1]: number for number, atom in enumerate(opened, 1) if atom != "("}


def _points(text: str) -> str:
    """The characters themselves: the engine takes only some of the escapes in a class."""
    return re.sub(
        r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))",
        lambda found: rf"\u{{{int(found[1] or found[2] or found[3], 16):x}}}",
        text,
    )


@lru_cache(maxsize=1024)
def is_foreign(pattern: str) -> bool:
    """Say whether the pattern has a form of another dialect: inline flags, possessive counts, atomic groups, anchors."""
    previous = ""
    for atom, in_class in _atoms(pattern):
        if in_class:
            previous = ""
            continue
        if atom == "(?" or atom in _FOREIGN_ESCAPES:
            return True
        is_count = previous in _COUNTS or previous == "}"
        if atom in "*+" and is_count:
            return True
        # a lazy mark ends a count: nothing may count it again
        previous = "*" if atom == "?" and is_count else atom
    return False


_ESCAPED: Final = frozenset("^$\\.*+?()[]{}|/dDwWsSbBfnrtvcxukpP0123456789")


_COUNT: Final = re.compile(r"\{\d+(?:,\d*)?\}", re.ASCII)


def is_plain(pattern: str) -> bool:
    """Say whether the pattern is of the grammar of the `u` flag: `\\@`, and a bracket that closes nothing, are older."""
    atoms = list(_atoms(pattern))
    outside = "".join(atom if atom[0] != "\\" else " " for atom, in_class in atoms if not in_class)
    return set("{}]").isdisjoint(_COUNT.sub("", outside)) and all(
        atom[0] != "\\" or atom[1:2] in _ESCAPED or (in_class and atom == "\\-")
        for atom, in_class in atoms
    )
