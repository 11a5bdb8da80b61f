"""That a place of the request has a form for every shape of what stands there: styles are for flat values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_list, is_map
from toolcharter_runtime.language import tokens_of

from .case import Case
from .entries import Entry

__all__ = ["check_writable"]

_JSON: Final = "json"
_DEEP: Final = "deepObject"


def check_writable(case: Case, entry: Entry) -> None:
    """Report an input of a shape that cannot be written where it stands."""
    if entry.one is None:
        return
    style, explode = _style_of(case, entry)
    if style is None or style == _JSON:
        return
    depth = 0 if style == "text" else 8 if style == _DEEP else 1
    schema = entry.one.schema
    nested = bool(entry.place.pointer) and entry.place.location != "body"
    kinds = schema.get("type")
    problem = next(_problems(schema, depth - nested, explode and style == "form"), None)
    if kinds == "null" or (is_list(kinds) and "null" in kinds):
        problem = "null"
    if problem is not None:
        message = (
            f"`{entry.place}` is written in the style {style}, which has no form for {problem}"
        )
        hint = "leave it out, or give what can be written a place of its own (`query.filter/name`)"
        case.findings.error("TC705", message, entry.pointer, hint)


def _style_of(case: Case, entry: Entry) -> tuple[str | None, bool]:
    """Return the style of a place (`json` for a document, `text` for a body of text) and whether it is exploded."""
    place = entry.place
    if place.location != "body":
        declared = case.parameter(place.location, place.name)
        if declared is None:
            return "form" if place.location in ("query", "cookie") else "simple", False
        return (_JSON, False) if declared.media is not None else (declared.style, declared.explode)
    if case.body is None or case.body.kind in ("json", "text"):
        return (None if case.body is None else case.body.kind), False
    tokens = tokens_of(place.pointer)
    encoding = case.operation.bodies[case.body.media].encodings.get(tokens[0]) if tokens else None
    if encoding is None or not encoding.styled:
        return _JSON, False
    return encoding.style, encoding.explode


def _problems(schema: Mapping[str, Any], depth: int, explode: bool) -> Iterator[str]:
    """Yield what cannot be written: what is nested too deep, and names that would be parameters of their own."""
    kinds = schema.get("type")
    named = [kinds] if isinstance(kinds, str) else kinds if is_list(kinds) else []
    for word in ("anyOf", "oneOf"):
        for branch in _maps(schema.get(word)):
            yield from _problems(branch, depth, explode)
    for kind, inner in (("array", [schema.get("items")]), ("object", _members(schema))):
        if kind not in named:
            continue
        if depth < 1:
            yield (
                "a list inside another value"
                if kind == "array"
                else "an object inside another value"
            )
        for one in _maps(inner):
            yield from _problems(one, depth - 1, False)
    if explode and "object" in named and schema.get("additionalProperties", False) is not False:
        yield "a map, whose keys would be parameters of their own"


def _members(schema: Mapping[str, Any]) -> list[Any]:
    members = schema.get("properties")
    return [*(members.values() if is_map(members) else ()), schema.get("additionalProperties")]


def _maps(values: Any) -> Iterator[Mapping[str, Any]]:
    yield from (value for value in values or () if is_map(value))
