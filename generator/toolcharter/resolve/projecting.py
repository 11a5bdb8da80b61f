"""What a description says of an object whose places are inputs of their own, as conditions on the arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, TypeAlias

from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.language import Scope, references, render, tokens_of

from .case import Case, Input
from .covering import covers, is_valid
from .findings import UncarriedError
from .hoisting import rooted
from .laying import relative, shape_of
from .logic import Verdict, all_of, any_of, none_of, one_of, schema_of
from .merging import ANNOTATIONS, JsonSchema, types_of
from .residues import BESIDE
from .sameness import same
from .schemas import SchemaReader
from .shaping import matching
from .standalone import standalone

__all__ = ["Flattened", "Spots", "flattened", "of_members"]

Tokens: TypeAlias = tuple[str, ...]
_COUNTS: Final = ("minProperties", "maxProperties")
_MOST: Final = 64
"""Ways to choose properties that are written out."""
_DEEPEST: Final = 32
"""Schemas of one object inside one another: some that contain themselves in place have no end."""
_SPENT: Final = frozenset({"additionalProperties", "patternProperties", "then", "else"})


@dataclass(frozen=True, slots=True)
class Spots:
    """Where values come from: inputs, constants, and what is composed."""

    inputs: Mapping[Tokens, Input]
    fixed: Mapping[Tokens, Any]
    made: Mapping[Tokens, bool]
    """Whether it has a value in every call."""

    def below(self, prefix: Tokens) -> tuple[str, ...]:
        """Return the names that may stand right below a place."""
        depth = len(prefix)
        places = (*self.inputs, *self.fixed, *self.made)
        inside = [at[depth] for at in places if len(at) > depth and at[:depth] == prefix]
        return tuple(dict.fromkeys(inside))

    def present(self, at: Tokens) -> Verdict:
        """Return when something stands at a place or below it."""
        if at in self.fixed:
            return True
        if at in self.made:
            return self.made[at] or _unknown("required", at)
        if at in self.inputs:
            one = self.inputs[at]
            return True if one.required else {"required": [one.name]}
        return any_of([self.present((*at, name)) for name in self.below(at)])


def flattened(case: Case) -> Iterator[JsonSchema]:
    """Yield what the body says of its properties together; raises `UncarriedError`."""
    if case.body is None:
        return
    spots = _spots_of(case)
    if () in spots.inputs or () in spots.fixed or () in spots.made or not spots.inputs:
        return
    flat = Flattened(case.api.reader, spots)
    found = all_of(list(flat.residue(case.body.schema, ())))
    if not case.body.required:
        found = _optional(case, flat, spots, found)
    if found is False:
        reason = "no arguments make a body that the description accepts"
        raise UncarriedError("anyOf", reason, "list what one of its branches requires", "TC120")
    if found is not True:
        yield schema_of(found)


def _optional(case: Case, flat: Flattened, spots: Spots, found: Verdict) -> Verdict:
    """Ask for what a body requires only where something is set that stands in it."""
    present = any_of([spots.present((name,)) for name in spots.below(())])
    if present is True or case.body is None:
        return found
    wanted = flat.required_of(case.body.schema)
    if wanted is True or wanted is False:
        return found
    case.is_body_optional = True
    return any_of([none_of([present]), all_of([found, wanted])])


def of_members(
    reader: SchemaReader, members: tuple[Input, ...], schema: JsonSchema
) -> JsonSchema | None:
    """Return what a schema says of an object's members together, by the names that they have as inputs."""
    flat = Flattened(reader, Spots({tokens_of(relative(one)): one for one in members}, {}, {}))
    found = flat.project(schema, ())
    if found is False:
        reason = "no members make an object that the description accepts"
        raise UncarriedError("anyOf", reason, "list what one of its branches requires", "TC120")
    return None if found is True else schema_of(found)


def _spots_of(case: Case) -> Spots:
    inputs = {
        tokens_of(one.place.pointer): one
        for one in case.inputs.values()
        if one.place is not None and one.place.location == "body"
    }
    fixed: dict[Tokens, Any] = {}
    made: dict[Tokens, bool] = {}
    sent: dict[str, Any] = {**case.api.charter.defaults.send, **case.spec.send}
    sent |= dict((case.spec.page.size or {}) if case.spec.page is not None else {})
    for text, value in sent.items():
        if not text.startswith(("/", "body")):
            continue
        at = tokens_of(text.removeprefix("body"))
        if at in inputs:
            continue
        names = [r.path[0] for r in references(value) if r.root is None]
        if any(True for _ in references(value)):
            made[at] = all(n in case.inputs and case.inputs[n].required for n in names)
        else:
            fixed[at] = render(value, Scope())
    return Spots(inputs, fixed, made)


