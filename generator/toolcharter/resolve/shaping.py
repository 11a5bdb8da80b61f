"""Two schemas of objects, or of lists, as one: which schema each property and each element then has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.schemas import SchemaFault, compile_schema

from .findings import UncarriedError
from .sameness import distinct, same

__all__ = [
    "NEVER",
    "JsonSchema",
    "Leftover",
    "both",
    "either",
    "is_never",
    "matching",
    "merge_lists",
    "merge_objects",
]

JsonSchema: TypeAlias = dict[str, Any]

NEVER: Final[JsonSchema] = {"not": {}}
"""The schema of no value, as the first stage writes `false`."""


class Leftover(dict[str, Any]):
    """A schema that must hold beside another one, and that has no common form with it."""


def is_never(schema: Any) -> bool:
    """Say whether a schema says outright that no value is valid."""
    return schema is False or (is_object(schema) and schema.get("not") in ({}, True))


def both(left: Any, right: Any) -> Any:
    """Return the schema of what is valid under both of two inner schemas, which are not looked into."""
    if left is False or right is False:
        return False
    if left is True or right is True:
        return right if left is True else left
    if left == {} or right == {}:
        return left or right
    return left if same(left, right) else {"allOf": [left, right]}


def either(schemas: Iterable[JsonSchema]) -> JsonSchema:
    """Return the schema of what is valid under any of these, of which there is one or more."""
    unique = distinct(schemas)
    return unique[0] if len(unique) == 1 else {"anyOf": unique}


def matching(patterns: Iterable[str], name: str) -> list[str]:
    """Return the patterns that a property's name matches; raises `UncarriedError` for one that is none."""
    return [pattern for pattern in patterns if _matches(pattern, name)]


@lru_cache(maxsize=4096)
def _matches(pattern: str, name: str) -> bool:
    try:
        return compile_schema({"pattern": pattern}).is_valid(name)
    except SchemaFault:
        reason = "a pattern of property names is malformed and cannot be enforced"
        raise UncarriedError("patternProperties", reason, code="TC212") from None


def merge_objects(
    merged: JsonSchema, left: JsonSchema, right: JsonSchema, beside: list[JsonSchema]
) -> None:
    """Add the properties that both sides let an object have; what else must hold is added to `beside`."""
    keywords = ("properties", "patternProperties", "additionalProperties")
    for keyword in keywords:
        if keyword in left or keyword in right:
            merged[keyword] = {}
    sides = (left, right)
    patterns = _patterns(merged, left, right)
    further = both(*(side.get("additionalProperties", True) for side in sides))
    if "additionalProperties" in merged:
        merged["additionalProperties"] = further
    names = {**left.get("properties", {}), **right.get("properties", {})}
    for name in names:
        found = both(_seen(left, name), _seen(right, name))
        if found is False and further is False and not matching(patterns, name):
            continue
        merged["properties"][name] = dict(NEVER) if found is False else found
    for one, other in (sides, sides[::-1]):
        rest = one.get("additionalProperties", True)
        foreign = other.get("patternProperties", {}).keys() - one.get("patternProperties", {})
        if foreign and rest not in (True, {}):
            words = {word: dict.fromkeys(one.get(word, {}), True) for word in keywords[:2]}
            beside.append(Leftover({**words, "additionalProperties": rest}))


def _patterns(merged: JsonSchema, left: JsonSchema, right: JsonSchema) -> Mapping[str, Any]:
    first, second = left.get("patternProperties", {}), right.get("patternProperties", {})
    found = {
        **first,
        **{p: both(first[p], part) if p in first else part for p, part in second.items()},
    }
    if "patternProperties" in merged:
        merged["patternProperties"] = found
    return found


def _seen(side: JsonSchema, name: str) -> Any:
    """Return what one side says of a property by its name; what its patterns say stays with the patterns."""
    if name in side.get("properties", {}):
        return side["properties"][name]
    if matching(side.get("patternProperties", ()), name):
        return True
    return side.get("additionalProperties", True)


def merge_lists(merged: JsonSchema, left: JsonSchema, right: JsonSchema) -> None:
    """Add what both sides say of a list's elements."""
    first, second = left.get("prefixItems", ()), right.get("prefixItems", ())
    if first or second:
        merged["prefixItems"] = [
            both(_element(left, index), _element(right, index))
            for index in range(max(len(first), len(second)))
        ]
    if "items" in left or "items" in right:
        merged["items"] = both(left.get("items", True), right.get("items", True))


def _element(side: JsonSchema, index: int) -> Any:
    first = side.get("prefixItems", ())
    return first[index] if index < len(first) else side.get("items", True)
