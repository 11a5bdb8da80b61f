"""Scalar schemas in the forms that pydantic means the same by: types, bounds, patterns that its engines take, literals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .json_values import list_of
from .patterns import is_kept

__all__ = ["bounds_of", "merge_null", "scalar"]

_TYPED_FORMATS = frozenset({"date", "date-time", "uuid"})
_UNCOUNTED = 2**31
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def scalar(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scalar's definition; `{}` where nothing is known of the value."""
    if "const" in schema:
        return _listed([schema["const"]])
    if "enum" in schema:
        return _listed(list(schema["enum"]))
    kind = next(iter(list_of(schema.get("type"))), schema.get("type"))
    if kind == "string":
        return _string(schema)
    if kind in ("integer", "number"):
        bounds = {word: schema[word] for word in _BOUNDS if word in schema}
        if kind == "number":
            bounds.pop("multipleOf", None)  # binary remainders refuse 0.07 as a multiple of 0.01
        else:  # of an integer pydantic takes whole bounds alone
            bounds = {word: int(bound) for word, bound in bounds.items() if bound == int(bound)}
        return {"type": kind, **bounds, **_default(schema)}
    if kind in ("boolean", "null"):
        return {"type": kind, **(_default(schema) if kind == "boolean" else {})}
    return {}


def _string(schema: Mapping[str, Any]) -> dict[str, Any]:
    if schema.get("format") in _TYPED_FORMATS:
        return {
            "type": "string",
            "format": schema["format"],
        }  # pydantic takes no bound on these types
    kept = bounds_of(schema, "minLength", "maxLength")
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and is_kept(pattern):
        kept["pattern"] = pattern
    return {"type": "string", **kept, **_default(schema)}


def bounds_of(schema: Mapping[str, Any], *words: str) -> dict[str, Any]:
    """Return the bounds of a length that pydantic can count to; the frozen schema holds the others, too."""
    return {word: schema[word] for word in words if word in schema and schema[word] < _UNCOUNTED}


def _default(schema: Mapping[str, Any]) -> dict[str, Any]:
    value = schema.get("default")
    fits = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
    }
    return {"default": value} if fits.get(str(schema.get("type"))) else {}


def _listed(values: list[Any]) -> dict[str, Any]:
    """Return a literal; numbers with a fraction, lists and maps cannot be one and give their type."""
    values = [_whole(value) for value in values]
    if all(isinstance(value, bool) for value in values) and len(values) == 2:
        return {"type": "boolean"}
    literals = [value for value in values if isinstance(value, str | int)]
    others = [value for value in values if value is not None and not isinstance(value, str | int)]
    if others:
        numbers = all(isinstance(value, float) for value in others)
        branches: list[dict[str, Any]] = [{"type": "number"} if numbers else {}]
        union: dict[str, Any] = (
            {"anyOf": [{"enum": literals}, *branches]} if literals else branches[0]
        )
        return merge_null(union) if None in values else union
    if not literals:
        return {"type": "null"}
    kept: dict[str, Any] = {"enum": literals}
    return merge_null(kept) if None in values else kept


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def merge_null(shaped: dict[str, Any]) -> dict[str, Any]:
    """Return the definition that takes null as well."""
    if isinstance(shaped.get("type"), str) and "enum" not in shaped:
        return {**shaped, "type": [shaped["type"], "null"]}
    if "enum" in shaped:
        return {**shaped, "enum": [*shaped["enum"], None]}
    if not shaped:
        return {}
    if "anyOf" in shaped:
        return {**shaped, "anyOf": [*shaped["anyOf"], {"type": "null"}]}
    return {"anyOf": [shaped, {"type": "null"}]}
