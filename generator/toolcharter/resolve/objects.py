"""Inputs that are objects: the members that are listed, and a map with keys of the model's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.schema import InputSpec
from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.language import tokens_of

from .case import Case, Input
from .ceilings import bounded_map
from .completeness import Source, check_object
from .findings import UncarriedError
from .leaves import only_branch, tighten
from .merging import JsonSchema, types_of
from .projecting import of_members
from .residues import BESIDE, beside, joined
from .words import check_member

__all__ = [
    "Grow",
    "closed",
    "map_words",
    "members_of",
    "renamed",
    "resolve_fields",
    "resolve_values",
    "source_of",
    "tokens",
]

Grow: TypeAlias = Callable[[Case, Input, JsonSchema | None], Input]
"""Resolves one node of the tree; handed down, for a node holds nodes of every kind."""

_COUNTS: Final = frozenset({"minProperties", "maxProperties"})


def resolve_fields(case: Case, grow: Grow, bare: Input, schema: JsonSchema | None) -> Input:
    """Return the input as one closed object; with `values` beside `fields` its other keys are a map."""
    spec, text = bare.spec, bare.text
    node, counts, rest = None, {}, None
    if schema is not None:
        node = _object_of(case, schema, spec.branch)
        text = text or node.get("description")
    members = members_of(
        case, grow, spec.fields or {}, node, bare, bare.members_at or f"{bare.pointer}/fields"
    )
    if node is not None:
        check_object(case, node, [source_of(one) for one in members], bare.pointer)
        counts = {k: v for k, v in node.items() if k in _COUNTS}
        rest = _together(case, members, node)
    shape = closed({}, [], members)
    if spec.values is None:
        if any(len(tokens(one)) > 1 for one in members) and counts:
            raise UncarriedError(
                next(iter(counts)),
                "it counts the properties of an object that is flattened here",
                "list the objects inside with `fields` of their own",
            )
        made = replace(bare, fields=members, text=text, is_typed=schema is None)
        return replace(made, schema=joined({**shape, **_tight(counts, spec)}, rest))
    values, words = _values(case, grow, bare, node)
    taken = {*(node or {}).get("properties", {})} | {tokens(one)[0] for one in members}
    words = _without(words, taken - {one.name for one in members})
    whole = {**shape, **words, **_tight(counts, spec)}
    whole = bounded_map(case, whole, f"input `{bare.label}`", bare.pointer)
    made = replace(bare, fields=members, values=values, text=text, is_typed=schema is None)
    return replace(made, schema=joined(whole, rest))


def resolve_values(case: Case, grow: Grow, bare: Input, schema: JsonSchema | None) -> Input:
    """Return the input as a map; properties that are described and not listed are closed off."""
    spec, text = bare.spec, bare.text
    node, rest = None, None
    counts: JsonSchema = {}
    if schema is not None:
        node = _object_of(case, schema, spec.branch)
        text = text or node.get("description")
        check_object(case, node, [], bare.pointer)
        counts = {k: v for k, v in node.items() if k in _COUNTS}
        rest = beside(case, {k: v for k, v in node.items() if k not in _OF_MAPS}, {})
    values, words = _values(case, grow, bare, node)
    words = _without(words, {*(node or {}).get("properties", {})})
    whole = {"type": "object", **words, **_tight(counts, spec)}
    whole = bounded_map(case, whole, f"input `{bare.label}`", bare.pointer)
    made = replace(bare, values=values, text=text, is_typed=schema is None)
    return replace(made, schema=joined(whole, rest))


_OF_MAPS: Final = frozenset({"patternProperties", "propertyNames"})


def map_words(spec: InputSpec, described: JsonSchema) -> JsonSchema:
    """Return how many entries a map has and what its keys are; raises `UncarriedError` for a value that is no map."""
    said = {
        "keys": spec.keys,
        "minProperties": spec.min_properties,
        "maxProperties": spec.max_properties,
    }
    written = [word for word, value in said.items() if value is not None]
    if not written:
        return {}
    if types_of(described) != ("object",):
        reason = f"`{written[0]}` says nothing about a value that is no map"
        raise UncarriedError(written[0], reason, "remove it", "TC115")
    counts = {k: v for k, v in described.items() if k in _COUNTS}
    keys = _keys(spec, described.get("propertyNames"))
    return {**_tight(counts, spec), **({"propertyNames": keys} if keys else {})}


def _values(
    case: Case, grow: Grow, bare: Input, node: JsonSchema | None
) -> tuple[Input, JsonSchema]:
    """Return what a map's values are, and the keywords that say it."""
    spec = bare.spec.values or InputSpec()
    one = Input("*", {}, True, spec, f"{bare.pointer}/values", label=f"{bare.label}.*")
    patterns: Mapping[str, Any] = (node or {}).get("patternProperties", {})
    further = (node or {}).get("additionalProperties", not patterns)
    if patterns:
        made = {pattern: grow(case, one, _open(inner)) for pattern, inner in patterns.items()}
        words: JsonSchema = {"patternProperties": {p: m.schema for p, m in made.items()}}
        values = next(iter(made.values()))
        words["additionalProperties"] = False
        if is_object(further) and further:
            words["additionalProperties"] = grow(case, one, further).schema
    elif further is False:
        reason = "the description allows no further properties there"
        raise UncarriedError("additionalProperties", reason, "list them with `fields`", "TC113")
    else:
        values = grow(case, one, _open(further))
        words = {"additionalProperties": values.schema}
    keys = _keys(bare.spec, (node or {}).get("propertyNames"))
    return values, {**words, "propertyNames": keys} if keys else words