def _unknown(keyword: str, at: Tokens) -> Verdict:
    place = "/" + "/".join(at)
    reason = f"`{keyword}` of the description depends on `{place}`, which is composed"
    raise UncarriedError(keyword, reason, "take the body as one input: `to: body`")


_Read: TypeAlias = Callable[[Any, Tokens, JsonSchema], Verdict]


class Flattened:
    """Reads the schemas of a body as conditions on the arguments."""

    def __init__(self, reader: SchemaReader, spots: Spots) -> None:
        self._reader = reader
        self._spots = spots
        reads: dict[str, _Read] = {
            "type": self._type,
            "required": self._required,
            "propertyNames": self._names,
            "minProperties": self._at_least,
            "maxProperties": self._at_most,
            "dependentRequired": self._needs,
            "dependentSchemas": self._needs,
            "allOf": self._all,
            "anyOf": self._any,
            "oneOf": self._one,
            "not": self._not,
            "if": self._if,
        }
        self._reads = reads
        self._depth = 0

    def residue(self, schema: JsonSchema, prefix: Tokens) -> Iterator[Verdict]:
        """Yield what the object at a place asks for beside what each of its properties does."""
        expanded = self._reader.expand(schema)
        objects = [
            b.schema for b in expanded.branches if "object" in (types_of(b.schema) or ("object",))
        ]
        if len(objects) == 1:
            node = objects[0]
            kept: JsonSchema = {k: node[k] for k in (*BESIDE, *_COUNTS) if k in node}
            if "patternProperties" in kept:
                kept["properties"] = {key: {} for key in node.get("properties", {})}
            yield self._when(prefix, self.project(kept, prefix))
            for name in self._spots.below(prefix):
                at = (*prefix, name)
                if self._spots.below(at):
                    inner = self._reader.step(node, name)
                    if inner.schema is not None:
                        yield from self.residue(inner.schema, at)
        elif objects:
            yield self._when(prefix, self.project(schema, prefix))

    def required_of(self, schema: JsonSchema) -> Verdict:
        """Return when the properties are set that an object of a schema always has."""
        expanded = self._reader.expand(schema)
        if len(expanded.branches) != 1:
            return True
        node = expanded.branches[0].schema
        return self._required(node.get("required", []), (), node)

    def _when(self, at: Tokens, verdict: Verdict) -> Verdict:
        if not at or verdict is True:
            return verdict
        return any_of([none_of([self._spots.present(at)]), verdict])

    def project(self, schema: Any, prefix: Tokens) -> Verdict:
        """Return when the object at a place is valid."""
        if schema is True or schema is False:
            return schema
        if self._depth > _DEEPEST:
            reason = "conditions nest too deeply, or contain themselves"
            raise UncarriedError("not", reason, "take the body as one input: `to: body`")
        self._depth += 1
        try:
            return self._verdict(self._reader.flat(schema), prefix)
        finally:
            self._depth -= 1

    def _verdict(self, flat: JsonSchema, prefix: Tokens) -> Verdict:
        found: list[Verdict] = []
        for keyword, value in flat.items():
            if keyword in ANNOTATIONS or keyword in _SPENT or keyword.startswith("x-"):
                continue
            read = self._reads.get(keyword)
            if read is None:
                if keyword in _ELSEWHERE:
                    continue
                _unsaid(keyword)
            else:
                found.append(read(value, prefix, flat))
        if flat.keys() & _OF_MEMBERS:
            found.append(self._members(flat, prefix))
        return all_of(found)

    def _type(self, value: Any, _prefix: Tokens, _flat: JsonSchema) -> Verdict:
        return "object" in (types_of({"type": value}) or ())

    def _required(self, names: list[str], prefix: Tokens, flat: JsonSchema) -> Verdict:
        return all_of([self._has(name, prefix, flat) for name in names])

    def _has(self, name: str, prefix: Tokens, flat: JsonSchema) -> Verdict:
        found = self._spots.present((*prefix, name))
        if found is False:
            described = flat.get("properties", {}).get(name)
            is_read_only = is_object(described) and self._reader.flat(described).get("readOnly")
            return bool(is_read_only)
        return found

    def _members(self, flat: JsonSchema, prefix: Tokens) -> Verdict:
        """Each name by its property, the patterns that it matches, or what further ones are."""
        found: list[Verdict] = []
        for name in self._spots.below(prefix):
            schemas = [flat["properties"][name]] if name in flat.get("properties", {}) else []
            patterns = flat.get("patternProperties", {})
            schemas += [patterns[pattern] for pattern in matching(patterns, name)]
            if not schemas and "additionalProperties" in flat:
                schemas.append(flat["additionalProperties"])
            found += [self._member(inner, (*prefix, name)) for inner in schemas]
        return all_of(found)

    def _member(self, schema: Any, at: Tokens) -> Verdict:
        if schema is True or schema == {}:
            return True
        if schema is False or schema == {"not": {}}:
            return none_of([self._spots.present(at)])
        if at in self._spots.fixed:
            return is_valid(standalone(self._reader, schema), self._spots.fixed[at])
        if at in self._spots.made:
            return _unknown("properties", at)
        one = self._spots.inputs.get(at)
        if one is None:
            return self._when(at, self.project(schema, at))
        alone = standalone(self._reader, schema)
        if covers(alone, rooted(one.schema)) or _same(self._reader.flat(schema), one):
            return True
        if shape_of(one) is not None:
            reason = f"branches of the description ask different things of input `{one.name}`, whose members have names of their own"
            raise UncarriedError("properties", reason, "name its members as the API does")
        return {"properties": {one.name: alone}}

    def _names(self, value: Any, prefix: Tokens, _flat: JsonSchema) -> Verdict:
        if not is_object(value):
            return value is True or not self._spots.below(prefix)
        alone = standalone(self._reader, value)
        bad = [n for n in self._spots.below(prefix) if not is_valid(alone, n)]
        return none_of([self._spots.present((*prefix, name)) for name in bad])

    def _at_least(self, value: int, prefix: Tokens, _flat: JsonSchema) -> Verdict:
        present = [self._spots.present((*prefix, name)) for name in self._spots.below(prefix)]
        return _count(int(value), present)

    def _at_most(self, value: int, prefix: Tokens, _flat: JsonSchema) -> Verdict:
        present = [self._spots.present((*prefix, name)) for name in self._spots.below(prefix)]
        return none_of([_count(int(value) + 1, present)])

    def _needs(self, value: Mapping[str, Any], prefix: Tokens, flat: JsonSchema) -> Verdict:
        found: list[Verdict] = []
        for name, wanted in value.items():
            absent = none_of([self._spots.present((*prefix, name))])
            then = (
                self.project(wanted, prefix)
                if not is_list(wanted)
                else self._required(wanted, prefix, flat)
            )
            found.append(any_of([absent, then]))
        return all_of(found)

    def _all(self, value: list[Any], prefix: Tokens, _flat: JsonSchema) -> Verdict:
        return all_of([self.project(part, prefix) for part in value])

    def _any(self, value: list[Any], prefix: Tokens, _flat: JsonSchema) -> Verdict:
        return any_of([self.project(part, prefix) for part in value])

    def _one(self, value: list[Any], prefix: Tokens, _flat: JsonSchema) -> Verdict:
        return one_of([self.project(part, prefix) for part in value])

    def _not(self, value: Any, prefix: Tokens, _flat: JsonSchema) -> Verdict:
        return none_of([self.project(value, prefix)])

    def _if(self, value: Any, prefix: Tokens, flat: JsonSchema) -> Verdict:
        condition = self.project(value, prefix)
        then = self.project(flat.get("then", True), prefix)
        other = self.project(flat.get("else", True), prefix)
        return all_of([any_of([none_of([condition]), then]), any_of([condition, other])])


