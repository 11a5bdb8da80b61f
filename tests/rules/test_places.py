"""A finding in a name inside an input or a view stands where that name is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolcharter.pipeline import Options, lint_charter

COUNT = {"type": "integer"}
NUMBER = {"type": "number", "minimum": 0, "maximum": 9}


def must(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def must_not(**properties: Any) -> dict[str, Any]:
    return {**must(**properties), "additionalProperties": False}


BODY = must(
    owner={"oneOf": [must_not(team=COUNT, size=COUNT), must_not(user=COUNT, size=COUNT)]},
    rows={"type": "array", "maxItems": 3, "items": must(deep=must(n=COUNT))},
)
ANSWER = must(order=must(fee=NUMBER))
OPERATION = {
    "operationId": "put",
    "requestBody": {"required": True, "content": {"application/json": {"schema": BODY}}},
    "responses": {
        "200": {"description": "", "content": {"application/json": {"schema": ANSWER}}},
    },
}
TOOL = {
    "operation": "put",
    "effect": "read",
    "description": "Something that it reads.",
    "input": {
        "owner": {
            "to": "/owner",
            "kinds": {"1": {"fields": {"team": {}, "size": {}}}, "2": {"fields": {"user": {}, "size": {}}}},
        },
        "rows": {"to": "/rows", "each": {"deep": {"fields": {"n": {}}}}},
    },
    "view": {"order": {"at": "/order", "fields": {"fee": None}}},
}  # fmt: skip
HEAD = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}


def test_names_inside(tmp_path: Path) -> None:
    """What stands in two kinds is placed at the input: nothing says which of the two is meant."""
    description = {**HEAD, "paths": {"/x": {"post": OPERATION}}}
    charter = {"charter": 1, "package": "x_tools", "spec": "openapi.json", "tools": {"put": TOOL}}
    for name, value in (("openapi.json", description), ("charter.yaml", charter)):
        (tmp_path / name).write_text(json.dumps(value), "utf-8")
    report = lint_charter(tmp_path / "charter.yaml", Options(out=tmp_path / "out"))
    found = [
        (each.code, each.origin.pointer.removeprefix("/tools/put/"))
        for each in report.diagnostics
        if each.code in ("TC202", "TC203")
    ]
    assert found == [
        ("TC202", "input/owner"),
        ("TC202", "input/owner/kinds/1/fields/team"),
        ("TC202", "input/owner/kinds/2/fields/user"),
        ("TC202", "input/rows/each/deep/fields/n"),
        ("TC203", "view/order/fields/fee"),
    ]
