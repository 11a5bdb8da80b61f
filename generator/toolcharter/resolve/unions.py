"""Inputs that are objects: a union told apart by its tag, and the items of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.schema import InputSpec
from toolcharter_runtime.jsonvalue import is_map
from toolcharter_runtime.language import tokens_of

from .case import Case, Input
from .ceilings import bounded
from .completeness import Source, check_object
from .findings import UncarriedError
from .leaves import only_branch, tighten, typed
from .merging import JsonSchema, has_bound, types_of
from .operations import clean_text
from .schemas import Branch, Expanded
from .words import check_name, check_tag

__all__ = ["resolve_branches", "resolve_each", "tag_of"]


def resolve_branches(case: Case, bare: Input, schema: JsonSchema | None) -> Input:
    """Return the input as one nested object per branch, closed, with the description's tag as a constant."""
    if schema is None:
        raise UncarriedError(
            "oneOf", "the description gives no union there", "list the places instead", "TC113"
        )
    expanded = case.api.reader.expand(schema)
    tag, by_value = tag_of(case, expanded, schema)
    check_tag(bare.name, tag)
    branches: dict[str, tuple[Input, ...]] = {}
    for value, inputs in (bare.spec.branches or {}).items():
        if value not in by_value:
            message = f"input `{bare.name}` has no branch with {tag} `{value}`"
            case.findings.error(
                "TC110",
                message,
                f"{bare.pointer}/branches/{escape(value)}",
                nearest(value, by_value),
            )
            continue
        pointer = f"{bare.pointer}/branches/{escape(value)}"
        branches[value] = _inner(case, inputs, by_value[value].schema, pointer)
        told = Source((tag,), True, tag, pointer, True)
        check_object(case, by_value[value].schema, [told, *map(_source, branches[value])])
    closed = [
        _object({tag: {"type": "string", "const": value}}, [tag], inputs)
        for value, inputs in branches.items()
    ]
    union: JsonSchema = closed[0] if len(closed) == 1 else {"oneOf": closed}
    text = bare.spec.description or clean_text(schema.get("description"))
    if text:
        union = {**union, "description": text}
    return replace(bare, schema=union, branches=branches, tag=tag)


def tag_of(case: Case, expanded: Expanded, schema: JsonSchema) -> tuple[str, dict[str, Branch]]:
    """Return the property that tells the branches apart, and the branch of each of its values."""
    stated = case.api.reader.flat(schema).get("x-discriminator")
    if is_map(stated) and "propertyName" in stated:
        found = _mapped(case, expanded, stated)
        if found:
            return str(stated["propertyName"]), found
    names: dict[str, None] = {}
    for branch in expanded.branches:
        names.update(dict.fromkeys(branch.schema.get("properties", {})))
    for name in names:
        by_value: dict[str, Branch] = {}
        for branch in expanded.branches:
            for value in _values(case, branch, name):
                by_value[value] = branch
        is_total = all(_values(case, branch, name) for branch in expanded.branches)
        if is_total and len(by_value) >= len(expanded.branches):
            return name, by_value
    raise UncarriedError(
        "oneOf", "no property tells the branches apart", "take one with `branch`", "TC301"
    )


def _mapped(case: Case, expanded: Expanded, stated: Mapping[str, Any]) -> dict[str, Branch]:
    by_name = {branch.name: branch for branch in expanded.branches if branch.name}
    mapping: Mapping[str, str] = stated.get("mapping") or {}
    found = {value: by_name[name] for value, name in mapping.items() if name in by_name}
    if found:
        return found
    tag = str(stated["propertyName"])
    for branch in expanded.branches:
        for value in _values(case, branch, tag) or ((branch.name,) if branch.name else ()):
            found[value] = branch
    return found


