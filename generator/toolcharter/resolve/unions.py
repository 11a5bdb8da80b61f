"""Inputs that are unions: told apart by a tag, or by their kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape

from .case import Case, Input
from .completeness import Source, check_object
from .findings import UncarriedError
from .merging import JsonSchema, types_of
from .objects import Grow, closed, members_of, renamed, source_of
from .residues import beside, joined
from .schemas import Branch
from .tags import Tagged, constants_of, tag_of
from .words import check_tag

__all__ = ["resolve_branches", "resolve_kinds"]


def resolve_branches(case: Case, grow: Grow, bare: Input, schema: JsonSchema | None) -> Input:
    """Return the input as one object per branch, closed, with the description's tag as a constant."""
    if schema is None:
        raise UncarriedError(
            "oneOf", "the description gives no union there", "list the places instead", "TC113"
        )
    tag, by_value = tag_of(case, case.api.reader.expand(schema), schema)
    check_tag(tag)
    branches: dict[str, tuple[Input, ...]] = {}
    tags: dict[str, JsonSchema] = {}
    shapes: list[JsonSchema] = []
    for value, inputs in (bare.spec.branches or {}).items():
        pointer = f"{bare.pointer}/branches/{escape(value)}"
        if value not in by_value:
            message = f"input `{bare.label}` has no branch with {tag} `{value}`"
            case.findings.error("TC110", message, pointer, nearest(value, by_value))
            continue
        told, node = by_value[value], by_value[value].schema
        _check_tag_value(case, told, tag, value)
        members = members_of(case, grow, inputs, node, bare, pointer)
        if any(one.name == tag for one in members):
            reason = f"the branch `{value}` lists its own tag `{tag}`"
            raise UncarriedError("discriminator", reason, "leave it out: it is a constant", "TC118")
        constant = Source((tag,), True, tag, pointer, True)
        check_object(case, node, [constant, *map(source_of, members)], pointer)
        rest = beside(case, node, renamed(members))
        tags[value] = _constant(told.constant)
        shape = closed({tag: tags[value]}, [tag], members)
        branches[value] = members
        shapes.append(joined(shape, rest))
    union: JsonSchema = shapes[0] if len(shapes) == 1 else {"oneOf": shapes}
    return replace(bare, schema=union, branches=branches, tag=tag, tags=tags)


def _constant(value: Any) -> JsonSchema:
    kind = (
        "string" if isinstance(value, str) else "boolean" if isinstance(value, bool) else "integer"
    )
    return {"type": kind, "const": value}


def _check_tag_value(case: Case, told: Tagged, tag: str, value: str) -> None:
    """Refuse a branch whose own schema does not accept the tag that the mapping gives it."""
    values = constants_of(case, told.schema, tag)
    if values and told.constant not in values:
        reason = f"the description's branch `{value}` does not accept `{value}` as its `{tag}`"
        raise UncarriedError("discriminator", reason, "take it with `kinds`", "TC115")


def resolve_kinds(case: Case, grow: Grow, bare: Input, schema: JsonSchema | None) -> Input:
    """Return the input as any of several shapes, one for each listed kind of value."""
    if schema is None:
        raise UncarriedError(
            "anyOf", "the description gives no union there", "say its type instead", "TC113"
        )
    expanded = case.api.reader.expand(schema)
    made: list[Input] = []
    for label, spec in (bare.spec.kinds or {}).items():
        pointer = f"{bare.pointer}/kinds/{escape(label)}"
        one = Input(label, {}, True, spec, pointer, label=f"{bare.label}({label})")
        try:
            branch = _kind(expanded.branches, label)
            text = branch.schema.get("description")
            made.append(grow(case, replace(one, text=text), branch.schema))
        except UncarriedError as error:
            case.findings.uncarried(error, f"input `{one.label}`", pointer)
    union: JsonSchema = {"anyOf": [one.schema for one in made]}
    return replace(bare, schema=made[0].schema if len(made) == 1 else union, kinds=tuple(made))


def _kind(branches: tuple[Branch, ...], label: str) -> Branch:
    """Return the branch of a label: a component, a type that only one has, or a number."""
    named = [b for b in branches if b.name == label]
    typed = [b for b in branches if types_of(b.schema) == (label,)]
    for found in (named, typed):
        if len(found) == 1:
            return found[0]
    if label.isascii() and label.isdigit() and 0 < int(label) <= len(branches):
        return branches[int(label) - 1]
    names = [b.name or "/".join(types_of(b.schema) or ("any",)) for b in branches]
    known = ", ".join(f"{index} ({name})" for index, name in enumerate(names[:24], 1))
    if named or typed:
        reason = f"`{label}` names {len(named) or len(typed)} kinds of value"
        raise UncarriedError("anyOf", reason, f"say its number: {known}", "TC113")
    reason = f"`{label}` names none of the kinds of value that stand there"
    raise UncarriedError("anyOf", reason, f"known: {known}", "TC110")
