"""What a regular expression bounds: pure questions asked of its text, without running it.

Answers are on the safe side: an expression that is not understood counts as unanchored and endless.
"""

from __future__ import annotations

import re

__all__ = ["has_lookaround", "is_anchored", "is_finite", "may_hold", "may_hold_space"]

_ATOM = re.compile(
    r"\\p\{[^}]*\}|\\P\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\.|\[\^?(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|.",
    re.DOTALL,
)
_POINT = re.compile(
    r"\\u\{(?:0*)([0-9A-Fa-f]{1,5}|10[0-9A-Fa-f]{4})\}|\\(?:u(?=.{4}$)|x(?=.{2}$))([0-9A-Fa-f]+)"
)
_COUNT = re.compile(r"\{\d+(,\d*)?\}")
_REPEAT = re.compile(r"\{\d+,\}")
_UNSAFE = re.compile(r"\\[1-9]|\\k<|\(\?<?[=!]|\(\?>|[*+}]\+")
_VISIBLE_ESCAPES = frozenset("dwbB.-/\\^$|()[]{}+*?_:@#&%=,;!~<>\"'")


def _atoms(pattern: str) -> tuple[str, ...]:
    return tuple(_ATOM.findall(pattern))


def _alternatives(atoms: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Split at the bars that are in no group."""
    parts: list[list[str]] = [[]]
    depth = 0
    for atom in atoms:
        depth += (atom == "(") - (atom == ")")
        if atom == "|" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(atom)
    return tuple(tuple(part) for part in parts)


def _whole_group(atoms: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return what is inside, if one group encloses all of it."""
    if len(atoms) < 2 or atoms[0] != "(" or atoms[-1] != ")":
        return None
    depth = 0
    for index, atom in enumerate(atoms):
        depth += (atom == "(") - (atom == ")")
        if depth == 0 and index < len(atoms) - 1:
            return None
    inner = atoms[1:-1]
    return inner[2:] if inner[:2] == ("?", ":") else inner


def _is_anchored(atoms: tuple[str, ...]) -> bool:
    inner = _whole_group(atoms)
    if inner is not None:
        return _is_anchored(inner)
    alternatives = _alternatives(atoms)
    if len(alternatives) > 1:
        return all(_is_anchored(part) for part in alternatives)
    return len(atoms) >= 2 and atoms[0] == "^" and atoms[-1] == "$"


def is_anchored(pattern: str) -> bool:
    """Say whether every alternative of the pattern starts with `^` and ends with `$`."""
    return _is_anchored(_atoms(pattern))


def is_finite(pattern: str) -> bool:
    """Say whether an anchored pattern can match only strings up to some length."""
    if not is_anchored(pattern):
        return False
    return not any(atom in "*+" or _REPEAT.fullmatch(atom) for atom in _atoms(pattern))


def may_hold_space(pattern: str) -> bool:
    """Say whether a string that the pattern matches may hold white space (true where in doubt)."""
    if not is_anchored(pattern):
        return True
    for atom in _atoms(pattern):
        point = _POINT.fullmatch(atom)
        if point:
            if chr(int(point[1] or point[2], 16)).isspace():
                return True
            continue
        if atom == "." or atom[0].isspace():
            return True
        if atom[0] == "[" and (atom.startswith("[^") or re.search(r"\s|\\[sSDWpPux]", atom)):
            return True
        if atom[0] == "\\" and atom[1] not in _VISIBLE_ESCAPES and not atom[1].isdigit():
            return True
        if atom[0] == "[" and _spans_space(atom):
            return True
    return False


def may_hold(pattern: str, characters: str) -> bool:
    """Say whether a string that the pattern matches may hold one of the characters (true where in doubt)."""
    if not is_anchored(pattern) or has_lookaround(pattern):
        return True
    atoms = _atoms(pattern.replace("(?:", "("))
    return any(_takes(atom, character) for atom in atoms for character in characters)


def _takes(atom: str, character: str) -> bool:
    """Say whether one atom takes a character; what only counts, groups or anchors takes none."""
    if atom in ("^", "$", "(", ")", "|", "?", "*", "+", "\\b", "\\B") or _COUNT.fullmatch(atom):
        return False
    try:
        return re.fullmatch(atom, character) is not None
    except re.error:
        return True


def _spans_space(atom: str) -> bool:
    """Say whether a range of a class, e.g. `[!-~]` or `[\\x00-z]`, reaches over the space character."""
    ranges = re.findall(r"([^\\])-([^\]\\])", atom[1:-1])
    return any(low <= " " <= high for low, high in ranges)


def has_lookaround(pattern: str) -> bool:
    """Say whether it uses look-around, back references or possessive parts, which not every engine has."""
    return any(
        _UNSAFE.match("".join(_atoms(pattern)[i : i + 4])) for i in range(len(_atoms(pattern)))
    )
