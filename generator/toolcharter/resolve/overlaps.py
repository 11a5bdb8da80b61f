"""Whether a value can be of two branches of a `oneOf`, which then refuses it: such a union is enforced as it is described."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_object

from .covering import is_valid
from .merging import JsonSchema, types_of
from .schemas import Expanded, SchemaReader

__all__ = ["are_apart", "overlapping"]

_DEEPEST: Final = 16


def overlapping(reader: SchemaReader, schema: JsonSchema) -> JsonSchema | None:
    """Return the unions of a schema in which some `oneOf` is not proved to be of branches that share no value."""
    flat = reader.flat(schema)
    found = {
        keyword: flat[keyword]
        for keyword in ("oneOf", "anyOf")
        if keyword in flat and _overlaps(reader, flat, keyword, 0)
    }
    return found or None


def _overlaps(reader: SchemaReader, flat: JsonSchema, keyword: str, depth: int) -> bool:
    if depth > _DEEPEST:
        return True
    parts = [reader.flat(part) for part in flat[keyword]]
    if keyword == "oneOf" and "x-discriminator" not in flat and not _apart(reader, flat):
        return True
    return any(
        inner in part and _overlaps(reader, part, inner, depth + 1)
        for part in parts
        for inner in ("oneOf", "anyOf")
    )


def _apart(reader: SchemaReader, flat: JsonSchema) -> bool:
    rest = {key: value for key, value in flat.items() if key != "oneOf"}
    kinds = types_of(rest)
    typed = {"type": rest["type"]} if kinds else {}
    groups = [reader.expand({"allOf": [typed, part]} if typed else part) for part in flat["oneOf"]]
    return all(_groups_apart(reader, one, other) for one, other in combinations(groups, 2))


def _groups_apart(reader: SchemaReader, one: Expanded, other: Expanded) -> bool:
    if one.nullable and other.nullable:
        return False
    return all(
        are_apart(reader, left.schema, right.schema)
        for left in one.branches
        for right in other.branches
    )


def are_apart(reader: SchemaReader, one: JsonSchema, other: JsonSchema) -> bool:
    """Say whether two schemas are proved to share no value."""
    first, second = _kinds(one), _kinds(other)
    if first and second and not first & second:
        return True
    values, others = _values(one), _values(other)
    if values is not None and others is not None:
        return not any(is_valid({"enum": others}, value) for value in values)
    if first != {"object"} or second != {"object"}:
        return False
    return _objects_apart(reader, one, other) or _objects_apart(reader, other, one)


def _objects_apart(reader: SchemaReader, one: JsonSchema, other: JsonSchema) -> bool:
    theirs = other.get("properties", {})
    closed = other.get("additionalProperties") is False and not other.get("patternProperties")
    for name in one.get("required", ()):
        if name not in theirs:
            if closed:
                return True
            continue
        own = one.get("properties", {}).get(name)
        if is_object(own) and name in theirs and _differ(reader, own, theirs[name]):
            return True
    return False


def _differ(reader: SchemaReader, own: JsonSchema, theirs: Any) -> bool:
    """Say whether what a required property must be is never what the other object lets it be."""
    mine, other = reader.flat(own), reader.flat(theirs) if is_object(theirs) else {}
    first, second = _kinds(mine), _kinds(other)
    if first and second and not first & second:
        return True
    values, others = _values(mine), _values(other)
    if values is None or others is None:
        return False
    return not any(is_valid({"enum": others}, value) for value in values)


def _kinds(schema: JsonSchema) -> set[str]:
    kinds = set(types_of(schema) or ())
    return kinds | {"integer"} if "number" in kinds else kinds


def _values(schema: JsonSchema) -> list[Any] | None:
    values: list[Any] | None = [schema["const"]] if "const" in schema else schema.get("enum")
    return values
