"""Two schemas that both hold, as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from .findings import UncarriedError

__all__ = ["ANNOTATIONS", "JsonSchema", "has_bound", "merge", "types_of"]

JsonSchema: TypeAlias = dict[str, Any]

ANNOTATIONS: Final = frozenset(
    {
        "$comment", "$id", "$schema", "$anchor", "default", "deprecated", "description", "discriminator", "example",
        "examples", "externalDocs", "readOnly", "title", "writeOnly", "xml",
    }
)  # fmt: skip
"""Keywords that accept every value; of two the first is kept."""


_MOST: Final = 2**20
"""Bytes that the arguments of a call may have (C1): a length above it bounds nothing."""


def has_bound(schema: Mapping[str, Any], word: str) -> bool:
    """Say whether a schema has `maxLength` or `maxItems`, and one that a call could reach."""
    return word in schema and schema[word] <= _MOST


def types_of(schema: JsonSchema) -> tuple[str, ...] | None:
    """Return the types that a schema names, or None if it names none."""
    kind = schema.get("type")
    if kind is None:
        return None
    return (kind,) if isinstance(kind, str) else tuple(kind)


def merge(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    """Return one schema that accepts what both accept; neither has `$ref` or `allOf` at its top.

    Raises `UncarriedError` where two keywords have no common form, e.g. two different patterns.
    """
    merged = dict(left)
    for keyword, value in right.items():
        if keyword not in merged or merged[keyword] == value:
            merged[keyword] = value
        elif keyword not in ANNOTATIONS and not keyword.startswith("x-"):
            merged[keyword] = _both(keyword, merged[keyword], value)
    return _closed_properties(merged, left, right)


def _both(keyword: str, left: Any, right: Any) -> Any:
    combine = _COMBINED.get(keyword)
    if combine is None:
        reason = f"`allOf` gives two different `{keyword}`"
        raise UncarriedError(keyword, reason)
    return combine(left, right)


def _types(left: Any, right: Any) -> Any:
    first, second = types_of({"type": left}) or (), types_of({"type": right}) or ()
    kept = [kind for kind in first if kind in second or (kind == "integer" and "number" in second)]
    kept += [
        kind for kind in second if kind == "integer" and "number" in first and kind not in kept
    ]
    if not kept:
        raise UncarriedError("type", "`allOf` gives two types that no value has", code="TC115")
    return kept[0] if len(kept) == 1 else kept


def _enums(left: Any, right: Any) -> Any:
    kept = [value for value in left if value in right]
    if not kept:
        raise UncarriedError("enum", "`allOf` gives two enums without a common value", code="TC115")
    return kept


def _properties(left: Any, right: Any) -> Any:
    merged = dict(left)
    for name, schema in right.items():
        merged[name] = {"allOf": [merged[name], schema]} if name in merged else schema
    return merged


def _schemas(left: Any, right: Any) -> Any:
    if left is False or right is False:
        return False
    if left in (True, {}):
        return right
    return left if right in (True, {}) else {"allOf": [left, right]}


def _closed_properties(merged: JsonSchema, left: JsonSchema, right: JsonSchema) -> JsonSchema:
    """Drop the properties that the other, closed, side does not have."""
    for one, other in ((left, right), (right, left)):
        if one.get("additionalProperties") is False and "properties" in other:
            known = one.get("properties", {})
            merged["properties"] = {n: s for n, s in merged["properties"].items() if n in known}
    return merged


_COMBINED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "type": _types,
    "enum": _enums,
    "required": lambda a, b: [*a, *(name for name in b if name not in a)],
    "properties": _properties,
    "items": _schemas,
    "additionalProperties": _schemas,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "minimum": max,
    "exclusiveMinimum": max,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
    "maximum": min,
    "exclusiveMaximum": min,
    "uniqueItems": lambda a, b: bool(a or b),
}
