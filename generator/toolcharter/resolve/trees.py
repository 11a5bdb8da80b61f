"""Inputs as trees: every node of an input's spec, resolved against the schema that is described at its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolcharter.charter.schema import InputSpec
from toolcharter_runtime.jsonvalue import is_object

from .case import Case, Input
from .ceilings import bounded, bounded_list
from .findings import UncarriedError
from .laying import named_shapes, shape_of
from .leaves import nullable, only_branch, tighten, typed
from .merging import JsonSchema, types_of
from .objects import map_words, resolve_fields, resolve_values
from .operations import clean_text
from .overlaps import overlapping
from .projecting import of_members
from .residues import beside, joined
from .schemas import Branch
from .standalone import standalone
from .unions import resolve_branches, resolve_kinds

__all__ = ["resolve_tree"]

_SHAPES = ("branches", "kinds", "fields", "each", "element", "values")


def resolve_tree(case: Case, bare: Input, schema: JsonSchema | None) -> Input:
    """Return the input with its schema and what lies inside; raises `UncarriedError`.

    `schema` is None where the description gives no type.
    """
    schema = schema or None
    spec = bare.spec
    said = [key for key in _SHAPES if getattr(spec, key) is not None]
    if len(said) > 1 and set(said) != {"fields", "values"}:
        reason = f"`{said[0]}` and `{said[1]}` cannot both be said of one place"
        raise UncarriedError(said[1], reason, "keep the one that fits the description", "TC731")
    if said and "values" not in said:
        _refuse_map_words(spec, said[0])
    match said[:1]:
        case ["branches"]:
            made = resolve_branches(case, resolve_tree, bare, schema)
        case ["kinds"]:
            made = resolve_kinds(case, resolve_tree, bare, schema)
        case ["fields"]:
            made = resolve_fields(case, resolve_tree, bare, schema)
        case ["values"]:
            made = resolve_values(case, resolve_tree, bare, schema)
        case ["each" | "element"]:
            made = _list(case, bare, schema)
        case _:
            made = _leaf(case, bare, schema)
    if spec.nullable and schema is not None and not case.api.reader.expand(schema).nullable:
        reason = "the description does not allow null there"
        raise UncarriedError("nullable", reason, "remove `nullable`", "TC115")
    is_null = made.schema.get("type") == "null"
    finished = nullable(made.schema) if spec.nullable and not is_null else made.schema
    if schema is not None:
        finished = joined(finished, _union(case, made, schema))
    text = spec.description or clean_text(bare.text)
    if text:
        finished = {**finished, "description": text}
    return replace(made, schema=finished)


def _refuse_map_words(spec: InputSpec, said: str) -> None:
    """Refuse what is said of a map where none is."""
    counts = (spec.min_properties, spec.max_properties) if said != "fields" else (None, None)
    if spec.keys is not None or any(count is not None for count in counts):
        reason = f"`{said}` makes no map, so its keys and entries have no bounds"
        raise UncarriedError("keys", reason, "say them beside `values`", "TC115")


def _union(case: Case, made: Input, schema: JsonSchema) -> JsonSchema | None:
    """Return what the description says of the value and its shape does not: that it is of one branch only."""
    reader, members = case.api.reader, made.fields
    if members is not None and made.spec.branch is None and len(reader.expand(schema).branches) > 1:
        return None  # its kinds were taken as one object, with what they ask of its members
    union = overlapping(reader, schema, named_shapes(made))
    if union is None:
        return None
    if shape_of(made) is not None:
        if members is not None:
            return of_members(reader, members, union)
        reason = (
            "the branches share values, and members are named otherwise than the API names them"
        )
        raise UncarriedError("oneOf", reason, "name the members as the API does")
    return standalone(reader, union)


def _leaf(case: Case, bare: Input, schema: JsonSchema | None) -> Input:
    """Return a plain value: a scalar, or what is made of scalars alone."""
    written = bare.spec.schema_keywords()
    if schema is None:
        value = typed(written, *bare.near)
    else:
        carried = _carried(case, bare.spec, schema)
        value = tighten(carried, written)
        if _has_default(case, bare, schema, carried) and "default" not in value:
            value = tighten(value, {"default": schema["default"]})
    value = {**value, **map_words(bare.spec, value)}
    value = bounded(case, value, f"input `{bare.label}`", bare.pointer)
    return replace(bare, schema=value, is_typed=schema is None)


def _carried(case: Case, spec: InputSpec, schema: JsonSchema) -> JsonSchema:
    expanded, wanted = case.api.reader.expand(schema), spec.branch
    if not expanded.branches and expanded.nullable and spec.nullable:
        return {"type": "null"}
    if spec.type is not None and wanted is None:
        if len(expanded.branches) != 1:
            wanted = spec.type
        elif types_of(expanded.branches[0].schema) is None:
            return case.api.leaves.carry(_of_type(expanded.branches[0], spec.type))
    try:
        if wanted is not None or len(expanded.branches) < 2:
            return case.api.leaves.carry(only_branch(expanded, wanted))
        return case.api.leaves.carry_union(expanded)
    except UncarriedError as error:
        if error.keyword not in ("object", "additionalProperties"):
            raise
        is_open = error.keyword == "additionalProperties"
        hint = "list what may be sent with `fields`, each with its type, or say `values`"
        if not is_open:
            hint = f"{error.hint}, or all of them with `fields`"
        code = "TC104" if is_open else error.code
        raise UncarriedError(error.keyword, error.reason, hint, code) from None


def _of_type(branch: Branch, kind: str) -> Branch:
    """Return the values of one type that a branch accepts which names none."""
    return replace(branch, schema={**branch.schema, "type": kind})


def _has_default(case: Case, bare: Input, described: JsonSchema, carried: JsonSchema) -> bool:
    """Say whether the contract shows the description's own default; one that is no valid value is reported."""
    if bare.place is None or described.get("default") is None:
        return False
    try:
        tighten(carried, {"default": described["default"]})
    except UncarriedError:
        message = f"input `{bare.label}`: the description's default is not a valid value there"
        hint = "state a `default` that is, or leave it to the API"
        case.findings.warning("TC115", message, bare.pointer, hint)
        return False
    return True


