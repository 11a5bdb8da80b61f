"""The short way past plain schemas finds faults exactly where the library does."""

from __future__ import annotations

from typing import Any

import pytest

from toolcharter.source.openapi_rules import validator_of

REFERENCE = {"$ref": "#/components/schemas/Other"}
INSIDE = {"$ref": "#/components/schemas/Other/additionalProperties"}
SCHEMAS: list[tuple[dict[str, Any], bool]] = [
    ({"type": "string", "pattern": "^a$"}, False),
    ({"type": "integer", "default": 1}, False),
    ({"type": "integer", "default": "one"}, True),
    ({"type": "integer", "default": None}, True),
    ({"type": "integer", "nullable": True, "default": None}, False),
    ({"properties": {"a": {"items": {"type": "integer", "default": "one"}}}}, True),
    ({"properties": {"default": {"type": "string"}}}, False),
    ({"anyOf": [{"not": {"type": "integer", "default": "one"}}]}, True),
    ({"allOf": [{"properties": {"a": {"type": "string"}}}], "required": ["a", "b"]}, False),
    ({"allOf": [REFERENCE, {"default": 1, "type": "string"}]}, True),
    ({"additionalProperties": {"type": "integer", "default": "one"}}, False),
    ({"properties": {"a": INSIDE}}, True),
    ({"properties": {"a": REFERENCE}}, False),
    ({"enum": ["a", "a"]}, True),
    ({"enum": [1, 1.0]}, True),
    ({"enum": [1, True]}, False),
    ({"exclusiveMinimum": True}, True),
    ({"properties": {"id": {"type": "string"}}, "title": "An id"}, False),
]


def described(schema: dict[str, Any]) -> dict[str, Any]:
    other = {"additionalProperties": {"type": "integer", "default": "one"}}
    answer = {
        "200": {
            "description": "",
            "content": {
                "application/json": {"schema": {"items": {"$ref": "#/components/schemas/It"}}}
            },
        }
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "", "version": ""},
        "paths": {"/a": {"get": {"responses": answer}}},
        "components": {"schemas": {"It": schema, "Other": other}},
    }


def has_fault(value: dict[str, Any], *, is_slice: bool) -> bool:
    validator = validator_of("3.0", value, is_slice=is_slice)
    assert list(validator.schema_validator.iter_errors(value)) == []
    found = {type(error).__name__ for error in validator.root_validator(validator.schema_path)}
    return bool(found - {"ExtraParametersError"})


@pytest.mark.parametrize(("schema", "is_fault"), SCHEMAS, ids=[str(s) for s, _ in SCHEMAS])
def test_same_as_the_library(schema: dict[str, Any], is_fault: bool) -> None:
    value = described(schema)
    assert [has_fault(value, is_slice=True), has_fault(value, is_slice=False)] == [
        is_fault,
        is_fault,
    ]


def test_default_of_an_inline_schema() -> None:
    value = described({})
    content = value["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"]
    content["schema"] = {"type": "array", "items": {"type": "string", "default": 1}}
    assert [has_fault(value, is_slice=True), has_fault(value, is_slice=False)] == [True, True]
