"""Reads the schemas of a description: behind references, through `allOf` and unions, one step of a place at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from toolcharter.source import Description
from toolcharter_runtime.jsonvalue import is_object

from .findings import UncarriedError
from .merging import JsonSchema, merge, types_of

__all__ = ["Branch", "Expanded", "SchemaReader", "Step"]

_REF = "#/$defs/"
_MAX_BRANCHES = 200


@dataclass(frozen=True, slots=True)
class Branch:
    """One kind of value that a schema accepts; `name` is its component's, if it has one."""

    schema: JsonSchema
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Expanded:
    """The kinds of values other than null that a schema accepts."""

    branches: tuple[Branch, ...]
    nullable: bool


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


class SchemaReader:
    """Follows the schemas of one description."""

    def __init__(self, description: Description) -> None:
        self._description = description

    def definition(self, name: str) -> JsonSchema:
        """Return the schema of a component."""
        return self._description.definition(name)

    def flat(self, schema: JsonSchema) -> JsonSchema:
        """Return the schema with no `$ref` and no `allOf` at its top; raises `UncarriedError`."""
        return self._flat(schema, ())

    def expand(self, schema: JsonSchema, name: str | None = None) -> Expanded:
        """Return the branches of a schema, unions inside unions flattened; raises `UncarriedError`."""
        branches: list[Branch] = []
        nullable = False
        for branch in self._branches(schema, name, 0):
            if branch is None:
                nullable = True
            elif all(branch.schema != other.schema for other in branches):
                branches.append(branch)
            if len(branches) > _MAX_BRANCHES:
                raise UncarriedError("anyOf", f"a union of more than {_MAX_BRANCHES} branches")
        return Expanded(tuple(branches), nullable)

    def walk(self, schema: JsonSchema, segments: Sequence[str]) -> Step:
        """Return what stands at the end of the segments."""
        step = Step(schema, True)
        for segment in segments:
            if step.schema is None:
                return Step(None, False, step.many or segment == "*")
            inner = self.step(step.schema, segment)
            many = step.many or segment == "*"
            step = replace(
                inner,
                required=step.required and inner.required,
                many=many,
                is_write_only=step.is_write_only or inner.is_write_only,
            )
            if not step.exists:
                return step
        return step

    def step(self, schema: JsonSchema, segment: str) -> Step:
        """Return what stands at one segment: a property, an index, or `*` for every element."""
        expanded = self.expand(schema)
        steps = [self._into(branch.schema, segment) for branch in expanded.branches]
        is_write_only = _is_write_only(expanded)
        found = [step.schema for step in steps if step.exists and step.schema is not None]
        known = tuple(sorted({name for step in steps for name in step.known}))
        if not found:
            is_open = any(step.exists for step in steps)
            return Step(None, False, known=known, exists=is_open, is_write_only=is_write_only)
        always = (
            not expanded.nullable and len(found) == len(steps) and all(s.required for s in steps)
        )
        return Step(_any_of(found), always, known=known, is_write_only=is_write_only)

    def is_write_only(self, step: Step) -> bool:
        """Say whether no answer should have what stands there; raises `UncarriedError`."""
        return step.is_write_only or (
            step.schema is not None and _is_write_only(self.expand(step.schema))
        )

    def _into(self, schema: JsonSchema, segment: str) -> Step:
        kinds = types_of(schema)
        if _is_array(schema, kinds) and not _may_be_object(kinds, segment):
            return _into_array(schema, segment)
        if kinds is not None and "object" not in kinds:
            return Step(None, False, exists=False)
        properties: JsonSchema = schema.get("properties", {})
        known = tuple(properties)
        if segment in properties:
            return Step(properties[segment], segment in schema.get("required", ()), known=known)
        rest = schema.get("additionalProperties", True)
        if is_object(rest) and rest:
            return Step(rest, False, known=known)
        return Step(None, False, known=known, exists=rest is not False)

    def _flat(self, schema: JsonSchema, seen: tuple[str, ...]) -> JsonSchema:
        if "$ref" not in schema and "allOf" not in schema:
            return schema
        result: JsonSchema = {k: v for k, v in schema.items() if k not in ("$ref", "allOf")}
        if "$ref" in schema:
            name = _name_of(schema["$ref"])
            if name in seen:
                raise UncarriedError("$ref", f"`{name}` refers only to itself")
            behind = self._flat(self._description.definition(name), (*seen, name))
            result = merge(result, behind)
        for part in schema.get("allOf", ()):
            if isinstance(part, bool):
                raise UncarriedError("allOf", "`allOf` holds a boolean schema")
            result = merge(result, self._flat(part, seen))
        return self._flat(result, seen) if "allOf" in result or "$ref" in result else result

    def _branches(
        self, schema: JsonSchema, name: str | None, depth: int
    ) -> Iterator[Branch | None]:
        if depth > 16:
            raise UncarriedError("anyOf", "unions nest more than 16 levels deep")
        if "$ref" in schema:
            name = _name_of(schema["$ref"])
        flat = self.flat(schema)
        for keyword in ("oneOf", "anyOf"):
            if keyword in flat:
                rest = {key: value for key, value in flat.items() if key != keyword}
                for part in flat[keyword]:
                    yield from self._union_branch(rest, part, depth)
                return
        yield from _by_type(flat, name)

    def _union_branch(
        self, rest: JsonSchema, part: JsonSchema, depth: int
    ) -> Iterator[Branch | None]:
        inner = _name_of(part["$ref"]) if "$ref" in part else None
        flat = self.flat(part)
        kinds = types_of(flat)
        if kinds == ("null",) and types_of(rest) not in (None, ("null",)):
            return
        yield from self._branches(merge(flat, _without_annotations(rest)), inner, depth + 1)


