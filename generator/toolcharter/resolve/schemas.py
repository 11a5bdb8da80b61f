"""Reads the schemas of a description: behind references, through `allOf` and unions, one step of a place at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolcharter.source import Description
from toolcharter_runtime.jsonvalue import is_object

from .covering import is_valid
from .definitions import with_definitions
from .findings import UncarriedError
from .merging import ANNOTATIONS, EmptyError, JsonSchema, Leftover, merge, types_of
from .sameness import same, values_of
from .scopes import settled, without_scope
from .shaping import is_never, matching

__all__ = ["Branch", "Expanded", "SchemaReader", "Step"]

_REF = "#/$defs/"
_MAX_BRANCHES = 200
_MAX_VISITS = 4000
_UNIONS = ("oneOf", "anyOf")


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
    may_differ: bool = False
    """Another kind of value on the way does not describe the place and leaves it open."""


class SchemaReader:
    """Follows the schemas of one description."""

    def __init__(self, description: Description) -> None:
        self._description = description
        self._behind: dict[str, JsonSchema] = {}
        self._visits = 0

    def definition(self, name: str) -> JsonSchema:
        """Return the schema of a component."""
        return self._description.definition(name)

    def flat(self, schema: JsonSchema) -> JsonSchema:
        """Return the schema with no `$ref` at its top, and no `allOf` but of leftovers; raises `UncarriedError`."""
        return self._flat(schema, ())

    def expand(self, schema: JsonSchema, name: str | None = None) -> Expanded:
        """Return the branches of a schema, unions inside unions flattened; raises `UncarriedError`."""
        branches: list[Branch] = []
        nullable = False
        self._visits = 0
        for branch in self._branches(schema, name, 0):
            if branch is None:
                nullable = True
            elif not any(same(branch.schema, other.schema) for other in branches):
                branches.append(branch)
            if len(branches) > _MAX_BRANCHES:
                raise UncarriedError("anyOf", f"a union of more than {_MAX_BRANCHES} branches")
        if not branches and not nullable:
            raise EmptyError("anyOf", "no value is valid there")
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
                may_differ=step.may_differ or inner.may_differ,
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
        open_elsewhere = any(step.exists and step.schema is None for step in steps)
        return Step(
            _any_of(found),
            always,
            known=known,
            is_write_only=is_write_only,
            may_differ=open_elsewhere,
        )

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

    def _flat(self, schema: JsonSchema, seen: tuple[str, ...]) -> JsonSchema:
        parts: Sequence[Any] = schema.get("allOf", ())
        if "$ref" not in schema and all(isinstance(part, Leftover) for part in parts):
            return settled(schema)
        result: JsonSchema = {k: v for k, v in schema.items() if k not in ("$ref", "allOf")}
        kept = [part for part in parts if isinstance(part, Leftover)]
        if kept:
            result["allOf"] = kept
        if "$ref" in schema:
            name = _name_of(schema["$ref"])
            if name in seen:
                raise UncarriedError("$ref", f"`{name}` refers only to itself")
            if name not in self._behind:
                described = self._description.definition(name)
                self._behind[name] = self._inner(described, (*seen, name))
            behind = self._behind[name]
            result = merge(result, behind) if result else dict(behind)
        for part in parts:
            if part is False:
                raise EmptyError("allOf", "no value is valid there")
            if part is not True and not isinstance(part, Leftover):
                result = merge(result, self._inner(part, seen))
        return settled(result)

    def _inner(self, schema: JsonSchema, seen: tuple[str, ...]) -> JsonSchema:
        """Return a flat schema that may become part of another: nothing in it looks at its neighbours."""
        return without_scope(self._flat(schema, seen))

    def _branches(
        self, schema: JsonSchema, name: str | None, depth: int
    ) -> Iterator[Branch | None]:
        if depth > 16:
            raise UncarriedError("anyOf", "unions nest more than 16 levels deep")
        name = _name_in(schema) or name
        flat = _with_union_on_top(self.flat(schema))
        for keyword in _UNIONS:
            if keyword in flat:
                rest = {key: value for key, value in flat.items() if key != keyword}
                for part in flat[keyword]:
                    yield from self._union_branch(rest, part, depth)
                return
        yield from self._by_type(without_scope(flat), name)

    def _union_branch(
        self, rest: JsonSchema, part: JsonSchema | bool, depth: int
    ) -> Iterator[Branch | None]:
        self._visits += 1
        if self._visits > _MAX_VISITS:
            raise UncarriedError("anyOf", "unions nest in too many ways")
        if is_never(part):
            return
        part = {} if isinstance(part, bool) else part
        inner = _name_in(part)
        try:
            merged = merge(self._inner(part, ()), _without_annotations(rest))
            yield from self._branches(merged, inner, depth + 1)
        except EmptyError:
            return

    def _by_type(self, schema: JsonSchema, name: str | None) -> Iterator[Branch | None]:
        """Yield a branch for each type, without null; None where null is valid."""
        if is_never(schema):
            raise EmptyError("not", "no value is valid there")
        kinds, values = types_of(schema), values_of(schema)
        if values == []:
            raise EmptyError("enum", "no value is listed there")
        if "const" in schema:
            schema = {key: value for key, value in schema.items() if key != "enum"}
        if values is not None and kinds is None and _says_more(schema):
            kinds = _types_of_values(values)
        may_be_null = "null" in (kinds or ()) if values is None else None in values
        if may_be_null and "null" in (kinds or ("null",)) and self._takes_null(schema):
            yield None
        if values is not None and None in values:
            schema = {key: value for key, value in schema.items() if key != "const"}
            schema["enum"] = [value for value in values if value is not None]
            if not schema["enum"]:
                return
        if kinds is None:
            yield Branch(schema, name)
            return
        for kind in kinds:
            if kind == "null" or (kind == "integer" and "number" in kinds):
                continue
            single = _of_type(schema, kind)
            if len(kinds) == 1 or values_of(single) != []:
                yield Branch(single, name)

    def _takes_null(self, schema: JsonSchema) -> bool:
        """Ask what looks at values of any type whether null is one of them."""
        words = ("not", "if", "then", "else", "allOf")
        asked = {key: schema[key] for key in words if key in schema}
        return not asked or is_valid(with_definitions(asked, self.definition), None)


def _with_union_on_top(flat: JsonSchema) -> JsonSchema:
    """Return the schema with a union at its top, if one is among its leftovers."""
    if any(keyword in flat for keyword in _UNIONS):
        return flat
    for part in flat.get("allOf", ()):
        if any(part.keys() == {keyword} for keyword in _UNIONS):
            others = [other for other in flat["allOf"] if other is not part]
            top = {**flat, **part, "allOf": others}
            return top if others else {k: v for k, v in top.items() if k != "allOf"}
    return flat


def _types_of_values(values: Sequence[Any]) -> tuple[str, ...]:
    kinds = ("null", "boolean", "integer", "number", "string", "array", "object")
    found = [kind for kind in kinds if any(_has_type(value, kind) for value in values)]
    has_fractions = any(_has_type(v, "number") and not _has_type(v, "integer") for v in values)
    return tuple(kind for kind in found if kind != ("integer" if has_fractions else "number"))


def _says_more(schema: JsonSchema) -> bool:
    """Say whether keywords beside the listed values may refuse some of them."""
    silent = ANNOTATIONS | {"const", "enum", "type"}
    return any(key not in silent and not key.startswith("x-") for key in schema)


def _is_write_only(expanded: Expanded) -> bool:
    return any(branch.schema.get("writeOnly") is True for branch in expanded.branches)


def _without_annotations(schema: JsonSchema) -> JsonSchema:
    dropped = ("description", "title", "example", "examples", "default", "x-discriminator")
    return {key: value for key, value in schema.items() if key not in dropped}


def _of_type(schema: JsonSchema, kind: str) -> JsonSchema:
    single = {**schema, "type": kind}
    values = values_of(schema)
    if values is not None and len(types_of(schema) or ()) != 1:
        single["enum"] = [value for value in values if _has_type(value, kind)]
        if "const" in single and single["enum"]:
            del single["enum"]
    return single


def _has_type(value: object, kind: str) -> bool:
    if value is None or isinstance(value, bool):
        return kind == ("null" if value is None else "boolean")
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if kind == "number":
        return isinstance(value, int | float)
    kinds: dict[str, type] = {"string": str, "object": dict, "array": list}
    return kind in kinds and isinstance(value, kinds[kind])


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
        if not any(same(schema, other) for other in unique):
            unique.append(schema)
    return unique[0] if len(unique) == 1 else {"anyOf": unique}


def _name_in(schema: JsonSchema) -> str | None:
    """Return the component that a schema is: it refers to it, itself or as the one part of its `allOf`."""
    parts = schema.get("allOf", ())
    if "$ref" not in schema and len(parts) == 1 and is_object(parts[0]):
        silent = ANNOTATIONS | {"allOf"}
        is_alone = all(key in silent or key.startswith("x-") for key in schema)
        return _name_in(parts[0]) if is_alone else None
    return _name_of(schema["$ref"]) if "$ref" in schema else None


def _name_of(reference: str) -> str:
    return reference.removeprefix(_REF)
