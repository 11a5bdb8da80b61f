"""`toolcharter init` names the headers that every call needs, and leaves what goes there to a person."""

from __future__ import annotations

import json

from .conftest import Workspace


def test_required_headers_are_drafted_under_send(workspace: Workspace) -> None:
    parameters = [
        {"name": "Idempotency-Key", "in": "header", "required": True, "schema": {"type": "string"}},
        {
            "name": "api",
            "in": "header",
            "required": True,
            "schema": {"type": "string", "enum": ["v2"]},
        },
        {"name": "tenant", "in": "cookie", "required": True, "schema": {"type": "string"}},
        {"name": "Accept-Language", "in": "header", "schema": {"type": "string"}},
    ]
    operation = {
        "operationId": "pay",
        "parameters": parameters,
        "responses": {"204": {"description": "x"}},
    }
    description = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "paths": {"/pay": {"post": operation}},
    }
    (workspace.folder / "pay.json").write_text(json.dumps(description), "utf-8")
    done = workspace.run("init", "pay.json", "--tool", "pay")
    assert done.code == 0
    drafted = (workspace.folder / "charter.yaml").read_text("utf-8").split("\n")
    start = drafted.index("    send:")
    assert drafted[start + 1 : start + 5] == [
        "      header.Idempotency-Key: DECIDE   # string: a constant, {$run…}, {$key} or {$version}",
        "      header.api: v2   # string: a constant, {$run…}, {$key} or {$version}",
        "      cookie.tenant: DECIDE   # string: a constant, {$run…}, {$key} or {$version}",
        "    view: {}   # the description shows no JSON answer",
    ]
    found = workspace.run("lint", "charter.yaml", "--format", "concise").out
    assert "`tools.pay.send.header.Idempotency-Key` is not decided" in found
