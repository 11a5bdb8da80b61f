"""The types of values that a schema lists, and a schema of one type out of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .merging import ANNOTATIONS, JsonSchema, types_of
from .sameness import values_of

__all__ = ["has_type", "of_type", "says_more", "types_of_values"]


def types_of_values(values: Sequence[Any]) -> tuple[str, ...]:
    """Return the types that the values have; `number` stands for `integer` if one of them has a fraction."""
    kinds = ("null", "boolean", "integer", "number", "string", "array", "object")
    found = [kind for kind in kinds if any(has_type(value, kind) for value in values)]
    has_fractions = any(has_type(v, "number") and not has_type(v, "integer") for v in values)
    return tuple(kind for kind in found if kind != ("integer" if has_fractions else "number"))


def says_more(schema: JsonSchema) -> bool:
    """Say whether keywords beside the listed values may refuse some of them."""
    silent = ANNOTATIONS | {"const", "enum", "type"}
    return any(key not in silent and not key.startswith("x-") for key in schema)


def of_type(schema: JsonSchema, kind: str) -> JsonSchema:
    """Return the schema of its values of one type; where it lists values, those of that type are left."""
    single = {**schema, "type": kind}
    values = values_of(schema)
    if values is not None and len(types_of(schema) or ()) != 1:
        single["enum"] = [value for value in values if has_type(value, kind)]
        if "const" in single and single["enum"]:
            del single["enum"]
    return single


def has_type(value: object, kind: str) -> bool:
    """Say whether a value is of one of JSON Schema's types."""
    if value is None or isinstance(value, bool):
        return kind == ("null" if value is None else "boolean")
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if kind == "number":
        return isinstance(value, int | float)
    kinds: dict[str, type] = {"string": str, "object": dict, "array": list}
    return kind in kinds and isinstance(value, kinds[kind])
