"""Whether one pattern accepts all that another accepts: a small automaton over what patterns of APIs are made of.

Understood are literals, escapes, classes, groups, alternatives, and counts; ECMA-262 without the `u` flag's extras. What
is not understood (look-around, back references, anchors in the middle) is not proved, never guessed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from .characters import DIGIT, LAST, LINE_ENDS, SPACE, WORD, Ranges, ordered, without

__all__ = ["includes", "lengths"]

_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_DIGITS: Final = frozenset("0123456789")
_MAX_STATES: Final = 6000
_MAX_STEPS: Final = 60_000


class _NotUnderstoodError(Exception):
    """The pattern is not one of those that this module proves things about."""


@dataclass(frozen=True, slots=True)
class _Chars:
    """One character out of some ranges."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    inner: _Node
    least: int
    most: int | None


_Node: TypeAlias = _Chars | _Sequence | _Choice | _Repeat


def includes(outer: str, inner: str) -> bool:
    """Say whether every string that `inner` matches is proved to be matched by `outer`."""
    try:
        wide, narrow = _Automaton(_parse(outer)), _Automaton(_parse(inner))
        return _covers(wide, narrow)
    except (_NotUnderstoodError, RecursionError):
        return False


def lengths(pattern: str) -> tuple[int, int | None] | None:
    """Return the shortest and the longest string that a pattern matches (None: endless); None if not understood."""
    try:
        return _lengths(_parse(pattern))
    except (_NotUnderstoodError, RecursionError):
        return None


def _lengths(node: _Node) -> tuple[int, int | None]:
    match node:
        case _Chars():
            return 1, 1
        case _Sequence():
            bounds = [_lengths(part) for part in node.parts]
            longest = [most for _, most in bounds]
            total = None if None in longest else sum(most for most in longest if most is not None)
            return sum(least for least, _ in bounds), total
        case _Choice():
            bounds = [_lengths(part) for part in node.options]
            longest = [most for _, most in bounds]
            widest = None if None in longest else max(most for most in longest if most is not None)
            return min(least for least, _ in bounds), widest
        case _Repeat():
            least, most = _lengths(node.inner)
            if node.most is None:
                return least * node.least, 0 if most == 0 else None
            return least * node.least, None if most is None else most * node.most


def _parse(pattern: str) -> _Node:
    reader = _Reader(pattern)
    node = reader.choice(top=True)
    if not reader.at_end():
        raise _NotUnderstoodError
    return node


