"""No description, however broken, ends in anything but findings: parts of good ones are replaced by parts of wrong shape."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcharter.cli._draft import draft_charter
from toolcharter.source import load_description
from toolcharter.source.validate import validate_slice
from toolcharter.source.vendoring import vendored_text

STRING = {"type": "string"}
SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "items": STRING}, "b": {"nullable": True, "oneOf": [STRING]}},
          "discriminator": {"propertyName": "a", "mapping": {"x": "#/components/schemas/B"}}}  # fmt: skip
THREE = {
    "info": {"title": "T", "version": "1"}, "security": [{"k": []}],
    "components": {"schemas": {"A": SCHEMA, "B": {"allOf": [{"$ref": "#/components/schemas/A"}]}},
                   "securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "K"}},
                   "responses": {"R": {"description": "", "headers": {"H": {"schema": STRING}}, "content": {"application/json": {"schema": SCHEMA}}}}},
    "paths": {"/x/{id}": {"parameters": [{"name": "id", "in": "path", "required": True, "schema": STRING}],
                          "post": {"operationId": "x", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/B"}}}},
                                   "responses": {"200": {"$ref": "#/components/responses/R"}}}}},
}  # fmt: skip
TWO = {
    "info": {"title": "T", "version": "1"}, "consumes": ["application/json"],
    "securityDefinitions": {"o": {"type": "oauth2", "scopes": {"a": ""}}}, "definitions": {"A": {**SCHEMA, "discriminator": "a"}},
    "paths": {"/x": {"get": {"operationId": "x", "parameters": [{"name": "f", "in": "formData", "type": "array", "items": STRING},
                                                               {"name": "q", "in": "query", "type": "string"}],
                             "security": [{"o": ["a"]}],
                             "responses": {"200": {"description": "", "schema": {"$ref": "#/definitions/A"}, "headers": {"H": STRING}}}}}},
}  # fmt: skip
WRONG: list[Any] = [
    None,
    True,
    0,
    -1.5,
    "",
    "x",
    "#/paths",
    [],
    [1],
    [[]],
    {},
    {"a": 1},
    {"$ref": 5},
    {"$ref": "#"},
    {"$ref": "#/paths"},
    [{}],
    {"": {}},
]
NAMED = {"$id": "https://a.example/tree", "$dynamicAnchor": "node", "dependencies": {"a": ["b"], "c": False},
         "properties": {"below": {"$dynamicRef": "#node"}, "leaf": {"$ref": "#leaf"}}, "$defs": {"leaf": {"$anchor": "leaf", "items": [True], "additionalItems": False}}}  # fmt: skip
NEW = {
    "info": {"title": "T", "version": "1"}, "$self": "https://a.example/api",
    "components": {"schemas": {"Tree": NAMED}, "mediaTypes": {"M": {"schema": {"$ref": "https://a.example/tree"}}},
                   "pathItems": {"P": {"additionalOperations": {"COPY": {"operationId": "copy", "responses": {"200": {"summary": "s"}}}}}}},
    "paths": {"/x": {"$ref": "#/components/pathItems/P", "parameters": [{"name": "q", "in": "query", "content": {"a/b": {"schema": STRING}}}],
                     "query": {"operationId": "x", "requestBody": {"content": {"application/json": {"$ref": "#/components/mediaTypes/M"}}},
                               "responses": {"200": {"content": {"application/json": {"$ref": "#/components/mediaTypes/M"}, "a/b": {"itemSchema": STRING}}}}}}},
}  # fmt: skip
ROOTS = [
    {"swagger": "2.0", **TWO},
    {"openapi": "3.0.3", **THREE},
    {"openapi": "3.1.0", **THREE},
    {"openapi": "3.2.0", **NEW},
]


def places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    members: Any = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in members:
        yield (*steps, key)
        yield from places(child, (*steps, key))


def broken(root: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    made = copy.deepcopy(root)
    for _ in range(chance.randint(1, 3)):
        steps = chance.choice([steps for steps in places(made) if len(steps) > 1])
        owner: Any = made
        for step in steps[:-1]:
            owner = owner[step]
        owner[steps[-1]] = copy.deepcopy(chance.choice(WRONG))
    return made


@pytest.mark.parametrize("root", ROOTS, ids=["2.0", "3.0", "3.1", "3.2"])
def test_broken_parts_end_in_findings(tmp_path: Path, root: dict[str, Any]) -> None:
    chance = random.Random(7)
    path = tmp_path / "api.json"
    read = refused = 0
    for turn in range(100):
        path.write_text(json.dumps(broken(root, chance)), "utf-8")
        description = load_description(path).value
        if description is None:
            continue
        names = [f"{key.method} {key.path}" for key in description.operations()]
        staged = [description.operation(name) for name in names]
        good = [each.value for each in staged if each.value is not None]
        read += len(good)
        refused += len(staged) - len(good)
        for each in staged:
            assert each.value is not None or any(
                d.severity == "error" and d.message for d in each.diagnostics
            )
        draft_charter(description, good, package="a", spec="b")
        vendored_text(description, names, source="a", as_yaml=turn % 10 == 0)
        if turn % 10 == 0:
            validate_slice(description, names)
    assert read > 5
    assert refused > 30
