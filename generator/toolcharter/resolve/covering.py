"""Whether one schema covers another, and whether a value is valid: the one door to jsonschema-rs in this stage.

The oracle is experimental: what it does not know, or fails on, is not proved.
"""

from __future__ import annotations

from typing import Any

import jsonschema_rs

from toolcharter_runtime.jsonvalue import is_list
from toolcharter_runtime.schemas import SchemaFault, compile_schema

from .asserted import asserted
from .merging import JsonSchema
from .regular import includes, lengths
from .sameness import same

__all__ = ["compiles", "covers", "is_valid"]

_INDEPENDENT = frozenset({"format", "multipleOf", "pattern"})
"""Keywords that need no proof where both schemas say the same; the oracle knows little of them."""


def covers(outer: JsonSchema, inner: JsonSchema) -> bool:
    """Say whether every value of `inner` is proved to be one of `outer`."""
    if same(outer, inner) or not outer:
        return True
    values = _finite(inner)
    if values is not None:
        return all(is_valid(outer, value) for value in values)
    outer, inner = _without_patterns(outer, inner)
    questions = {k: v for k, v in outer.items() if k not in _INDEPENDENT or inner.get(k, ...) != v}
    try:
        wide, narrow = (
            jsonschema_rs.canonicalize(asserted(side), validate_formats=True)
            for side in (questions, inner)
        )
        answer = wide.covers(narrow)
    except (ValueError, RecursionError):
        return False
    return str(answer) == "yes"


def _without_patterns(outer: JsonSchema, inner: JsonSchema) -> tuple[JsonSchema, JsonSchema]:
    """Answer what a pattern asks by automaton, and tell the oracle how long the strings of a pattern are."""
    pattern = inner.get("pattern")
    if not isinstance(pattern, str) or inner.get("type") != "string":
        return outer, inner
    wanted = outer.get("pattern")
    if isinstance(wanted, str) and (wanted == pattern or includes(wanted, pattern)):
        outer = {k: v for k, v in outer.items() if k != "pattern"}
    bounds = lengths(pattern)
    if bounds is not None:
        inner = {**inner, "minLength": max(bounds[0], inner.get("minLength", 0))}
        if bounds[1] is not None:
            inner["maxLength"] = min(bounds[1], inner.get("maxLength", bounds[1]))
    return outer, inner


def is_valid(schema: JsonSchema, value: Any) -> bool:
    """Say whether a value is valid, formats asserted; false for a schema that does not compile."""
    try:
        return compile_schema(schema).is_valid(value)
    except SchemaFault:
        return False


def compiles(schema: JsonSchema) -> str | None:
    """Return why a schema cannot be enforced (a pattern that is no ECMA-262), or None if it can."""
    try:
        compile_schema(schema)
    except SchemaFault as error:
        return str(error)
    return None


def _finite(schema: JsonSchema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if is_list(values) else None
