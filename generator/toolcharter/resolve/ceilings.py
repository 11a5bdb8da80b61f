"""Bounds of last resort: the charter's ceilings, where neither description nor charter bounds a value."""

from __future__ import annotations

from toolcharter.patterns import is_finite

from .case import Case
from .leaves import is_bounded
from .merging import JsonSchema, has_bound, types_of

__all__ = ["bounded"]


def bounded(case: Case, schema: JsonSchema, what: str, pointer: str) -> JsonSchema:
    """Return the schema with the ceilings where it has no bound; each use is a warning (TC222)."""
    kinds = types_of(schema) or ()
    ceilings = case.api.charter.ceilings
    if (
        "string" in kinds
        and not is_bounded(schema)
        and not is_finite(str(schema.get("pattern", "")))
    ):
        if ceilings.string is None:
            return schema
        _warn(case, what, pointer, f"{ceilings.string} characters", "maxLength")
        return {**schema, "maxLength": max(ceilings.string, schema.get("minLength", 0))}
    if "array" in kinds:
        schema = {
            **schema,
            "items": bounded(case, schema["items"], f"an element of {what}", pointer),
        }
        if not has_bound(schema, "maxItems") and ceilings.array is not None:
            _warn(case, what, pointer, f"{ceilings.array} elements", "maxItems")
            schema["maxItems"] = max(ceilings.array, schema.get("minItems", 0))
    return schema


def _warn(case: Case, what: str, pointer: str, bound: str, keyword: str) -> None:
    message = f"{what} has no bound of its own; the ceiling of {bound} holds"
    of_elements = what.startswith("an element of ")
    stated = f"items: {{{keyword}: …}}" if of_elements else f"{keyword}: …"
    case.findings.warning("TC222", message, pointer, f"state `{stated}` beside the place")
