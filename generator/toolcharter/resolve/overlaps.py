"""Whether a value can be of two branches of a `oneOf`, which then refuses it: such a union is enforced as it is described."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_object

from .covering import is_valid
from .findings import UncarriedError
from .merging import EmptyError, JsonSchema, Leftover, types_of
from .schemas import Expanded, SchemaReader
from .scopes import SCOPED

__all__ = ["are_apart", "overlapping"]

_DEEPEST: Final = 16
_UNIONS: Final = ("oneOf", "anyOf")
_NULL: Final = {"type": "null"}


def overlapping(
    reader: SchemaReader, schema: JsonSchema, shapes: Sequence[JsonSchema]
) -> JsonSchema | None:
    """Return the unions of a schema in which a value of one of the shapes may be of two branches of a `oneOf`.

    The shapes are what the contract lets in, in the API's own names.
    """
    flat = reader.flat(schema)
    unions = _unions(flat)
    if unions and reader.expand(schema).nullable:
        shapes = [*shapes, dict(_NULL)]
    found = [union for union in unions if _overlaps(reader, union, shapes, 0)]
    if found and any(keyword in flat for keyword in SCOPED):
        return {"allOf": [Leftover(flat)]}
    kept: JsonSchema = {}
    for union in found:
        if union.keys() & kept.keys():
            kept["allOf"] = [*kept.get("allOf", ()), Leftover(union)]
        else:
            kept.update(union)
    return kept or None


def _unions(flat: JsonSchema) -> list[JsonSchema]:
    """Return each union that a flat schema holds: those at its top, and those that were merged beside them."""
    found: list[JsonSchema] = [{word: flat[word]} for word in _UNIONS if word in flat]
    beside = [part for part in flat.get("allOf", ()) if len(part) == 1]
    return found + [dict(part) for part in beside if any(word in part for word in _UNIONS)]


def _overlaps(
    reader: SchemaReader, union: JsonSchema, shapes: Sequence[JsonSchema], depth: int
) -> bool:
    if depth > _DEEPEST:
        return True
    if "oneOf" in union and not _apart(reader, union["oneOf"], shapes):
        return True
    parts: list[JsonSchema] = next(iter(union.values()))
    for part in parts:
        try:
            flat = reader.flat(part)
        except EmptyError:
            continue
        if any(_overlaps(reader, inner, shapes, depth + 1) for inner in _unions(flat)):
            return True
    return False


def _apart(reader: SchemaReader, parts: Sequence[JsonSchema], shapes: Sequence[JsonSchema]) -> bool:
    groups: list[Expanded] = []
    for part in parts:
        try:
            groups.append(reader.expand(part))
        except EmptyError:
            continue
    return all(sum(_may_be(reader, shape, group) for group in groups) < 2 for shape in shapes)


def _may_be(reader: SchemaReader, shape: JsonSchema, group: Expanded) -> bool:
    if shape == _NULL and group.nullable:
        return True
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
        own = one.get("properties", {}).get(name)
        if _plain(reader, own).get("readOnly") is True:
            continue  # no request has to have it
        if name not in theirs:
            if closed:
                return True
            continue
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
