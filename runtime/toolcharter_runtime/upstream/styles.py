"""How values are written in query, headers, cookies and forms (OpenAPI 3.x, Parameter and Encoding Objects).

Names and values are percent-encoded by RFC 3986. Maps are written in the order of their sorted names, so that equal
arguments give equal bytes. What a reader could not tell apart is refused, never sent: an empty list or map (nothing
would be written, as if it were absent), null, an element that holds what separates the elements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from toolcharter_runtime.canonical import canonical_bytes
from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.strict import Rejected

__all__ = [
    "RAW",
    "SEPARATORS",
    "Pair",
    "Writer",
    "cookie_pairs",
    "document_text",
    "header_document",
    "header_text",
    "joined",
    "percent",
    "scalar_text",
    "write_pairs",
]

Pair: TypeAlias = tuple[str, str]
"""A name and a value, as they are sent."""

_RESERVED: Final = ":/?@!$'()*,;"
"""What `allowReserved` leaves as it is; `&`, `=`, `+`, `#` and brackets would change the query's structure."""
SEPARATORS: Final = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}
"""What separates the elements in a style where it is no comma."""
_NAMES: Final = {" ": "a space", "%20": "a space", "\t": "a tab", "%09": "a tab", "%7C": "`|`"}
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]*", re.ASCII)
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_COOKIE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*", re.ASCII)
"""RFC 6265, `cookie-octet`: no space, quote, comma, semicolon or backslash."""


def percent(text: str) -> str:
    """Return the text with all but unreserved characters percent-encoded."""
    return quote(text, safe="")


def scalar_text(value: Any, pointer: str) -> str:
    """Return the text of a scalar: `true`, `12`, `a`; raise `Rejected` for null, lists and maps."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return canonical_bytes(value).decode("ascii")
    if value is None:
        raise Rejected(pointer, "null cannot be written here: leave the field out")
    raise Rejected(pointer, "is nested deeper than its place in the request allows")


def document_text(value: Any, media: str, pointer: str) -> str:
    """Return a value as a document of its own: canonical JSON, or a scalar's text."""
    if _is_json(media):
        return canonical_bytes(value).decode("utf-8")
    return scalar_text(value, pointer)


def _is_json(media: str) -> bool:
    return media.partition(";")[0].strip().lower().endswith(("/json", "+json"))


def joined(texts: Iterable[str], separator: str, pointer: str) -> str:
    """Join elements; raise `Rejected` where one holds what separates them, or there is none."""
    found = list(texts)
    if not found:
        raise Rejected(pointer, "an empty list or object cannot be written here: leave it out")
    if any(separator in text for text in found):
        name = _NAMES.get(separator, f"`{separator}`")
        raise Rejected(pointer, f"an element must not hold {name}, which separates the elements")
    return separator.join(found)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes one parameter or form field as pairs, in `form`, delimited or `deepObject` style."""

    encode: Callable[[str], str] = percent
    """How names and what separates is written; values too, unless reserved characters stay."""
    reserved: bool = False

    def pairs(
        self, name: str, value: Any, style: str, *, explode: bool, pointer: str
    ) -> Iterator[Pair]:
        """Yield the pairs of one value."""
        if style == "deepObject":
            yield from self._deep(self.encode(name), value, pointer)
        elif is_object(value):
            yield from self._of_map(name, value, style, explode=explode, pointer=pointer)
        elif is_list(value):
            texts = [self._text(item, f"{pointer}/{i}") for i, item in enumerate(value)]
            if explode:
                joined(texts, "\0", pointer)
                yield from ((self.encode(name), text) for text in texts)
            else:
                yield self.encode(name), self._join(texts, style, pointer)
        else:
            yield self.encode(name), self._text(value, pointer)

    def _of_map(
        self, name: str, value: dict[str, Any], style: str, *, explode: bool, pointer: str
    ) -> Iterator[Pair]:
        texts = [
            (self.encode(key), self._text(value[key], f"{pointer}/{key}")) for key in sorted(value)
        ]
        if not explode:
            yield (
                self.encode(name),
                self._join([part for pair in texts for part in pair], style, pointer),
            )
            return
        joined([text for _, text in texts], "\0", pointer)
        yield from texts

    def _join(self, texts: list[str], style: str, pointer: str) -> str:
        if style in SEPARATORS:
            return joined(texts, self.encode(SEPARATORS[style]), pointer)
        # A comma that `allowReserved` left in a value would read as one more element.
        return joined((text.replace(",", self.encode(",")) for text in texts), ",", pointer)

    def _deep(self, key: str, value: Any, pointer: str) -> Iterator[Pair]:
        if is_object(value) or is_list(value):
            inside = value if is_object(value) else {str(i): item for i, item in enumerate(value)}
            names = list(inside) if is_list(value) else sorted(inside)
            joined(names, "\0", pointer)
            for name in names:
                if not name or "[" in name or "]" in name:
                    raise Rejected(pointer, "a name must not be empty or hold a bracket here")
                inner = f"{key}{self.encode('[')}{self.encode(name)}{self.encode(']')}"
                yield from self._deep(inner, inside[name], f"{pointer}/{name}")
        else:
            yield key, self._text(value, pointer)

    def _text(self, value: Any, pointer: str) -> str:
        text = scalar_text(value, pointer)
        return quote(text, safe=_RESERVED) if self.reserved else self.encode(text)


RAW: Final = Writer(encode=str)
"""Writes as it is: the fields of multipart/form-data are not percent-encoded."""


def write_pairs(pairs: list[Pair], *, form: bool = False) -> str:
    """Join encoded pairs; in a form body a space is `+` (application/x-www-form-urlencoded)."""
    text = "&".join(f"{name}={value}" for name, value in pairs)
    return text.replace("%20", "+") if form else text


def header_document(value: Any, media: str, pointer: str) -> str:
    """Return a header's value as a document of its own, JSON with all but ASCII escaped."""
    text = document_text(value, media, pointer)
    if _is_json(media):
        text = json.dumps(json.loads(text), separators=(",", ":"))
    return _sendable(text, pointer)