def _is_write_only(expanded: Expanded) -> bool:
    return any(branch.schema.get("writeOnly") is True for branch in expanded.branches)


def _without_annotations(schema: JsonSchema) -> JsonSchema:
    dropped = ("description", "title", "example", "examples", "default", "x-discriminator")
    return {key: value for key, value in schema.items() if key not in dropped}


def _by_type(schema: JsonSchema, name: str | None) -> Iterator[Branch | None]:
    kinds = types_of(schema)
    values = schema.get("enum")
    if values is not None and None in values and (kinds is None or "null" in kinds):
        yield None
        schema = {**schema, "enum": [value for value in values if value is not None]}
        if not schema["enum"]:
            return
    if schema.get("const", ...) is None:
        yield None
        return
    if kinds is None:
        yield Branch(schema, name)
        return
    for kind in kinds:
        if kind == "null":
            yield None
        else:
            yield Branch(_of_type(schema, kind), name)


def _of_type(schema: JsonSchema, kind: str) -> JsonSchema:
    single = {**schema, "type": kind}
    if "enum" in single and len(types_of(schema) or ()) > 1:
        single["enum"] = [value for value in single["enum"] if _has_type(value, kind)]
    return single


def _has_type(value: object, kind: str) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in ("integer", "number"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    kinds: dict[str, type] = {"string": str, "object": dict, "array": list}
    return isinstance(value, kinds.get(kind, str))


def _is_array(schema: JsonSchema, kinds: tuple[str, ...] | None) -> bool:
    return "array" in kinds if kinds is not None else ("items" in schema or "prefixItems" in schema)


def _may_be_object(kinds: tuple[str, ...] | None, segment: str) -> bool:
    """Say whether a schema of list keywords alone leaves room for an object that has the segment."""
    return kinds is None and segment != "*" and not segment.isdigit()


def _into_array(schema: JsonSchema, segment: str) -> Step:
    items = schema.get("items", True)
    if segment == "*":
        if "prefixItems" in schema:
            return Step(None, False)
        return Step(items if is_object(items) and items else None, True, exists=items is not False)
    if not segment.isdigit():
        return Step(None, False, exists=False)
    first = schema.get("prefixItems", ())
    inner = first[int(segment)] if int(segment) < len(first) else items
    if inner is False:
        return Step(None, False, exists=False)
    required = int(segment) < schema.get("minItems", 0)
    return Step(inner if is_object(inner) and inner else None, required)


def _any_of(schemas: Iterable[JsonSchema]) -> JsonSchema:
    unique: list[JsonSchema] = []
    for schema in schemas:
        if schema not in unique:
            unique.append(schema)
    return unique[0] if len(unique) == 1 else {"anyOf": unique}


def _name_of(reference: str) -> str:
    return reference.removeprefix(_REF)
