"""How values are written in query, headers and form bodies (OpenAPI 3.1, Parameter and Encoding Objects).

Names and values are percent-encoded by RFC 3986. Maps are written in the order of their sorted names, so that equal
arguments give equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from toolcharter_runtime.canonical import canonical_bytes
from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.strict import Rejected

__all__ = ["Pair", "header_text", "pairs_of", "scalar_text", "write_pairs"]

Pair: TypeAlias = tuple[str, str]
"""An encoded name and an encoded value."""

_RESERVED: Final = ":/?@!$'()*,;"
"""What `allowReserved` leaves as it is; `&`, `=`, `+`, `#` and brackets would change the query's structure."""
_SEPARATORS: Final = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]*", re.ASCII)


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


def pairs_of(
    name: str, value: Any, style: str, *, explode: bool, reserved: bool, pointer: str
) -> Iterator[Pair]:
    """Yield the encoded pairs of one parameter or form field in `form`, delimited or `deepObject` style."""
    key = quote(name, safe="")
    if style == "deepObject":
        yield from _deep(key, value, reserved=reserved, pointer=pointer)
    elif is_object(value):
        yield from _map_pairs(
            key, value, style, explode=explode, reserved=reserved, pointer=pointer
        )
    elif is_list(value):
        texts = [
            _encoded(item, reserved=reserved, pointer=f"{pointer}/{i}")
            for i, item in enumerate(value)
        ]
        if explode:
            yield from ((key, text) for text in texts)
        elif texts:
            yield key, _SEPARATORS[style].join(texts)
    else:
        yield key, _encoded(value, reserved=reserved, pointer=pointer)


def write_pairs(pairs: list[Pair], *, form: bool = False) -> str:
    """Join encoded pairs; in a form body a space is `+` (application/x-www-form-urlencoded)."""
    text = "&".join(f"{name}={value}" for name, value in pairs)
    return text.replace("%20", "+") if form else text


def header_text(value: Any, *, explode: bool, pointer: str) -> str:
    """Return a header's value in style `simple`: printable ASCII, or `Rejected` (X3)."""
    if is_list(value):
        text = ",".join(scalar_text(item, pointer) for item in value)
    elif is_object(value):
        mark = "=" if explode else ","
        text = ",".join(f"{key}{mark}{scalar_text(value[key], pointer)}" for key in sorted(value))
    else:
        text = scalar_text(value, pointer)
    if not _PRINTABLE.fullmatch(text):
        raise Rejected(pointer, "must be printable ASCII, for it is sent in a header")
    if text != text.strip():
        raise Rejected(pointer, "must not begin or end with a space, for it is sent in a header")
    return text


def _map_pairs(
    key: str, value: dict[str, Any], style: str, *, explode: bool, reserved: bool, pointer: str
) -> Iterator[Pair]:
    texts = [
        (
            quote(name, safe=""),
            _encoded(value[name], reserved=reserved, pointer=f"{pointer}/{name}"),
        )
        for name in sorted(value)
    ]
    if explode:
        yield from texts
    elif texts:
        yield key, _SEPARATORS[style].join(part for pair in texts for part in pair)


def _deep(key: str, value: Any, *, reserved: bool, pointer: str) -> Iterator[Pair]:
    if is_object(value):
        for name in sorted(value):
            inner = f"{key}%5B{quote(name, safe='')}%5D"
            yield from _deep(inner, value[name], reserved=reserved, pointer=f"{pointer}/{name}")
    elif is_list(value):
        for index, item in enumerate(value):
            yield from _deep(
                f"{key}%5B{index}%5D", item, reserved=reserved, pointer=f"{pointer}/{index}"
            )
    else:
        yield key, _encoded(value, reserved=reserved, pointer=pointer)


def _encoded(value: Any, *, reserved: bool, pointer: str) -> str:
    return quote(scalar_text(value, pointer), safe=_RESERVED if reserved else "")