def header_text(value: Any, style: str = "simple", *, explode: bool, pointer: str) -> str:
    """Return a header's value, style `simple` or delimited: printable ASCII, or `Rejected` (X3)."""
    if is_list(value):
        separator = SEPARATORS.get(style, ",")
        text = joined((scalar_text(item, pointer) for item in value), separator, pointer)
    elif is_object(value):
        text = _header_map(value, explode=explode, pointer=pointer)
    else:
        text = scalar_text(value, pointer)
    return _sendable(text, pointer)


def _sendable(text: str, pointer: str) -> str:
    if not _PRINTABLE.fullmatch(text):
        raise Rejected(pointer, "must be printable ASCII, for it is sent in a header")
    if text != text.strip():
        raise Rejected(pointer, "must not begin or end with a space, for it is sent in a header")
    return text


def _header_map(value: dict[str, Any], *, explode: bool, pointer: str) -> str:
    pairs = [(name, scalar_text(value[name], pointer)) for name in sorted(value)]
    if not explode:
        return joined((part for pair in pairs for part in pair), ",", pointer)
    if any("=" in name for name, _ in pairs):
        raise Rejected(pointer, "a name must not hold `=` here")
    return joined((f"{name}={text}" for name, text in pairs), ",", pointer)


def cookie_pairs(
    name: str, value: Any, style: str, *, explode: bool, pointer: str
) -> Iterator[Pair]:
    """Yield a cookie's pairs; no value can end its own or begin another (RFC 6265).

    In style `form` they are percent-encoded, and a list that is exploded has no form; in style `cookie` (OpenAPI 3.2)
    they stand as they are, and what no cookie may hold is refused.
    """
    if style == "form":
        if explode and _is_nested(value):
            raise Rejected(pointer, "an exploded list or object has no form in a cookie")
        for _, text in Writer().pairs(name, value, style, explode=False, pointer=pointer):
            yield name, text
        return
    for key, text in RAW.pairs(name, value, "form", explode=explode, pointer=pointer):
        octets = text.replace(",", "") if _is_nested(value) and not explode else text
        if not _COOKIE.fullmatch(octets) or not _TOKEN.fullmatch(key):
            raise Rejected(pointer, "holds a character that no cookie can")
        yield key, text


def _is_nested(value: Any) -> bool:
    return is_list(value) or is_object(value)
