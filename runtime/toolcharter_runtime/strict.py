"""JSON as the boundary takes it: what two readers could read differently is refused (C1)."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, Final

from toolcharter_runtime.jsonvalue import Json, is_list, is_object, type_of

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "Json",
    "Rejected",
    "check_json",
    "echo",
    "in_digits",
    "parse_json",
]


MAX_BYTES: Final = 1 << 20
MAX_DEPTH: Final = 64
_SAFE_INTEGER: Final = 2**53 - 1
_EXPONENT_FROM: Final = 1e21
"""From here on RFC 8785 writes a number with an exponent."""
_NAME_LIMIT: Final = 64
_INEXACT: Final = "an integer beyond 2^53 - 1 is not exact in JSON: give it as text"


class Rejected(Exception):
    """An input that is refused: `INVALID_ARGUMENT` at a place.

    `pointer` is the JSON Pointer of the fault's own place; `reason` is a sentence without any value of the input.
    """

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or '/'}: {reason}")
        self.pointer = pointer
        self.reason = reason


class _Fault(Exception):
    """A fault on its way up to the root; each level adds its token."""

    def __init__(self, reason: str, *tokens: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.tokens = list(tokens)

    def rejected(self) -> Rejected:
        pointer = "".join(f"/{echo(token)}" for token in reversed(self.tokens))
        return Rejected(pointer, self.reason)


class _Repeated(dict[str, Any]):
    """An object in which the key `name` stood twice."""

    name: str = ""


class _Huge(float):
    """An integer with too many digits to be read."""


def parse_json(
    raw: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH, exact: bool = True
) -> Json:
    """Parse JSON text strictly; raise `Rejected` with the pointer of the fault.

    An integral float such as `1.0` becomes an integer. With `exact=False` (for what an upstream answers) integers of
    any size and lone surrogates pass.
    """
    text = _decode(raw, max_bytes)
    try:
        value = _load(text)
    except json.JSONDecodeError as error:
        raise Rejected("", f"not JSON: {error.msg.lower()}, character {error.pos}") from None
    except RecursionError:
        raise Rejected("", f"nested deeper than {max_depth} levels") from None
    return _Check(max_depth, None, exact=exact).run(value)


def check_json(
    value: Any, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH, exact: bool = True
) -> Json:
    """Return a Python value that is JSON by the rules of `parse_json`; raise `Rejected`.

    Only dict with string keys, list, str, int, float, bool and None are JSON: no tuple, set, date or subclass of these.
    """
    return _Check(max_depth, max_bytes, exact=exact).run(value)


def _decode(raw: bytes | str, max_bytes: int) -> str:
    too_large = f"larger than {max_bytes} bytes"
    if len(raw) > max_bytes:
        raise Rejected("", too_large)
    if isinstance(raw, bytes):
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise Rejected("", "not UTF-8") from None
    elif not raw.isascii() and len(raw.encode("utf-8", "surrogatepass")) > max_bytes:
        raise Rejected("", too_large)
    if raw.startswith("\ufeff"):
        raise Rejected("", "starts with a byte order mark")
    return raw


def _load(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # the interpreter's limit on the digits of an integer
        return json.loads(text, object_pairs_hook=_pairs, parse_int=_integer)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    repeated = _Repeated(value)
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            repeated.name = name
            break
        seen.add(name)
    return repeated


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else _Huge("inf")


_HARMLESS: Final = frozenset({bool, type(None)})
_HARMLESS_ANSWERED: Final = frozenset({bool, type(None), str})
"""Types of values that have no fault of C1; a text of an answer may hold what it likes."""


class _Check:
    """One walk over a value: the faults of C1, and whether an integral float must become an integer."""

    __slots__ = ("_budget", "_exact", "_harmless", "_integral", "_max_bytes", "_max_depth")

    def __init__(self, max_depth: int, max_bytes: int | None, *, exact: bool) -> None:
        self._max_depth = max_depth
        self._max_bytes = max_bytes
        self._budget = 0
        self._exact = exact
        self._harmless = _HARMLESS if exact else _HARMLESS_ANSWERED
        self._integral = False

    def run(self, value: Any) -> Json:
        try:
            self._walk(value, 0)
        except _Fault as fault:
            raise fault.rejected() from None
        checked: Json = _integers(value) if self._integral else value
        return checked

    def _walk(self, value: Any, depth: int) -> None:
        kind = type_of(value)
        if kind is str:
            self._text(value)
        elif kind is dict or kind is list:
            if depth >= self._max_depth:
                raise _Fault(f"nested deeper than {self._max_depth} levels")
            self._budget += 2
            if kind is dict:
                self._object(value, depth)
            else:
                self._array(value, depth)
        elif kind is int:
            self._budget += 8
            if self._exact and not -_SAFE_INTEGER <= value <= _SAFE_INTEGER:
                raise _Fault(_INEXACT)
        elif kind is float:
            self._float(value)
        elif kind is not bool and value is not None:
            self._strange(value)
        if self._max_bytes is not None and self._budget > self._max_bytes:
            raise _Fault(f"larger than {self._max_bytes} bytes")

    def _object(self, value: dict[str, Any], depth: int) -> None:
        for name, item in value.items():
            if type(name) is not str:
                raise _Fault("an object has a key that is not a text")
            try:
                if self._exact:
                    self._text(name)
                if type(item) not in self._harmless:
                    self._walk(item, depth + 1)
            except _Fault as fault:
                fault.tokens.append(name)
                raise

    def _array(self, value: list[Any], depth: int) -> None:
        for index, item in enumerate(value):
            try:
                if type(item) not in self._harmless:
                    self._walk(item, depth + 1)
            except _Fault as fault:
                fault.tokens.append(str(index))
                raise

    def _text(self, value: str) -> None:
        self._budget += len(value) + 2
        if self._exact and not value.isascii():
            try:
                self._budget += len(value.encode("utf-8")) - len(value)
            except UnicodeEncodeError:
                raise _Fault("a text holds a lone surrogate, which is not Unicode") from None

    def _float(self, value: float) -> None:
        self._budget += 8
        if not math.isfinite(value):
            raise _Fault("a number is not finite or too large for a double")
        if not value.is_integer():
            return
        if abs(value) <= _SAFE_INTEGER:
            self._integral = True
        elif self._exact and abs(value) < _EXPONENT_FROM:
            raise _Fault(_INEXACT)  # its canonical form would read back as an integer

    def _strange(self, value: Any) -> None:
        if isinstance(value, _Repeated):
            raise _Fault("a key stands twice in one object", value.name)
        if isinstance(value, _Huge):
            raise _Fault("an integer has too many digits")
        raise _Fault("not a JSON value: use dict, list, str, int, float, bool or None")


def _integers(value: Any) -> Any:
    if is_object(value):
        return {name: _integers(item) for name, item in value.items()}
    if is_list(value):
        return [_integers(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) <= _SAFE_INTEGER:
        return int(value)
    return value


def in_digits(value: Any) -> Any:
    """Return the value with each whole number in digits, as it was written: `1e300` is ten to the 300, not its double."""
    if isinstance(value, float) and value.is_integer():
        return int(Decimal(repr(value)))
    if is_object(value):
        return {name: in_digits(item) for name, item in value.items()}
    return [in_digits(item) for item in value] if is_list(value) else value


def echo(token: str) -> str:
    """Return a token of a pointer that may be the caller's own text: escaped, at most 64 characters (R4)."""
    escaped = token.replace("~", "~0").replace("/", "~1")
    shown = "".join(
        item if item.isprintable() else f"\\u{ord(item):04x}" for item in escaped[:_NAME_LIMIT]
    )
    return shown[:_NAME_LIMIT]
