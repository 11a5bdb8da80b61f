"""Formats of the registry, and the types that they speak of."""

from __future__ import annotations

from toolcharter_runtime.schemas import FORMATS, NUMBER_FORMATS

__all__ = ["ASSERTED", "fits_type"]

_OF_TEXT = frozenset(
    {
        "date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri",
        "iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template",
        "uuid",
    }
)  # fmt: skip
_OF_NUMBERS = frozenset({"double", "float", "int16", "int32", "int8", "uint16", "uint32", "uint8"})
_OF_BOTH = frozenset({"int64", "uint64"})
"""Numbers that many APIs write as text, so that no reader rounds them."""
ASSERTED = _OF_TEXT | frozenset(FORMATS) | frozenset(NUMBER_FORMATS)
"""Formats that are checked here, by themselves or as bounds."""


def fits_type(name: str, types: frozenset[str]) -> bool:
    """Say whether a format can say anything of values of these types; an unknown format, or no type, always may."""
    if not types:
        return True
    if name in _OF_TEXT:
        return "string" in types
    if name in _OF_NUMBERS:
        return bool(types & {"integer", "number"})
    return name not in _OF_BOTH or bool(types & {"integer", "number", "string"})
