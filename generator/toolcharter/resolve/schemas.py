"""Reads the schemas of a description: behind references, through `allOf` and unions, one step of a place at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolcharter.source import LOOSE_NULL, Description
from toolcharter_runtime.jsonvalue import is_object

from .covering import is_valid
from .definitions import with_definitions
from .findings import UncarriedError
from .kinds import of_type, says_more, types_of_values
from .merging import ANNOTATIONS, EmptyError, JsonSchema, Leftover, merge, types_of
from .sameness import same, values_of
from .scopes import settled, without_scope
from .shaping import either, is_never
from .steps import Step, into

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


class SchemaReader:
    """Follows the schemas of one description.

    Of an answer (`is_lenient`) null is read wherever its author wrote `nullable`, of a request only where OpenAPI gives
    that word force: beside a `type`, and in an `enum` that lists null.
    """

    def __init__(self, description: Description, *, is_lenient: bool = False) -> None:
        self._description = description
        self._is_lenient = is_lenient
        self._behind: dict[str, JsonSchema] = {}
        self._visits = 0

    def definition(self, name: str) -> JsonSchema:
        """Return the schema of a component."""
        return self._description.definition(name)

    def flat(self, schema: JsonSchema) -> JsonSchema:
        """Return the schema with no `$ref` at its top, and no `allOf` but of leftovers; raises `UncarriedError`."""
        try:
            return self._flat(schema, ())
        except RecursionError:
            reason = "references and `allOf` lead from one to the next too often"
            raise UncarriedError("$ref", reason, "let them name what they end in") from None

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
        steps = [into(branch.schema, segment) for branch in expanded.branches]
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
            either(found),
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
            merged = merge(without_scope(self.flat(part)), _without_annotations(rest))
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
        if values is not None and kinds is None and says_more(schema):
            kinds = types_of_values(values)
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
            single = of_type(schema, kind)
            if len(kinds) == 1 or values_of(single) != []:
                yield Branch(single, name)

    def _takes_null(self, schema: JsonSchema) -> bool:
        """Ask what looks at values of any type whether null is one of them."""
        if LOOSE_NULL in schema and not self._is_lenient:
            return False
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


def _is_write_only(expanded: Expanded) -> bool:
    return any(branch.schema.get("writeOnly") is True for branch in expanded.branches)


def _without_annotations(schema: JsonSchema) -> JsonSchema:
    dropped = ("description", "title", "example", "examples", "default", "x-discriminator")
    return {key: value for key, value in schema.items() if key not in dropped}


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
