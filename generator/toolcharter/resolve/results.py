"""The closed schema of the result that the model sees, after redaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcharter.charter.schema import ViewSpec
from toolcharter_runtime.frozen import View, ViewField
from toolcharter_runtime.redaction import MASKED_SCHEMA

from .case import Case
from .hoisting import rooted
from .merging import JsonSchema, types_of
from .operations import clean_text

__all__ = ["ANSWER_BYTES", "result_view"]


ANSWER_BYTES = 1024 * 1024
"""The longest body of an answer that is read; the result is bounded by its schema."""


CURSOR_LENGTH = 4096


def result_view(case: Case) -> View:
    """Return the view with the closed schema of the result that the model sees."""
    result = rooted(_closed(case.view, case.spec.view))
    if case.spec.page is not None:
        cursor: JsonSchema = {"type": ["string", "null"], "maxLength": CURSOR_LENGTH}
        cursor["description"] = "Hand it back as cursor for the next page; null on the last one."
        result["properties"]["next_cursor"] = cursor
        result["required"] = [*result.get("required", ()), "next_cursor"]
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **result}
    return View(
        fields=case.view,
        result=schema,
        maximum_bytes=ANSWER_BYTES,
        result_bytes=case.api.charter.ceilings.result,
    )


def _closed(fields: tuple[ViewField, ...], specs: Mapping[str, ViewSpec]) -> dict[str, Any]:
    properties: dict[str, JsonSchema] = {}
    required: list[str] = []
    for field in fields:
        if field.hidden or field.secret:
            continue
        properties[field.name] = _shown(field, specs.get(field.name))
        if field.required:
            required.append(field.name)
    closed: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    return {**closed, "required": required} if required else closed


def _shown(field: ViewField, spec: ViewSpec | None) -> JsonSchema:
    if field.each is not None:
        inner = _closed(field.each, spec.each or {} if spec else {})
        shown: JsonSchema = {**field.accepts, "items": inner}
    elif field.element is not None:
        inner = _shown(field.element, spec.element if spec else None)
        shown = {**field.accepts, "items": inner}
    elif field.fields is not None:
        inner = _closed(field.fields, spec.fields or {} if spec else {})
        shown = {"anyOf": [inner, {"type": "null"}]} if _has_null(field) else inner
    elif field.values is not None:
        inner = _shown(field.values, spec.values if spec else None)
        mapped = {**_bare(field.accepts), "additionalProperties": inner}
        shown = {"anyOf": [mapped, {"type": "null"}]} if _has_null(field) else mapped
    elif field.redact is not None:
        shown = {**MASKED_SCHEMA, "type": _with_null(field, "string")}
    elif field.truncate is not None:
        shown = _truncated(field)
    else:
        shown = dict(field.accepts)
    text = clean_text(spec.description) if spec else None
    return {**shown, "description": text} if text else shown


def _has_null(field: ViewField) -> bool:
    return "anyOf" in field.accepts or "null" in (types_of(field.accepts) or ())


def _bare(schema: JsonSchema) -> JsonSchema:
    """The schema without null beside it."""
    return dict(schema["anyOf"][0]) if "anyOf" in schema else dict(schema)


def _with_null(field: ViewField, kind: str) -> Any:
    return [kind, "null"] if "null" in (types_of(field.accepts) or ()) else kind


def _truncated(field: ViewField) -> JsonSchema:
    """A cut text keeps no pattern, format or least length, only its new bound."""
    return {"type": _with_null(field, "string"), "maxLength": field.truncate}
