"""Formats as they are asserted at the boundary: those of numbers as bounds, and unknown ones not at all."""

from __future__ import annotations

from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.schemas import FORMATS, NUMBER_FORMATS

from .merging import JsonSchema
from .subschemas import inside

__all__ = ["asserted"]

_FORMATS: Final = frozenset(
    {
        "date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri",
        "iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference",
        "uri-template", "uuid",
    }
    | FORMATS.keys()
)  # fmt: skip


def asserted(schema: Any) -> Any:
    """Return the schema for a reader that knows no other formats than those of JSON Schema, and asserts them."""
    if not is_object(schema):
        return schema
    result: JsonSchema = {}
    for keyword, value in schema.items():
        if keyword != "format" or value in _FORMATS:
            result[keyword] = inside(keyword, value, asserted)
    if schema.get("format") in NUMBER_FORMATS:
        low, high = NUMBER_FORMATS[schema["format"]]
        result["minimum"] = max(low, schema.get("minimum", low))
        result["maximum"] = min(high, schema.get("maximum", high))
    return result