def _open(schema: Any) -> JsonSchema | None:
    return schema if is_object(schema) and schema else None


def _keys(spec: InputSpec, described: Any) -> JsonSchema:
    said = spec.keys.model_dump(mode="json", by_alias=True, exclude_unset=True) if spec.keys else {}
    if not is_object(described) or not described:
        return dict(said)
    plain = {k: v for k, v in described.items() if k != "type"}
    if {"$ref", "allOf", "anyOf", "oneOf"} & plain.keys():
        return {"allOf": [described, said]} if said else plain
    return {k: v for k, v in tighten({"type": "string", **plain}, said).items() if k != "type"}


def _without(words: JsonSchema, taken: set[str]) -> JsonSchema:
    if not taken:
        return words
    banned: JsonSchema = {"not": {"enum": sorted(taken)}}
    return {**words, "propertyNames": {**words.get("propertyNames", {}), **banned}}


def _tight(counts: JsonSchema, spec: InputSpec) -> JsonSchema:
    tight = dict(counts)
    for word, value, choose in (
        ("minProperties", spec.min_properties, max),
        ("maxProperties", spec.max_properties, min),
    ):
        if value is None:
            continue
        if choose(tight.get(word, value), value) != value:
            reason = f"`{word}` is not tighter than the description's"
            raise UncarriedError(
                word, reason, "a keyword over a described place may only tighten it", "TC115"
            )
        tight[word] = value
    return tight


def _together(case: Case, members: tuple[Input, ...], node: JsonSchema) -> JsonSchema | None:
    """Return what the description says of the members together."""
    said = {key: node[key] for key in (*BESIDE, *_UNIONS) if key in node}
    if not said:
        return None
    if renamed(members) or _UNIONS & said.keys():
        if "patternProperties" in said:
            said["properties"] = {name: {} for name in node.get("properties", {})}
        return of_members(case.api.reader, members, said)
    return beside(case, said, {})


_UNIONS: Final = frozenset({"oneOf", "anyOf"})


def _object_of(case: Case, schema: JsonSchema, wanted: str | None) -> JsonSchema:
    """Return the one object that stands there; kinds that differ only in what they ask of its members are one."""
    expanded = case.api.reader.expand(schema)
    if wanted is None and len(expanded.branches) > 1:
        found = _one_object(case, schema, [branch.schema for branch in expanded.branches])
        if found is not None:
            return found
    branch = only_branch(expanded, wanted).schema
    kinds = types_of(branch)
    has_members = {"properties", "additionalProperties", "patternProperties"} & branch.keys()
    if kinds == ("object",) or (kinds is None and has_members):
        return branch
    raise UncarriedError("object", "no object stands there", "take the value as it is", "TC113")