def _values(case: Case, branch: Branch, name: str) -> tuple[str, ...]:
    """Return the constants that a required property of a branch may have."""
    if name not in branch.schema.get("required", ()):
        return ()
    schema = case.api.reader.flat(branch.schema.get("properties", {}).get(name, {}))
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return tuple(value for value in values if isinstance(value, str))


def resolve_each(case: Case, bare: Input, schema: JsonSchema | None) -> Input:
    """Return the input as a list of closed objects."""
    if schema is None:
        raise UncarriedError(
            "items", "the description gives no list there", "list its places instead", "TC113"
        )
    branch = only_branch(case.api.reader.expand(schema), bare.spec.branch)
    if types_of(branch.schema) != ("array",) or not isinstance(branch.schema.get("items"), dict):
        raise UncarriedError("items", "no list of objects stands there", "remove `each`", "TC113")
    item = only_branch(case.api.reader.expand(branch.schema["items"]), None)
    inner = _inner(case, bare.spec.each or {}, item.schema, f"{bare.pointer}/each")
    check_object(case, item.schema, [*map(_source, inner)])
    bounds = {
        k: v for k, v in branch.schema.items() if k in ("minItems", "maxItems", "uniqueItems")
    }
    written = {k: v for k, v in bare.spec.schema_keywords().items() if k != "type"}
    array = {**tighten({"type": "array", **bounds}, written), "items": _object({}, [], inner)}
    if not has_bound(array, "maxItems") and case.api.charter.ceilings.array is not None:
        shallow = bounded(
            case,
            {"type": "array", "items": {"type": "boolean"}},
            f"input `{bare.name}`",
            bare.pointer,
        )
        array["maxItems"] = shallow["maxItems"]
    text = bare.spec.description or clean_text(branch.schema.get("description"))
    if text:
        array["description"] = text
    return replace(bare, schema=array, each=inner)


def _source(one: Input) -> Source:
    segments = tokens_of(one.spec.to) if one.spec.to is not None else (one.name,)
    return Source(segments, one.required, one.name, one.pointer, False)


def _inner(
    case: Case, inputs: Mapping[str, InputSpec], schema: JsonSchema, pointer: str
) -> tuple[Input, ...]:
    resolved: list[Input] = []
    for name, spec in inputs.items():
        here = f"{pointer}/{escape(name)}"
        try:
            resolved.append(_inner_input(case, name, spec, schema, here))
        except UncarriedError as error:
            case.findings.uncarried(error, f"input `{name}`", here)
    return tuple(resolved)


def _inner_input(case: Case, name: str, spec: InputSpec, schema: JsonSchema, pointer: str) -> Input:
    check_name(name)
    if spec.branches is not None or spec.each is not None:
        raise UncarriedError(
            "oneOf", "unions and lists of objects do not nest", "flatten it, one place an input"
        )
    tokens = tokens_of(spec.to) if spec.to is not None else (name,)
    step = case.api.reader.walk(schema, tokens)
    if not step.exists:
        raise UncarriedError(
            "properties",
            f"nothing stands at `/{'/'.join(tokens)}`",
            nearest(tokens[-1], step.known),
            "TC110",
        )
    if step.schema is None:
        value = typed(spec.schema_keywords())
    else:
        branch = only_branch(case.api.reader.expand(step.schema), spec.branch)
        value = tighten(case.api.leaves.carry(branch), spec.schema_keywords())
    value = bounded(case, value, f"input `{name}`", pointer)
    text = spec.description or clean_text((step.schema or {}).get("description"))
    if text:
        value = {**value, "description": text}
    required = step.required if spec.required is None else spec.required
    return Input(name, value, required, spec, pointer, is_typed=step.schema is None)


def _object(
    fixed: Mapping[str, JsonSchema], always: list[str], inputs: tuple[Input, ...]
) -> JsonSchema:
    properties = {**fixed, **{one.name: one.schema for one in inputs}}
    required = [*always, *(one.name for one in inputs if one.required)]
    closed: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, "required": required} if required else closed
