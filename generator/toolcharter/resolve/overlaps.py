"""Whether a value can be of two branches of a `oneOf`, which then refuses it: such a union is enforced as it is described."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_object

from .covering import is_valid
from .findings import UncarriedError
from .merging import JsonSchema, types_of
from .schemas import Expanded, SchemaReader

__all__ = ["are_apart", "overlapping"]

_DEEPEST: Final = 16


def overlapping(
    reader: SchemaReader, schema: JsonSchema, shapes: Sequence[JsonSchema]
) -> JsonSchema | None:
    """Return the unions of a schema in which a value of one of the shapes may be of two branches of a `oneOf`.

    The shapes are what the contract lets in, in the API's own names.
    """
    flat = reader.flat(schema)
    found = {
        keyword: flat[keyword]
        for keyword in ("oneOf", "anyOf")
        if keyword in flat and _overlaps(reader, flat, keyword, shapes, 0)
    }
    return found or None


def _overlaps(
    reader: SchemaReader,
    flat: JsonSchema,
    keyword: str,
    shapes: Sequence[JsonSchema],
    depth: int,
) -> bool:
    if depth > _DEEPEST:
        return True
    if keyword == "oneOf" and not _apart(reader, flat, shapes):
        return True
    parts = [reader.flat(part) for part in flat[keyword]]
    return any(
        inner in part and _overlaps(reader, part, inner, shapes, depth + 1)
        for part in parts
        for inner in ("oneOf", "anyOf")
    )


def _apart(reader: SchemaReader, flat: JsonSchema, shapes: Sequence[JsonSchema]) -> bool:
    groups = [reader.expand(part) for part in flat["oneOf"]]
    if sum(group.nullable for group in groups) > 1:
        return False
    return all(sum(_may_be(reader, shape, group) for group in groups) < 2 for shape in shapes)


def _may_be(reader: SchemaReader, shape: JsonSchema, group: Expanded) -> bool:
    return any(not are_apart(reader, shape, branch.schema) for branch in group.branches)


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
    mine, other = _plain(reader, own), _plain(reader, theirs)
    first, second = _kinds(mine), _kinds(other)
    if first and second and not first & second:
        return True
    values, others = _values(mine), _values(other)
    if values is None or others is None:
        return False
    return not any(is_valid({"enum": others}, value) for value in values)


def _plain(reader: SchemaReader, schema: Any) -> JsonSchema:
    if not is_object(schema):
        return {}
    try:
        return reader.flat(schema) if "$ref" in schema else schema
    except UncarriedError:
        return {}


def _kinds(schema: JsonSchema) -> set[str]:
    kinds = set(types_of(schema) or ())
    return kinds | {"integer"} if "number" in kinds else kinds


def _values(schema: JsonSchema) -> list[Any] | None:
    values: list[Any] | None = [schema["const"]] if "const" in schema else schema.get("enum")
    return values
