"""Answers of every shape, through the whole pipeline: what the API sends, and what the model sees or the call says."""

from __future__ import annotations

import asyncio
import importlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from toolcharter.pipeline import Options, generate_charter
from toolcharter_runtime.envelope import Success

from .building import import_catalog
from .stage import Fake, Stage, code_of

COMPONENTS = {
    "Cat": {
        "type": "object", "required": ["kind", "lives"],
        "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}, "name": {"type": "string", "maxLength": 9}},
    },
    "Dog": {
        "type": "object", "required": ["kind", "name"],
        "properties": {"kind": {"const": "dog"}, "name": {"type": "string", "maxLength": 9}, "good": {"type": "boolean"}},
    },
    "Tree": {
        "type": "object", "required": ["name"],
        "properties": {"name": {"type": "string", "maxLength": 5}, "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
    },
    "Kind": {"enum": ["cat", "dog"]},
    "Secret": {
        "type": "object",
        "properties": {"shown": {"type": "string", "maxLength": 5}, "token": {"type": "string", "maxLength": 5, "writeOnly": True}},
    },
}  # fmt: skip
CAT, DOG = {"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}
TREE = {"$ref": "#/components/schemas/Tree"}
TEXT = {"type": "string", "maxLength": 9}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def must(**properties: Any) -> dict[str, Any]:
    return {**of(**properties), "required": list(properties)}


VIOLATION = "UPSTREAM_CONTRACT_VIOLATION"


@dataclass
class Case:
    """One operation: its answer's schema, the view of it, and pairs of a body and what comes of it (a code is text)."""

    schema: Any
    view: dict[str, Any]
    pairs: list[tuple[Any, Any]]
    more: dict[str, Any] = field(default_factory=dict)


CASES = {
    "object": Case(
        must(it=must(a=TEXT, b={"type": "integer"})),
        {"it": {"at": "/it", "fields": {"a": None, "second": "/b"}}},
        [
            ({"it": {"a": "x", "b": 1, "more": 2}}, {"it": {"a": "x", "second": 1}}),
            ({"it": {"a": "x"}}, VIOLATION),
            ({"it": {"a": "x", "b": True}}, VIOLATION),
            ({"it": []}, VIOLATION),
            ({}, VIOLATION),
        ],
    ),
    "nullable_object": Case(
        of(it={"anyOf": [of(a=TEXT), {"type": "null"}]}),
        {"it": {"at": "/it", "fields": {"a": "/a"}}},
        [({"it": None}, {"it": None}), ({}, {}), ({"it": {}}, {"it": {}})],
    ),
    "lists_in_lists": Case(
        of(rows={"type": "array", "maxItems": 3, "items": of(cells={"type": "array", "maxItems": 2, "items": of(v={"type": "integer"})})}),
        {"rows": {"at": "/rows", "each": {"cells": {"at": "/cells", "each": {"v": "/v"}}}}},
        [
            ({"rows": [{"cells": [{"v": 1}, {"v": 2}]}, {}]}, {"rows": [{"cells": [{"v": 1}, {"v": 2}]}, {}]}),
            ({"rows": [{"cells": [{"v": 1}] * 3}]}, VIOLATION),
            ({"rows": [{}] * 4}, VIOLATION),
        ],
    ),
    "nullable_list": Case(
        must(rows={"type": ["array", "null"], "items": of(v={"type": "integer"})}),
        {"rows": {"at": "/rows", "maxItems": 3, "each": {"v": "/v"}}},
        [({"rows": None}, {"rows": None}), ({"rows": [{"v": 1}]}, {"rows": [{"v": 1}]}), ({"rows": 1}, VIOLATION)],
    ),
    "map_of_scalars": Case(
        must(tags={"type": "object", "additionalProperties": TEXT}),
        {"tags": {"at": "/tags"}},
        [
            ({"tags": {"any key": "x"}}, {"tags": {"any key": "x"}}),
            ({"tags": {"k": 1}}, VIOLATION),
            ({"tags": {str(n): "x" for n in range(6)}}, VIOLATION),
        ],
    ),
    "map_of_objects": Case(
        must(by={"type": "object", "additionalProperties": must(n={"type": "integer"}, s=TEXT)}),
        {"by": {"at": "/by", "maxProperties": 2, "values": {"fields": {"n": None}}}},
        [
            ({"by": {"one": {"n": 1, "s": "x"}}}, {"by": {"one": {"n": 1}}}),
            ({"by": {"one": {"s": "x"}}}, VIOLATION),
            ({"by": {"a": {"n": 1}, "b": {"n": 1}, "c": {"n": 1}}}, VIOLATION),
        ],
    ),
    "map_of_lists": Case(
        must(by={"type": "object", "additionalProperties": {"type": "array", "items": {"anyOf": [TEXT, must(n={"type": "integer"})]}}}),
        {"by": {"at": "/by", "maxProperties": 2, "values": {"maxItems": 2, "element": {"fields": {"n": None}}}}},
        [({"by": {"one": [{"n": 1}, "left out"]}}, {"by": {"one": [{"n": 1}]}}), ({"by": {"one": [1]}}, {"by": {"one": []}}), ({"by": {"one": [{"n": "x"}]}}, VIOLATION)],
    ),
    "list_of_masked_texts": Case(
        must(cards={"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 20}}),
        {"cards": {"at": "/cards", "element": {"redact": "last4"}}},
        [({"cards": ["4242424242421881"]}, {"cards": ["•••1881"]}), ({"cards": [1]}, VIOLATION)],
    ),
    "tuple": Case(
        must(pair={"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False, "minItems": 2}),
        {"pair": {"at": "/pair"}, "second": {"at": "/pair/1"}},
        [({"pair": ["x", 1]}, {"pair": ["x", 1], "second": 1}), ({"pair": [1, "x"]}, VIOLATION), ({"pair": ["x", 1, 2]}, VIOLATION)],
    ),
    "scalars_of_several_types": Case(
        must(id={"anyOf": [{"type": "integer"}, TEXT]}),
        {"id": "/id"},
        [({"id": 7}, {"id": 7}), ({"id": "seven"}, {"id": "seven"}), ({"id": 7.5}, VIOLATION), ({"id": "x" * 10}, VIOLATION)],
    ),
    "lists_of_scalars": Case(
        must(m={"type": "array", "maxItems": 2, "items": {"type": "array", "maxItems": 2, "items": {"type": "number"}}}),
        {"m": "/m"},
        [({"m": [[1, 2.5], []]}, {"m": [[1, 2.5], []]}), ({"m": [["1"]]}, VIOLATION)],
    ),
    "members_of_any_branch": Case(
        must(pet={"oneOf": [CAT, DOG]}),
        {"pet": {"at": "/pet", "fields": {"kind": {"at": "/kind", "maxLength": 5}, "lives": "/lives", "name": "/name"}}},
        [
            ({"pet": {"kind": "cat", "lives": 9}}, {"pet": {"kind": "cat", "lives": 9}}),
            ({"pet": {"kind": "dog", "name": "Rex", "good": True}}, {"pet": {"kind": "dog", "name": "Rex"}}),
        ],
    ),
    "what_another_branch_leaves_open": Case(
        must(pet={"anyOf": [CAT, DOG]}),
        {"pet": {"at": "/pet", "fields": {"good": "/good", "lives": "/lives"}}},
        [
            ({"pet": {"kind": "cat", "lives": 9, "good": "very"}}, {"pet": {"lives": 9}}),
            ({"pet": {"kind": "dog", "name": "Rex", "good": True}}, {"pet": {"good": True}}),
        ],
    ),
    "one_branch_by_its_tag": Case(
        must(pet={"oneOf": [CAT, DOG]}),
        {"pet": {"at": "/pet", "branch": "Cat", "fields": {"lives": "/lives"}}},
        [({"pet": {"kind": "cat", "lives": 9}}, {"pet": {"lives": 9}}), ({"pet": {"kind": "dog", "name": "Rex"}}, {}), ({"pet": {"kind": "cat"}}, VIOLATION)],
    ),
    "object_or_its_id": Case(
        must(owner={"anyOf": [TEXT, must(id=TEXT)]}),
        {"owner": {"at": "/owner", "fields": {"id": "/id"}}, "owner_id": {"at": "/owner", "branch": "string"}},
        [({"owner": "o1"}, {"owner_id": "o1"}), ({"owner": {"id": "o1"}}, {"owner": {"id": "o1"}})],
    ),
    "recursion_as_deep_as_it_is_listed": Case(
        TREE,
        {"name": "/name", "children": {"at": "/children", "maxItems": 2, "each": {"name": None, "grandchildren": {"at": "/children", "maxItems": 2, "each": {"name": None}}}}},
        [
            (
                {"name": "a", "children": [{"name": "b", "children": [{"name": "c", "children": [{"name": "d"}]}]}]},
                {"name": "a", "children": [{"name": "b", "grandchildren": [{"name": "c"}]}]},
            )
        ],
    ),
    "open_object": Case(
        of(data={"type": "object"}),
        {"data": {"at": "/data", "fields": {"x": {"type": "integer", "maximum": 5}}}},
        [({"data": {"x": 5, "y": 1}}, {"data": {"x": 5}}), ({"data": {"x": 6}}, VIOLATION)],
    ),
    "conditions_with_definitions": Case(
        must(it=must(kinds={"type": ["array", "null"], "maxItems": 3, "items": {"type": "string", "maxLength": 5}, "contains": {"$ref": "#/components/schemas/Kind"}},
                     word={"type": "string", "maxLength": 5, "not": {"$ref": "#/components/schemas/Kind"}})),
        {"it": {"at": "/it", "fields": {"kinds": None, "word": None}}, "words": {"at": "/it/kinds/*", "maxItems": 3}},
        [
            ({"it": {"kinds": ["red", "cat"], "word": "x"}}, {"it": {"kinds": ["red", "cat"], "word": "x"}, "words": ["red", "cat"]}),
            ({"it": {"kinds": ["red"], "word": "x"}}, VIOLATION),
            ({"it": {"kinds": ["cat"], "word": "dog"}}, VIOLATION),
            ({"it": {"kinds": None, "word": "x"}}, {"it": {"kinds": None, "word": "x"}}),
        ],
    ),
    "names_of_the_api": Case(
        must(it={**of(**{"max-size": {"type": "integer"}, "class": TEXT, "petId": TEXT, "@type": TEXT, "a/b": TEXT}), "required": ["class"]}),
        {"it": {"at": "/it", "fields": {"max-size": None, "class": None, "petId": None, "@type": None, "ab": {"at": "/a~1b"}}}},
        [({"it": {"max-size": 1, "class": "c", "petId": "p", "@type": "t", "a/b": "x"}}, {"it": {"max-size": 1, "class": "c", "petId": "p", "@type": "t", "ab": "x"}})],
    ),
    "only_null": Case(must(it={"type": "null"}), {"it": "/it"}, [({"it": None}, {"it": None}), ({"it": 1}, VIOLATION)]),
    "anything": Case(
        of(data=True, never=False),
        {"data": {"at": "/data", "type": "integer", "maximum": 5}},
        [({"data": 5}, {"data": 5}), ({"data": "5"}, VIOLATION), ({}, {})],
    ),
    "inside_is_hidden_and_cut": Case(
        must(it=must(a={"type": "string"}, b={"type": "string"})),
        {"it": {"at": "/it", "fields": {"a": {"truncate": 4}, "b": {"hidden": True, "maxLength": 3}}}},
        [({"it": {"a": "abcdefgh", "b": "x"}}, {"it": {"a": "abc…"}})],
    ),
    "constraints_of_what_is_listed": Case(
        must(it={"type": "array", "maxItems": 3, "minItems": 1, "uniqueItems": True, "items": {"type": "string", "pattern": "^a", "maxLength": 3}},
             other={"type": "integer"}),
        {"it": "/it"},
        [({"it": ["a"], "other": "wrong, and not listed"}, {"it": ["a"]}), ({"it": []}, VIOLATION), ({"it": ["a", "a"]}, VIOLATION), ({"it": ["b"]}, VIOLATION)],
    ),
}  # fmt: skip


def document(cases: dict[str, Case]) -> dict[str, Any]:
    paths = {
        f"/{name}": {
            "get": {
                "operationId": name,
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": case.schema}},
                    },
                    **case.more,
                },
            }
        }
        for name, case in cases.items()
    }
    head = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}
    return {**head, "paths": paths, "components": {"schemas": COMPONENTS}}


def charter(views: dict[str, Any], package: str) -> dict[str, Any]:
    tools = {
        f"get_{name}": {
            "operation": name,
            "effect": "read",
            "description": "What it reads.",
            "view": view,
        }
        for name, view in views.items()
    }
    return {
        "charter": 1, "package": package, "spec": "openapi.json",
        "ceilings": {"string": 20, "array": 5, "result": "4KiB"},
        "roles": {"reader": {"reads": "all", "purposes": ["production"]}}, "tools": tools,
    }  # fmt: skip


class Echo(Fake):
    """Answers with what a test puts there."""

    def __init__(self) -> None:
        super().__init__()
        self.response = httpx2.Response(200, json={})

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        return self.response


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("answers")
    (folder / "openapi.json").write_text(json.dumps(document(CASES)), "utf-8")
    views = {name: case.view for name, case in CASES.items()}
    (folder / "charter.yaml").write_text(json.dumps(charter(views, "answer_tools")), "utf-8")
    report = generate_charter(folder / "charter.yaml", Options(out=folder / "out"))
    assert [one.message for one in report.diagnostics if one.severity == "error"] == []
    return import_catalog(folder / "out")


@pytest.mark.parametrize("name", CASES)
def test_answer(catalog: Any, tmp_path: Path, name: str) -> None:
    """The result's model takes what the boundary lets through."""
    echo = Echo()
    stage = Stage(tmp_path, catalog, echo, "reader")
    module = importlib.import_module(f"answer_tools.contracts.get_{name}_v1")
    (model,) = (getattr(module, one) for one in module.__all__ if one.endswith("Result"))

    async def story() -> None:
        async with stage.run() as run:
            for body, expected in CASES[name].pairs:
                echo.response = httpx2.Response(200, json=body)
                reply = await run.call(f"get_{name}", {})
                if isinstance(expected, str):
                    assert code_of(reply) == expected, body
                else:
                    assert isinstance(reply, Success), (body, reply)
                    assert reply.result == expected
                    assert model.from_json(reply.result).to_json() == expected

    asyncio.run(story())
