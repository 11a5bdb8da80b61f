"""Which keywords of a schema hold schemas, and what shape the others have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from toolcharter.source.shapes import is_array, is_object

__all__ = [
    "ANNOTATIONS",
    "DROPPED",
    "IDENTITY",
    "LISTS",
    "MAPS",
    "NO_MEANING",
    "SHAPES",
    "SINGLES",
    "TYPES",
    "is_known",
    "meant_by",
]

MAPS: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
SINGLES: Final = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
DROPPED: Final = frozenset(
    {
        "$comment",
        "$defs",
        "$recursiveAnchor",
        "$schema",
        "additionalItems",
        "definitions",
        "dependencies",
        "externalDocs",
        "xml",
    }
)
"""Annotations about documentation; definitions, which are handed out when a reference reaches them; what is read apart.

`additionalItems` says something beside a list of `items` only.
"""
IDENTITY: Final = frozenset({"$anchor", "$dynamicAnchor", "$dynamicRef", "$id"})
"""What names a schema, or refers by such a name: said in JSON Schema 2020-12 alone."""
NO_MEANING: Final = frozenset({"$recursiveRef", "$vocabulary"})
"""Keywords that would change what a schema means and that the contract has no form for."""
ANNOTATIONS: Final = frozenset({"deprecated", "description", "examples", "title"})
"""Keywords of a known shape that say nothing of what a value may be."""
TYPES: Final = frozenset({"null", "boolean", "object", "array", "number", "integer", "string"})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and math.floor(value) == value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_names(value: Any) -> bool:
    return is_array(value) and all(isinstance(name, str) for name in value)


def _is_requirements(value: Any) -> bool:
    return is_object(value) and all(_is_names(names) for names in value.values())


def _is_list(value: Any) -> bool:
    return is_array(value)


def _is_type(value: Any) -> bool:
    if is_array(value):
        return bool(value) and all(isinstance(t, str) and t in TYPES for t in value)
    return isinstance(value, str) and value in TYPES


SHAPES: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "type": (_is_type, "one of JSON's types, or a list of them"),
    "enum": (_is_list, "an array"),
    "examples": (_is_list, "an array"),
    "required": (_is_names, "an array of names"),
    "dependentRequired": (_is_requirements, "an object of arrays of names"),
    **dict.fromkeys(
        ("title", "description", "format", "pattern", "contentEncoding", "contentMediaType"),
        (_is_text, "a string"),
    ),
    **dict.fromkeys(
        ("deprecated", "readOnly", "uniqueItems", "writeOnly"), (_is_flag, "true or false")
    ),
    **dict.fromkeys(
        ("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"),
        (_is_number, "a number"),
    ),
    "multipleOf": (_is_positive, "a number above 0"),
    **dict.fromkeys(
        (
            "maxContains",
            "maxItems",
            "maxLength",
            "maxProperties",
            "minContains",
            "minItems",
            "minLength",
            "minProperties",
        ),
        (_is_count, "a whole number of at least 0"),
    ),
}
"""Keyword → test of its value, and the test in words; checked after a version's own spellings are lifted."""
_KNOWN: Final = frozenset(
    {
        *SHAPES,
        *MAPS,
        *LISTS,
        *SINGLES,
        "collectionFormat",
        "const",
        "default",
        "example",
        "nullable",
    }
    | {"x-nullable"}  # go-swagger's: of all extensions the one that says what a value may be
)
_BY_LETTERS: Final = {name.lower(): name for name in _KNOWN}


def is_known(key: str) -> bool:
    """Say whether a keyword without schemas in it may say something: all others are annotations, which nothing reads."""
    return key in _KNOWN


def meant_by(key: str) -> str | None:
    """Return the keyword that one of no meaning is a misspelling of, such as `min_items`."""
    return _BY_LETTERS.get(key.replace("_", "").replace("-", "").lower())
