"""One step of a place, into an object or a list of one kind."""

from __future__ import annotations

from dataclasses import dataclass

from toolcharter_runtime.jsonvalue import is_object

from .merging import JsonSchema, types_of
from .shaping import is_never, matching

__all__ = ["Step", "into"]


@dataclass(frozen=True, slots=True)
class Step:
    """What stands one step further, or at the end of a place.

    `schema` is None under an open object, where any value may stand. `required` says that a valid value always has it.
    """

    schema: JsonSchema | None
    required: bool
    many: bool = False
    """A `*` was passed: the place yields a list."""
    known: tuple[str, ...] = ()
    """Names that stand beside it."""
    exists: bool = True
    is_write_only: bool = False
    """A schema on the way was `writeOnly`: no answer should have what stands there."""
    may_differ: bool = False
    """Another kind of value on the way does not describe the place and leaves it open."""


def into(schema: JsonSchema, segment: str) -> Step:
    """Return what stands at one segment of a value that one branch accepts."""
    kinds = types_of(schema)
    if _is_array(schema, kinds) and not _may_be_object(kinds, segment):
        return _into_array(schema, segment)
    if kinds is not None and "object" not in kinds:
        return Step(None, False, exists=False)
    properties: JsonSchema = schema.get("properties", {})
    known = tuple(properties)
    patterns: JsonSchema = schema.get("patternProperties", {})
    parts = [patterns[pattern] for pattern in matching(patterns, segment)]
    if segment in properties:
        parts.insert(0, properties[segment])
    parts = parts or [schema.get("additionalProperties", True)]
    if any(is_never(part) for part in parts):
        return Step(None, False, known=known, exists=False)
    parts = [part for part in parts if is_object(part) and part]
    if not parts:
        return Step({} if segment in properties else None, False, known=known)
    whole = parts[0] if len(parts) == 1 else {"allOf": parts}
    return Step(whole, segment in schema.get("required", ()), known=known)


def _is_array(schema: JsonSchema, kinds: tuple[str, ...] | None) -> bool:
    return "array" in kinds if kinds is not None else ("items" in schema or "prefixItems" in schema)


def _may_be_object(kinds: tuple[str, ...] | None, segment: str) -> bool:
    """Say whether a schema of list keywords alone leaves room for an object that has the segment."""
    return kinds is None and segment != "*" and _index_of(segment) is None


def _into_array(schema: JsonSchema, segment: str) -> Step:
    items = schema.get("items", True)
    if segment == "*":
        if "prefixItems" in schema:
            return Step(None, False)
        return Step(items if is_object(items) and items else None, True, exists=items is not False)
    index = _index_of(segment)
    first = schema.get("prefixItems", ())
    inner = False if index is None else first[index] if index < len(first) else items
    if index is None or inner is False:
        return Step(None, False, exists=False)
    required = index < schema.get("minItems", 0)
    return Step(inner if is_object(inner) and inner else None, required)


def _index_of(segment: str) -> int | None:
    """Return the index that a segment is; None for a name, and for a number beyond what any list holds."""
    is_index = segment.isascii() and segment.isdigit() and len(segment) < 10
    return int(segment) if is_index else None
