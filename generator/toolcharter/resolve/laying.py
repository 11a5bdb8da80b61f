"""How the value of an input is laid into the request where its members are not named as the API names them."""

from __future__ import annotations

from collections.abc import Iterable

from toolcharter_runtime.frozen import KindShape, Shape
from toolcharter_runtime.language import pointer_of, tokens_of

from .case import Input
from .hoisting import rooted
from .merging import JsonSchema
from .words import is_word

__all__ = ["is_plain_list", "is_plain_union", "named_shapes", "relative", "shape_of"]


def relative(one: Input) -> str:
    """Return the pointer of a member's place below its object."""
    return one.spec.to if one.spec.to is not None else pointer_of(one.name)


def is_plain_list(one: Input) -> bool:
    """Say whether an input is a list of objects of plain values, which a binding of each element lays."""
    if one.spec.each is None or one.element is None or one.spec.nullable:
        return False
    return all(_is_named(inner) and inner.is_leaf for inner in one.element.fields or ())


def is_plain_union(one: Input) -> bool:
    """Say whether an input is a union of objects of plain values, which a binding of each member lays."""
    if one.tag is None or one.spec.nullable or not is_word(one.name, one.tag):
        return False
    members = [inner for branch in (one.branches or {}).values() for inner in branch]
    places: dict[str, set[str]] = {}
    for inner in members:
        places.setdefault(inner.name, set()).add(relative(inner))
    is_single = all(len(found) == 1 for found in places.values())
    return is_single and all(_is_named(i, one.name) and i.is_leaf for i in members)


def _is_named(inner: Input, owner: str = "x") -> bool:
    return is_word(owner, inner.name) and is_word(inner.name, "x")


def shape_of(one: Input) -> Shape | None:
    """Return how the value is laid; None where it is sent as it is."""
    if one.fields is not None:
        return _of_members(one.fields, one.values)
    if one.values is not None:
        inner = shape_of(one.values)
        return None if inner is None else Shape(values=inner)
    if one.element is not None:
        inner = shape_of(one.element)
        return None if inner is None else Shape(element=inner)
    if one.tag is not None:
        made = {value: _of_members(members) for value, members in (one.branches or {}).items()}
        branches = {value: shape for value, shape in made.items() if shape is not None}
        return Shape(tag=one.tag, branches=branches) if branches else None
    if one.kinds is not None:
        kinds = [(rooted(kind.schema), shape_of(kind)) for kind in one.kinds]
        if all(shape is None for _, shape in kinds):
            return None
        return Shape(kinds=tuple(KindShape(accepts=s, shape=shape) for s, shape in kinds))
    return None


def _of_members(members: Iterable[Input], values: Input | None = None) -> Shape | None:
    at = {one.name: relative(one) for one in members if relative(one) != pointer_of(one.name)}
    made = {one.name: shape_of(one) for one in members}
    inside = {name: shape for name, shape in made.items() if shape is not None}
    further = None if values is None else shape_of(values)
    if not at and not inside and further is None:
        return None
    return Shape(at=at, inside=inside, values=further)


def named_shapes(one: Input) -> list[JsonSchema]:
    """Return what an input lets in, kind by kind, as the API names it and no deeper than its members."""
    if one.kinds is not None:
        return [shape for kind in one.kinds for shape in named_shapes(kind)]
    if one.tag is not None:
        branches = (one.branches or {}).items()
        return [_named(members, {one.tag: one.tags[value]}) for value, members in branches]
    if one.fields is not None:
        shape = _named(one.fields, {})
        return [shape if one.values is None else {**shape, "additionalProperties": True}]
    return list(one.schema.get("anyOf", [one.schema]))


def _named(members: Iterable[Input], fixed: JsonSchema) -> JsonSchema:
    properties: JsonSchema = dict(fixed)
    required = [*fixed]
    for one in members:
        first, *rest = tokens_of(relative(one))
        properties[first] = {"type": "object"} if rest else one.schema
        required += [first] if one.required else []
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
