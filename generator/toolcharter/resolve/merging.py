"""Two schemas that both hold, as one.

What has no common form (two patterns, two conditions) stays beside it, in `allOf`, as a `Leftover`: nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, Final, TypeAlias

from toolcharter_runtime.schemas import NUMBER_FORMATS

from .findings import UncarriedError
from .sameness import distinct, same, values_of
from .shaping import JsonSchema, Leftover, both, merge_lists, merge_objects

__all__ = ["ANNOTATIONS", "EmptyError", "JsonSchema", "Leftover", "has_bound", "merge", "types_of"]

_Combine: TypeAlias = Callable[[Any, Any], Any]

ANNOTATIONS: Final = frozenset(
    {
        "$comment", "$id", "$schema", "$anchor", "default", "deprecated", "description", "discriminator", "example",
        "examples", "externalDocs", "readOnly", "title", "writeOnly", "xml",
    }
)  # fmt: skip
"""Keywords that accept every value; of two the first is kept."""
_SAYINGS: Final = ANNOTATIONS | {"contentEncoding", "contentMediaType", "contentSchema"}
_FLAGS: Final = frozenset({"deprecated", "readOnly", "writeOnly"})
_GROUPS: Final = (("if", "then", "else"), ("contains", "minContains", "maxContains"))
"""Keywords that mean something together: the first one, without which the others say nothing, leads."""
_SHAPED: Final = frozenset(
    {"additionalProperties", "allOf", "const", "enum", "items", "patternProperties", "prefixItems", "properties"}
    | {keyword for group in _GROUPS for keyword in group}
)  # fmt: skip

_MOST: Final = 2**20
"""Bytes that the arguments of a call may have (C1): a length above it bounds nothing."""


class EmptyError(UncarriedError):
    """No value is valid."""

    def __init__(self, keyword: str, reason: str) -> None:
        super().__init__(keyword, reason, code="TC115")


def has_bound(schema: Mapping[str, Any], word: str) -> bool:
    """Say whether a schema has `maxLength` or `maxItems`, and one that a call could reach."""
    return word in schema and schema[word] <= _MOST


def types_of(schema: JsonSchema) -> tuple[str, ...] | None:
    """Return the types that a schema names, or None if it names none."""
    kind = schema.get("type")
    if kind is None:
        return None
    return (kind,) if isinstance(kind, str) else tuple(kind)


def merge(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    """Return one schema that accepts what both accept; neither has `$ref` at its top, nor `allOf` but of leftovers.

    Raises `EmptyError` where no value can be valid.
    """
    merged: JsonSchema = {}
    beside = [*left.get("allOf", ()), *right.get("allOf", ())]
    for keyword in [*left, *(keyword for keyword in right if keyword not in left)]:
        if keyword in _SHAPED:
            continue
        one, other = left.get(keyword, ...), right.get(keyword, ...)
        if one is ... or other is ... or same(one, other):
            merged[keyword] = other if one is ... else one
        elif keyword in _FLAGS:
            merged[keyword] = bool(one or other)
        else:
            merged[keyword] = one
            if keyword in _COMBINED:
                merged[keyword] = _COMBINED[keyword](one, other)
            elif keyword not in _SAYINGS and not keyword.startswith("x-"):
                _keep_both(merged, keyword, one, other, beside)
    for group in _GROUPS:
        _merge_group(merged, group, left, right, beside)
    _merge_values(merged, left, right)
    merge_objects(merged, left, right, beside)
    merge_lists(merged, left, right)
    unique = distinct(beside)
    return {**merged, "allOf": unique} if unique else merged


def _keep_both(
    merged: JsonSchema, keyword: str, one: Any, other: Any, beside: list[JsonSchema]
) -> None:
    if keyword == "multipleOf":
        first, second = Fraction(str(one)), Fraction(str(other))
        if (first / second).denominator == 1:
            return
        if (second / first).denominator == 1:
            merged[keyword] = other
            return
        if first.denominator == second.denominator == 1:
            merged[keyword] = lcm(int(first), int(second))
            return
    if keyword == "format" and one in NUMBER_FORMATS and other in NUMBER_FORMATS:
        (low, high), (least, most) = NUMBER_FORMATS[one], NUMBER_FORMATS[other]
        if low <= least and most <= high:
            merged[keyword] = other
            return
        if least <= low and high <= most:
            return
    beside.append(Leftover({keyword: other}))


def _merge_group(
    merged: JsonSchema,
    group: tuple[str, ...],
    left: JsonSchema,
    right: JsonSchema,
    beside: list[JsonSchema],
) -> None:
    found = [
        {key: side[key] for key in group if key in side}
        for side in (left, right)
        if group[0] in side
    ]
    if found:
        merged.update(found[0])
    if len(found) > 1 and not same(found[0], found[1]):
        beside.append(Leftover(found[1]))


def _merge_values(merged: JsonSchema, left: JsonSchema, right: JsonSchema) -> None:
    """Keep the listed values that both list; a constant is a list of one."""
    one, other = values_of(left), values_of(right)
    if one is None or other is None:
        merged.update({k: s[k] for s in (left, right) for k in ("const", "enum") if k in s})
        return
    kept = [value for value in one if any(same(value, another) for another in other)]
    if not kept:
        raise EmptyError("enum", "`allOf` gives two enums without a common value")
    if "const" in left or "const" in right:
        merged["const"] = kept[0]
    else:
        merged["enum"] = kept


def _types(left: Any, right: Any) -> Any:
    first, second = types_of({"type": left}) or (), types_of({"type": right}) or ()
    kept = [kind for kind in first if kind in second or (kind == "integer" and "number" in second)]
    kept += [
        kind for kind in second if kind == "integer" and "number" in first and kind not in kept
    ]
    if not kept:
        raise EmptyError("type", "`allOf` gives two types that no value has")
    return kept[0] if len(kept) == 1 else kept


def _maps(left: Any, right: Any) -> Any:
    return {
        **left,
        **{name: both(left[name], part) if name in left else part for name, part in right.items()},
    }


def _united(left: Any, right: Any) -> list[str]:
    return [*left, *(name for name in right if name not in left)]


_COMBINED: Final[dict[str, _Combine]] = {
    "type": _types,
    "required": _united,
    "dependentRequired": lambda a, b: {
        name: _united(a.get(name, ()), b.get(name, ())) for name in _united(a, b)
    },
    "dependentSchemas": _maps,
    "propertyNames": both,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "minimum": max,
    "exclusiveMinimum": max,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
    "maximum": min,
    "exclusiveMaximum": min,
    "uniqueItems": lambda a, b: bool(a or b),
}
