"""What `unevaluatedProperties` and `unevaluatedItems` say: of the schema that they stand in, and of no other.

Where nothing beside them depends on the value, they are `additionalProperties` and `items`; else the schema stays whole.
"""

from __future__ import annotations

from typing import Final

from .shaping import JsonSchema, Leftover

__all__ = ["SCOPED", "settled", "without_scope"]

SCOPED: Final = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords that see what others beside them have evaluated."""
_PLAIN: Final = {
    "unevaluatedProperties": "additionalProperties",
    "unevaluatedItems": "items",
}
_DEPENDING: Final = frozenset({"anyOf", "contains", "dependentSchemas", "if", "oneOf"})
"""Keywords which evaluate properties or elements of some values, and not of others."""
_EVALUATING: Final = _DEPENDING | {
    "additionalProperties", "allOf", "items", "patternProperties", "prefixItems", "properties", *SCOPED,
}  # fmt: skip


def settled(schema: JsonSchema) -> JsonSchema:
    """Return the schema with plain keywords for those of its scope, if what they see is known."""
    if not any(keyword in schema for keyword in SCOPED) or _depends(schema):
        return schema
    result = {keyword: value for keyword, value in schema.items() if keyword not in SCOPED}
    for keyword, plain in _PLAIN.items():
        if keyword in schema and plain not in schema:
            result[plain] = schema[keyword]
    return result


def without_scope(schema: JsonSchema) -> JsonSchema:
    """Return a flat schema that may be merged with others: with keywords of its scope it stands whole beside itself."""
    found = [keyword for keyword in SCOPED if schema.get(keyword, True) not in (True, {})]
    result = {keyword: value for keyword, value in schema.items() if keyword not in SCOPED}
    if found:
        result["allOf"] = [*result.get("allOf", ()), Leftover(schema)]
    return result


def _depends(schema: JsonSchema) -> bool:
    parts = schema.get("allOf", ())
    return bool(_DEPENDING & schema.keys()) or any(_EVALUATING & part.keys() for part in parts)