def _one_object(case: Case, schema: JsonSchema, branches: list[JsonSchema]) -> JsonSchema | None:
    names = [list(branch.get("properties", {})) for branch in branches]
    if any(types_of(b) != ("object",) for b in branches) or any(
        set(n) != set(names[0]) for n in names
    ):
        return None
    steps = {name: case.api.reader.step(schema, name) for name in names[0]}
    flat = case.api.reader.flat(schema)
    return {
        "type": "object",
        "properties": {name: step.schema or {} for name, step in steps.items()},
        "required": [n for n in names[0] if all(n in b.get("required", ()) for b in branches)],
        **{key: flat[key] for key in (*BESIDE, *_UNIONS, *_COUNTS) if key in flat},
        **({"description": flat["description"]} if "description" in flat else {}),
    }


def members_of(
    case: Case,
    grow: Grow,
    inputs: Mapping[str, InputSpec],
    node: JsonSchema | None,
    owner: Input,
    at: str,
) -> tuple[Input, ...]:
    """Return the members of an object, in the order of the charter; what cannot be resolved is reported."""
    found: list[Input] = []
    for name, spec in inputs.items():
        bare = Input(name, {}, False, spec, f"{at}/{escape(name)}", label=f"{owner.label}.{name}")
        try:
            found.append(_member(case, grow, bare, node))
        except UncarriedError as error:
            case.findings.uncarried(error, f"input `{bare.label}`", bare.pointer)
    _check_apart(case, found)
    return tuple(found)


def _member(case: Case, grow: Grow, bare: Input, node: JsonSchema | None) -> Input:
    check_member(bare.name)
    spec = bare.spec
    if node is None:
        return replace(grow(case, bare, None), required=spec.required or False)
    path = tokens(bare)
    step = case.api.reader.walk(node, path)
    if not step.exists:
        reason = f"nothing stands at `/{'/'.join(path)}`"
        raise UncarriedError("properties", reason, nearest(path[-1], step.known), "TC110")
    required = step.required if spec.required is None else spec.required
    text = (step.schema or {}).get("description")
    near = (path[-1], step.known)
    return replace(grow(case, replace(bare, text=text, near=near), step.schema), required=required)


def tokens(one: Input) -> tuple[str, ...]:
    """Return the steps from an object to the place of its member."""
    return tokens_of(one.spec.to) if one.spec.to is not None else (one.name,)


def _check_apart(case: Case, members: list[Input]) -> None:
    for one in members:
        for other in members:
            if one is not other and tokens(other)[: len(tokens(one))] == tokens(one):
                message = f"input `{other.label}` stands inside the place of `{one.label}`"
                if members.index(one) < members.index(other) or tokens(one) != tokens(other):
                    case.findings.error("TC118", message, other.pointer, "leave one of the two")


def renamed(members: tuple[Input, ...]) -> dict[str, str]:
    """Return the properties that are inputs of another name, or of another depth."""
    return {tokens(one)[0]: one.name for one in members if tokens(one) != (one.name,)}


def source_of(one: Input) -> Source:
    """Return what a member fills."""
    is_whole = any(part is not None for part in (one.branches, one.kinds, one.fields, one.values))
    is_whole = is_whole or one.element is not None
    return Source(tokens(one), one.required, one.label, one.pointer, is_whole)


def closed(
    fixed: Mapping[str, JsonSchema], always: list[str], members: tuple[Input, ...]
) -> JsonSchema:
    """Return the schema of an object that has these members and no others."""
    properties = {**fixed, **{one.name: one.schema for one in members}}
    required = [*always, *(one.name for one in members if one.required)]
    shape: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, "required": required} if required else shape
