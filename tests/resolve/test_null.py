"""OpenAPI 3.0's `nullable`: a request takes null where the word has force, an answer is read with it wherever it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolcharter.charter import load_charter
from toolcharter.diagnostics import Staged
from toolcharter.resolve import ResolvedApi, resolve_api
from toolcharter.source import load_description
from toolcharter_runtime.schemas import compile_schema

TEXT: dict[str, Any] = {"type": "string", "maxLength": 9}
WITH_FORCE = [
    {**TEXT, "nullable": True},
    {**TEXT, "nullable": True, "enum": ["a", None]},
    {"type": "string", "nullable": True, "oneOf": [{**TEXT, "nullable": True}]},
]
WITHOUT = [
    {**TEXT, "nullable": True, "enum": ["a"]},
    {"nullable": True, "enum": ["a"]},
    {"nullable": True, "allOf": [TEXT]},
    {"nullable": True, "anyOf": [TEXT]},
    {"nullable": True, "oneOf": [TEXT]},
    {**TEXT, "nullable": True, "allOf": [{"type": "string"}]},
]


def resolved(folder: Path, schema: dict[str, Any], tool: dict[str, Any]) -> Staged[ResolvedApi]:
    content = {"application/json": {"schema": {"type": "object", "properties": {"it": schema}}}}
    operation = {
        "operationId": "sendIt",
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "ok", "content": content}},
    }
    described = {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": {"/it": {"post": operation}}}  # fmt: skip
    charter = {
        "charter": 1,
        "package": "it_tools",
        "spec": "openapi.json",
        "tools": {"send_it": {"operation": "sendIt", "effect": "read", **tool}},
    }
    (folder / "openapi.json").write_text(json.dumps(described), "utf-8")
    (folder / "charter.yaml").write_text(json.dumps(charter), "utf-8")
    loaded, description = load_charter(folder / "charter.yaml"), load_description(folder / "openapi.json")  # fmt: skip
    assert loaded.value is not None
    assert description.value is not None
    return resolve_api(description.value, loaded.value)


@pytest.mark.parametrize("schema", WITH_FORCE, ids=json.dumps)
def test_a_request_takes_null_where_the_word_has_force(tmp_path: Path, schema: dict[str, Any]) -> None:  # fmt: skip
    staged = resolved(tmp_path, schema, {"input": {"it": {"nullable": True}}})
    assert staged.value is not None
    (tool,) = staged.value.tools
    assert compile_schema(tool.contract.arguments).is_valid({"it": None})


@pytest.mark.parametrize("schema", WITHOUT, ids=json.dumps)
def test_a_request_takes_no_null_where_it_has_none(tmp_path: Path, schema: dict[str, Any]) -> None:
    staged = resolved(tmp_path, schema, {"input": {"it": {"nullable": True}}})
    (error,) = [one for one in staged.diagnostics if one.severity == "error"]
    assert (error.code, error.hint) == ("TC115", "remove `nullable`")
    plain = resolved(tmp_path, schema, {"input": {"it": {}}})
    assert plain.value is not None
    validator = compile_schema(plain.value.tools[0].contract.arguments)
    assert (validator.is_valid({"it": "a"}), validator.is_valid({"it": None})) == (True, False)


@pytest.mark.parametrize("schema", WITH_FORCE + WITHOUT, ids=json.dumps)
def test_an_answer_is_read_with_its_null(tmp_path: Path, schema: dict[str, Any]) -> None:
    staged = resolved(tmp_path, schema, {"send": {"body": {}}, "view": {"it": "/it"}})
    assert staged.value is not None
    (field,) = staged.value.tools[0].contract.view.fields
    assert compile_schema(field.accepts).is_valid(None)
