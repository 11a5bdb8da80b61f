"""Bounds of last resort: the charter's ceilings, where neither description nor charter bounds a value."""

from __future__ import annotations

from typing import Final

from toolcharter.patterns import is_finite
from toolcharter_runtime.jsonvalue import is_object

from .case import Case
from .leaves import is_bounded
from .merging import JsonSchema, has_bound, types_of

__all__ = ["bounded", "bounded_list", "bounded_map"]

_INSIDE: Final = {"an element of ": "items", "a value of ": "values"}
"""What is inside another value, and where a charter bounds it."""


def bounded(case: Case, schema: JsonSchema, what: str, pointer: str) -> JsonSchema:
    """Return the schema with the ceilings where it has no bound; each use is a warning (TC222)."""
    if "anyOf" in schema:
        branches = [bounded(case, branch, what, pointer) for branch in schema["anyOf"]]
        return {**schema, "anyOf": branches}
    kinds = types_of(schema) or ()
    if "string" in kinds:
        return _bounded_text(case, schema, what, pointer)
    if "array" in kinds:
        inner = f"an element of {what}"
        if "prefixItems" in schema:
            first = [bounded(case, item, inner, pointer) for item in schema["prefixItems"]]
            schema = {**schema, "prefixItems": first}
        if schema["items"] is not False:
            schema = {**schema, "items": bounded(case, schema["items"], inner, pointer)}
        elif len(schema.get("prefixItems", ())) > 0:
            return schema
        return bounded_list(case, schema, what, pointer)
    if "object" in kinds:
        inner = f"a value of {what}"
        if is_object(schema.get("additionalProperties")):
            values = bounded(case, schema["additionalProperties"], inner, pointer)
            schema = {**schema, "additionalProperties": values}
        if "patternProperties" in schema:
            patterns = {
                pattern: bounded(case, value, inner, pointer)
                for pattern, value in schema["patternProperties"].items()
            }
            schema = {**schema, "patternProperties": patterns}
        return bounded_map(case, schema, what, pointer)
    return schema


def bounded_list(case: Case, schema: JsonSchema, what: str, pointer: str) -> JsonSchema:
    """Return a list's schema with the ceiling on its length; its elements have theirs."""
    ceiling = case.api.charter.ceilings.array
    if has_bound(schema, "maxItems") or ceiling is None:
        return schema
    _warn(case, what, pointer, f"{ceiling} elements", "maxItems")
    return {**schema, "maxItems": max(ceiling, schema.get("minItems", 0))}


def bounded_map(case: Case, schema: JsonSchema, what: str, pointer: str) -> JsonSchema:
    """Return a map's schema with the ceilings on its entries and on the length of its keys."""
    ceilings = case.api.charter.ceilings
    if not has_bound(schema, "maxProperties") and ceilings.array is not None:
        _warn(case, what, pointer, f"{ceilings.array} entries", "maxProperties")
        most = max(ceilings.array, schema.get("minProperties", 0))
        schema = {**schema, "maxProperties": most}
    keys = schema.get("propertyNames", {})
    if ceilings.string is None or is_bounded(keys) or is_finite(str(keys.get("pattern", ""))):
        return schema
    _warn(case, what, pointer, f"{ceilings.string} characters a key", "keys: {maxLength")
    return {**schema, "propertyNames": {**keys, "maxLength": ceilings.string}}


def _bounded_text(case: Case, schema: JsonSchema, what: str, pointer: str) -> JsonSchema:
    ceiling = case.api.charter.ceilings.string
    if is_bounded(schema) or is_finite(str(schema.get("pattern", ""))) or ceiling is None:
        return schema
    _warn(case, what, pointer, f"{ceiling} characters", "maxLength")
    return {**schema, "maxLength": max(ceiling, schema.get("minLength", 0))}


def _warn(case: Case, what: str, pointer: str, bound: str, keyword: str) -> None:
    message = f"{what} has no bound of its own; the ceiling of {bound} holds"
    stated, whole = f"{keyword}: …", what
    stated += "}" * stated.count("{")
    while words := next((words for words in _INSIDE if whole.startswith(words)), None):
        stated, whole = f"{_INSIDE[words]}: {{{stated}}}", whole.removeprefix(words)
    case.findings.warning("TC222", message, pointer, f"state `{stated}` beside the place")