def _list(case: Case, bare: Input, schema: JsonSchema | None) -> Input:
    """Return a list whose elements have a spec of their own; `each` says one of objects."""
    spec = bare.spec
    if spec.element is not None:
        inner, pointer = spec.element, f"{bare.pointer}/element"
    else:
        inner, pointer = InputSpec(fields=spec.each), bare.pointer
    bounds: JsonSchema = {}
    items: Any = None
    text = bare.text
    rest: JsonSchema | None = None
    if schema is not None:
        branch = only_branch(case.api.reader.expand(schema), spec.branch)
        items = _items(branch.schema, "each" if spec.each is not None else "element")
        bounds = {k: v for k, v in branch.schema.items() if k in _OF_LISTS}
        text = bare.text or branch.schema.get("description")
        rest = beside(case, branch.schema, {})
    one = Input("*", {}, True, inner, pointer, label=f"{bare.label}[]")
    if spec.element is None:
        one = replace(one, members_at=f"{bare.pointer}/each")
    element = resolve_tree(case, one, items)
    written = {k: v for k, v in spec.schema_keywords().items() if k in _OF_LISTS}
    array: JsonSchema = {
        **tighten({"type": "array", **bounds}, written),
        "items": element.schema,
    }
    array = bounded_list(case, array, f"input `{bare.label}`", bare.pointer)
    array = joined(array, rest)
    return replace(bare, schema=array, element=element, text=text, is_typed=schema is None)


_OF_LISTS = frozenset({"minItems", "maxItems", "uniqueItems"})


def _items(schema: Mapping[str, Any], said: str) -> JsonSchema | None:
    is_list = "array" in (types_of(dict(schema)) or (("array",) if "items" in schema else ()))
    if "prefixItems" in schema and is_list:
        reason = "its first elements have schemas of their own"
        raise UncarriedError("prefixItems", reason, f"remove `{said}`: it is taken as it is")
    items = schema.get("items")
    if not is_list or items is False:
        raise UncarriedError("items", "no list stands there", f"remove `{said}`", "TC113")
    return items if is_object(items) and items else None
