"""Whether a value that the model gives may hold a character that means something where it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcharter.patterns import may_hold
from toolcharter_runtime.language import Place, Reference, parse_template, tokens_of

from .case import Case
from .merging import JsonSchema, types_of
from .values import Values

__all__ = ["check_query_language", "holds_slash"]

_QUERY_NAMES: Final = frozenset(
    {
        "$filter",
        "$query",
        "$search",
        "expression",
        "filter",
        "jql",
        "q",
        "query",
        "search",
        "sql",
        "where",
    }
)
_OPERATORS: Final = " \t\n\"'`:;,=<>!&|()[]{}*~^\\\\+%/"
_PLAIN_FORMATS: Final = frozenset({"date", "ipv4", "uuid"})


def check_query_language(
    case: Case, place: Place, value: Any, values: Values, pointer: str
) -> None:
    """Report a text composed at a query-language place of what could be an operator there (TC544)."""
    segments = tokens_of(place.pointer) if place.pointer else ()
    name = segments[-1] if segments else place.name
    if name.lower() not in _QUERY_NAMES or not isinstance(value, str):
        return
    parts = parse_template(value)
    if len(parts) < 2:
        return
    for reference in _inputs(parts):
        if _may_hold_any(values.of(reference), _OPERATORS):
            message = (
                f"`{place}` reads a query language, and `{{{reference}}}` may hold its operators"
            )
            hint = "bound the input by an enum or a pattern of letters, digits, _ and -"
            case.findings.error("TC544", message, pointer, hint)


def holds_slash(value: Any, values: Values, allowed: frozenset[str]) -> str | None:
    """Return an input of a path's template whose value may hold a slash of its own, or None; `allowed` may."""
    if not isinstance(value, str):
        return None
    for reference in _inputs(parse_template(value)):
        if reference.path[0] not in allowed and _may_hold_any(values.of(reference), "/"):
            return reference.path[0]
    return None


def _inputs(parts: tuple[str | Reference, ...]) -> Iterator[Reference]:
    for part in parts:
        if isinstance(part, Reference) and part.root is None:
            yield part


def _may_hold_any(schema: JsonSchema | None, characters: str) -> bool:
    if schema is None:
        return True
    for values in (schema.get("enum"), [schema["const"]] if "const" in schema else None):
        if values is not None:
            return any(character in str(value) for value in values for character in characters)
    if "string" not in (types_of(schema) or ("string",)):
        return False
    if schema.get("format") in _PLAIN_FORMATS:
        return False
    pattern = schema.get("pattern")
    return not isinstance(pattern, str) or may_hold(pattern, characters)