def _same(flat: JsonSchema, one: Input) -> bool:
    """Say whether a branch asks no more than the input's own type and bounds."""
    plain = {k: v for k, v in flat.items() if k not in ANNOTATIONS and not k.startswith("x-")}
    return all(key in one.schema and same(one.schema[key], value) for key, value in plain.items())


def _count(count: int, present: list[Verdict]) -> Verdict:
    sure = sum(one is True for one in present)
    maybe = [one for one in present if one is not True and one is not False]
    lacking = count - sure
    if lacking <= 0:
        return True
    if lacking > len(maybe):
        return False
    ways = list(combinations(maybe, lacking)) if len(maybe) <= 12 else []
    if lacking > 1 and not 0 < len(ways) <= _MOST:
        _unsaid("minProperties")
    if lacking == 1:
        return any_of(maybe)
    return any_of([all_of(list(way)) for way in ways])


def _unsaid(keyword: str) -> Verdict:
    reason = f"`{keyword}` of the description is about the whole object, whose properties are inputs of their own"
    raise UncarriedError(
        keyword, reason, "take the object as one input: `to: body` with `fields` or `kinds`"
    )


_OF_MEMBERS: Final = frozenset({"properties", "patternProperties", "additionalProperties"})
_ELSEWHERE: Final = frozenset(
    {
        "contains", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxContains", "maxItems", "maxLength",
        "maximum", "minContains", "minItems", "minLength", "minimum", "multipleOf", "pattern", "prefixItems", "properties",
        "unevaluatedItems", "uniqueItems",
    }
)  # fmt: skip
"""Keywords that say nothing about an object, or are read with the others."""
