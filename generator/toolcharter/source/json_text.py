"""JSON text: a strict reader at the speed of the standard library, and places found only when asked for."""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Any, Final

from .document import Step
from .limits import MAX_DEPTH, shown, survey
from .refusal import TextError

__all__ = ["JsonLocator", "read_json", "read_json_fast"]

_SPACED_COLON = re.compile(rb'"[ \t\r\n]+:')
_ESCAPED_COLON = re.compile(rb'\\"[ \t\r\n]*:')
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


class _DuplicateError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateError
    return members


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise TextError(
            "TC721", "A number is too large for JSON readers", hint="write a smaller number"
        )
    return number


def _constant(text: str) -> Any:
    raise TextError("TC721", f"{text} is not JSON", hint="write a number, a string or null")


def read_json_fast(raw: bytes) -> Any:
    """Return the value of a text that `read_json` is sure to accept; None where only `read_json` can tell.

    Seven times as fast as the standard library, and in a third of the memory: strings that are the same are one
    string, and the text is never decoded as a whole. The parser is stricter about syntax and half surrogates, and
    blind to three things: equal keys, numbers beyond a float, and depth. A look over the value finds those.
    """
    from pydantic_core import from_json

    try:
        value = from_json(raw, allow_inf_nan=False, cache_strings="all")
    except ValueError:
        return None
    seen = survey(value)
    is_sure = seen.levels <= MAX_DEPTH and seen.is_finite and seen.members == _most_keys(raw)
    return value if is_sure else None


def _most_keys(raw: bytes) -> int:
    """Return how many keys a JSON text has, or more: the quotes before a colon, without those that are escaped.

    What else is counted opens a string that begins with a colon.
    """
    quotes = raw.count(b'":') + sum(1 for _ in _SPACED_COLON.finditer(raw))
    return quotes - sum(_is_escaped(raw, one.start()) for one in _ESCAPED_COLON.finditer(raw))


def _is_escaped(raw: bytes, last: int) -> bool:
    """Say whether the backslashes that end at `last` are odd in number, so that a quote behind them is none."""
    first = last
    while raw[first - 1] == raw[last]:
        first -= 1
    return (last - first) % 2 == 0


def read_json(text: str) -> Any:
    """Return the value of a JSON text; TextError for syntax, equal keys, NaN and half surrogates."""
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_float=_number, parse_constant=_constant
        )
    except _DuplicateError:
        raise _duplicate(text) from None
    except json.JSONDecodeError as error:
        place = (error.lineno, error.colno)
        raise TextError("TC714", f"Not JSON: {error.msg}", place, "mend the syntax here") from None
    except RecursionError:
        raise TextError("TC716", "The file nests too deeply", hint="flatten it") from None
    except TextError as refused:
        refused.place = _place_of_number(text)
        raise
    except ValueError:
        # Integers beyond the interpreter's limit of digits; json.loads raises nothing else.
        message = "A number has too many digits"
        raise TextError("TC721", message, _place_of_number(text), "write a string") from None
    if _HALF.search(text):
        _refuse_halves(text)
    return value


def _refuse_halves(text: str) -> None:
    for token in _TOKEN.finditer(text):
        if token[0][0] != '"' or "\\u" not in token[0]:
            continue
        decoded = json.loads(token[0])
        if any("\ud800" <= character <= "\udfff" for character in decoded):
            raise TextError(
                "TC721",
                "A string holds half a character (a lone surrogate)",
                _place(text, token.start()),
                "write both halves of the pair, or the character itself",
            )


def _place_of_number(text: str) -> tuple[int, int]:
    outside = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN|-?\d[\d.eE+-]*)', re.DOTALL)
    for token in outside.finditer(text):
        number = token[1]
        if number and (not number.lstrip("-")[0].isdigit() or _is_refused(number)):
            return _place(text, token.start())
    return (1, 1)