class _Reader:
    """Reads a pattern; unanchored sides become any text, since a pattern searches."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def choice(self, *, top: bool = False) -> _Node:
        options = [self._sequence(top)]
        while self._peek() == "|":
            self._at += 1
            options.append(self._sequence(top))
        return options[0] if len(options) == 1 else _Choice(tuple(options))

    def _sequence(self, top: bool) -> _Node:
        parts: list[_Node] = []
        begins = self._take("^") if top else True
        ends = not top
        while not self.at_end() and self._peek() not in "|)":
            if self._peek() == "$":
                self._at += 1
                if not top or self._peek() not in ("", "|"):
                    raise _NotUnderstoodError
                ends = True
                break
            parts.append(self._repeated(self._atom()))
        if not begins:
            parts.insert(0, _ANY_TEXT)
        return _Sequence((*parts, *(() if ends else (_ANY_TEXT,))))

    def _atom(self) -> _Node:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return _Chars(self._class())
        if character == ".":
            return _Chars(without(LINE_ENDS))
        if character == "\\":
            return _Chars(self._escape(in_class=False))
        if character in "^*+?{}]":
            raise _NotUnderstoodError
        return _Chars(((ord(character), ord(character)),))

    def _group(self) -> _Node:
        if self._take("?") and not self._take(":"):
            raise _NotUnderstoodError
        node = self.choice()
        if not self._take(")"):
            raise _NotUnderstoodError
        return node

    def _repeated(self, node: _Node) -> _Node:
        counts = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        sign = self._peek()
        if sign in counts:
            self._at += 1
            least, most = counts[sign]
        elif sign == "{":
            least, most = self._count()
        else:
            return node
        self._take("?")
        if self._peek() in ("*", "+", "{"):
            raise _NotUnderstoodError
        return _Repeat(node, least, most)

    def _count(self) -> tuple[int, int | None]:
        end = self._text.find("}", self._at)
        low, comma, high = self._text[self._at + 1 : end].partition(",")
        if end < 0 or not set(low + high) <= _DIGITS or not low:
            raise _NotUnderstoodError
        self._at = end + 1
        if not comma:
            return int(low), int(low)
        return int(low), int(high) if high else None

    def _class(self) -> Ranges:
        is_negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        while self._peek() != "]":
            first = self._member()
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                last = self._member()
                if len(first) != 1 or len(last) != 1 or first[0][0] > last[0][1]:
                    raise _NotUnderstoodError
                first = ((first[0][0], last[0][1]),)
            ranges.extend(first)
        self._at += 1
        found = ordered(ranges)
        return without(found) if is_negated else found

    def _member(self) -> Ranges:
        character = self._next()
        if character == "\\":
            return self._escape(in_class=True)
        return ((ord(character), ord(character)),)

    def _escape(self, *, in_class: bool) -> Ranges:
        character = self._next()
        named = {"d": DIGIT, "w": WORD, "s": SPACE}
        if character.lower() in named:
            found = named[character.lower()]
            return found if character.islower() else without(found)
        if character in ("x", "u"):
            point = self._point(2 if character == "x" else 4)
            return ((point, point),)
        if character == "b" and in_class:
            return ((8, 8),)
        if character in _CONTROLS and not self._peek().isdigit():
            return ((_CONTROLS[character], _CONTROLS[character]),)
        if character.isalnum():
            raise _NotUnderstoodError
        return ((ord(character), ord(character)),)

    def _point(self, size: int) -> int:
        """Read the digits of an escape; half of a pair is not understood, for it is no character of its own."""
        digits = self._text[self._at : self._at + size]
        if size == 4 and digits.startswith("{"):
            digits = self._text[self._at + 1 :].partition("}")[0]
            self._at, size = self._at + 2, len(digits)
        if not digits or len(digits) < size or not set(digits) <= _HEX or len(digits) > 8:
            raise _NotUnderstoodError
        self._at += size
        point = int(digits, 16)
        if 0xD800 <= point <= 0xDFFF or point > LAST:
            raise _NotUnderstoodError
        return point

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        if self.at_end():
            raise _NotUnderstoodError
        self._at += 1
        return self._text[self._at - 1]

    def _take(self, character: str) -> bool:
        if self._peek() != character:
            return False
        self._at += 1
        return True


_ANY_TEXT: Final = _Repeat(_Chars(((0, LAST),)), 0, None)


class _Automaton:
    """States with steps on characters and steps on nothing; the last state accepts."""

    def __init__(self, node: _Node) -> None:
        self.steps: list[list[tuple[Ranges, int]]] = []
        self.free: list[list[int]] = []
        self.start = self._state()
        self.end = self._build(node, self.start)

    def _state(self) -> int:
        if len(self.steps) >= _MAX_STATES:
            raise _NotUnderstoodError
        self.steps.append([])
        self.free.append([])
        return len(self.steps) - 1

    def _build(self, node: _Node, start: int) -> int:
        match node:
            case _Chars():
                end = self._state()
                self.steps[start].append((node.ranges, end))
                return end
            case _Sequence():
                for part in node.parts:
                    start = self._build(part, start)
                return start
            case _Choice():
                end = self._state()
                for option in node.options:
                    begin = self._state()
                    self.free[start].append(begin)
                    self.free[self._build(option, begin)].append(end)
                return end
            case _Repeat():
                return self._build_repeat(node, start)

    def _build_repeat(self, node: _Repeat, start: int) -> int:
        for _ in range(node.least):
            start = self._build(node.inner, start)
        end = self._state()
        self.free[start].append(end)
        if node.most is None:
            loop = self._state()
            self.free[start].append(loop)
            back = self._build(node.inner, loop)
            self.free[back].extend((loop, end))
            return end
        for _ in range(node.most - node.least):
            start = self._build(node.inner, start)
            self.free[start].append(end)
        return end

    def reach(self, states: Iterator[int]) -> frozenset[int]:
        """Return the states and all that is reached from them on nothing."""
        found: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state not in found:
                found.add(state)
                waiting.extend(self.free[state])
        return frozenset(found)

    def after(self, states: frozenset[int], point: int) -> frozenset[int]:
        """Return where one character leads."""
        return self.reach(
            target
            for state in states
            for ranges, target in self.steps[state]
            if _holds(ranges, point)
        )


def _holds(ranges: Ranges, point: int) -> bool:
    index = bisect_right(ranges, (point, LAST)) - 1
    return index >= 0 and ranges[index][0] <= point <= ranges[index][1]


def _covers(wide: _Automaton, narrow: _Automaton) -> bool:
    """Walk both at once: wherever the narrow one accepts, the wide one must."""
    points = _points(wide, narrow)
    first = (narrow.reach(iter((narrow.start,))), wide.reach(iter((wide.start,))))
    seen = {first}
    waiting = [first]
    steps = 0
    while waiting:
        inner, outer = waiting.pop()
        if narrow.end in inner and wide.end not in outer:
            return False
        for point in _relevant(narrow, inner, points):
            steps += 1
            if steps > _MAX_STEPS:
                return False
            following = (narrow.after(inner, point), wide.after(outer, point))
            if following[0] and following not in seen:
                seen.add(following)
                waiting.append(following)
    return True


def _points(*automata: _Automaton) -> list[int]:
    """Return one character of each set that no step of any automaton tells apart."""
    borders = {0}
    for automaton in automata:
        for steps in automaton.steps:
            for ranges, _ in steps:
                for low, high in ranges:
                    borders.update((low, high + 1))
    return sorted(border for border in borders if border <= LAST)


def _relevant(automaton: _Automaton, states: frozenset[int], points: list[int]) -> Iterator[int]:
    wanted: set[int] = set()
    for state in states:
        for ranges, _ in automaton.steps[state]:
            for low, high in ranges:
                wanted.update(points[bisect_left(points, low) : bisect_right(points, high)])
    return iter(sorted(wanted))