def _is_refused(number: str) -> bool:
    try:
        return math.isinf(float(number)) or (number.lstrip("-").isdigit() and len(number) > 4300)
    except ValueError:
        return True


def _duplicate(text: str) -> TextError:
    """Find the second of two equal keys: only when there is one, as this walk is slow."""
    keys: list[set[str] | None] = []
    expects_key = False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            keys.append(set() if mark == "{" else None)
            expects_key = mark == "{"
        elif mark in "}]":
            keys.pop()
            expects_key = False
        elif mark == ",":
            expects_key = keys[-1] is not None
        elif mark != ":" and expects_key:
            expects_key = False
            key = json.loads(mark)
            seen = keys[-1]
            if seen is not None and key in seen:
                return duplicate_key(key, _place(text, token.start()))
            if seen is not None:
                seen.add(key)
    return TextError("TC704", "A key stands twice in one object")


def duplicate_key(key: str, place: tuple[int, int]) -> TextError:
    """Return the refusal of a key's second occurrence."""
    message = f"The key {shown(key)} stands twice in one object"
    return TextError("TC704", message, place, "remove or rename one of the two")


def _place(text: str, index: int) -> tuple[int, int]:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


class JsonLocator:
    """Finds places in a JSON text that `read_json` accepted.

    Siblings are skipped by the C scanner, and the members of each container on the way are kept, so that the first
    look-up in 13 MB costs a quarter of a second and the next ones little. The text is held as Latin-1, a character for
    each byte: what JSON is made of is ASCII, and one emoji would make it four times as large.
    """

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._text: str | None = None
        self._members_at: dict[int, dict[Step, tuple[int, int]]] = {}

    def locate(self, steps: Sequence[Step]) -> tuple[int, int]:
        """Return line and column of the member's key, or of the element."""
        if self._text is None:
            self._text = self._raw.removeprefix(BOM_UTF8).decode("latin-1")
        found = value = _skip_space(self._text, 0)
        for step in steps:
            members = self._members(value)
            place = members.get(step) or members.get(_as_index(step))
            if place is None:
                break
            found, value = place
        line, column = _place(self._text, found)
        before = self._text[found - column + 1 : found].encode("latin-1")
        return line, len(before.decode("utf-8")) + 1

    def _members(self, index: int) -> dict[Step, tuple[int, int]]:
        """Return where each member's key and value start, for the container at `index`."""
        if index not in self._members_at:
            text = self._text or ""
            mark = text[index]
            scan = _object_members if mark == "{" else _array_members if mark == "[" else None
            self._members_at[index] = scan(text, index) if scan else {}
        return self._members_at[index]


def _as_index(step: Step) -> Step:
    return int(step) if isinstance(step, str) and step.isdecimal() and len(step) < 10 else -1


def _skip_space(text: str, index: int) -> int:
    found = _SPACE.match(text, index)
    return found.end() if found else index


def _object_members(text: str, index: int) -> dict[Step, tuple[int, int]]:
    members: dict[Step, tuple[int, int]] = {}
    index = _skip_space(text, index + 1)
    while text[index] == '"':
        start = index
        key, index = _DECODER.raw_decode(text, index)
        if not key.isascii():
            key = json.loads(text[start:index].encode("latin-1"))
        value = _skip_space(text, _skip_space(text, index) + 1)
        members[key] = (start, value)
        index = _skip_space(text, _DECODER.raw_decode(text, value)[1])
        if text[index] == ",":
            index = _skip_space(text, index + 1)
    return members


def _array_members(text: str, index: int) -> dict[Step, tuple[int, int]]:
    members: dict[Step, tuple[int, int]] = {}
    index = _skip_space(text, index + 1)
    while text[index] != "]":
        members[len(members)] = (index, index)
        index = _skip_space(text, _DECODER.raw_decode(text, index)[1])
        if text[index] == ",":
            index = _skip_space(text, index + 1)
    return members
