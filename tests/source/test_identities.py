"""Schemas that name themselves: `$id`, `$anchor`, `$dynamicAnchor`, and references by those names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from toolcharter.source import Description, load_description
from toolcharter.source.slice import build_slice, slice_description
from toolcharter.source.validate import validate_slice

Describe: TypeAlias = Callable[..., Description]
JSON = "application/json"
SCHEMAS: dict[str, Any] = {
    "Tree": {
        "$id": "https://a.example/tree",
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
        "$defs": {
            "leaf": {"$anchor": "leaf", "type": "string"},
            "inner": {"$id": "inner", "$defs": {"deep": {"type": "boolean"}}, "$ref": "#/$defs/deep"},
        },
    },
    "Named": {"$anchor": "named", "type": "integer"},
    "Twin": {"$anchor": "twin", "type": "null"},
    "Other": {"properties": {"a": {"$anchor": "twin"}}},
    "Property": {"properties": {"$id": {"type": "string"}, "$anchor": {"type": "string"}}, "examples": [{"$id": "https://b.example/x", "$anchor": "x"}]},
}  # fmt: skip


def described(describe: Describe, schema: Any, version: str = "3.1.0", **schemas: Any) -> Description:  # fmt: skip
    answer = {"description": "", "content": {JSON: {"schema": schema}}}
    paths = {"/x": {"get": {"operationId": "x", "responses": {"200": answer}}}}
    return describe(version, paths=paths, components={"schemas": {**SCHEMAS, **schemas}})


def meaning(description: Description, schema: Any) -> Any:
    """Return a schema with its references followed once."""
    return description.definition(schema["$ref"].removeprefix("#/$defs/"))


RESOLVED = [
    ("#named", {"type": "integer"}),
    ("https://a.example/tree#leaf", {"type": "string"}),
    ("https://a.example/tree#/$defs/leaf", {"type": "string"}),
    ("#/components/schemas/Tree/$defs/leaf", {"type": "string"}),
    ("api.json#named", {"type": "integer"}),
    ("https://a.example/tree#/$defs/inner/$defs/deep", {"type": "boolean"}),
    ("https://a.example/inner#/$defs/deep", {"type": "boolean"}),
]


@pytest.mark.parametrize(("reference", "expected"), RESOLVED)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_resolved(describe: Describe, keyword: str, reference: str, expected: Any) -> None:
    description = described(describe, {keyword: reference})
    read = description.operation("x")
    assert read.value is not None, read.diagnostics
    assert meaning(description, read.value.responses["200"].bodies[JSON]) == expected


def test_a_resource_is_its_own_base(describe: Describe) -> None:
    """Inside a schema with an `$id`, `#` is that schema."""
    description = described(describe, {"$ref": "https://a.example/inner"})
    read = description.operation("x")
    assert read.value is not None
    inner = meaning(description, read.value.responses["200"].bodies[JSON])
    assert meaning(description, inner) == {"type": "boolean"}


def test_a_dynamic_reference_to_one_anchor_is_a_reference(describe: Describe) -> None:
    description = described(describe, {"$ref": "#/components/schemas/Tree"})
    read = description.operation("x")
    assert read.diagnostics == ()
    assert description.definition("Tree") == {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    }


def test_a_dynamic_reference_beside_others(describe: Describe) -> None:
    schema = {"$dynamicRef": "#named", "$ref": "#/components/schemas/Twin", "maximum": 5}
    read = described(describe, schema).operation("x").value
    assert read is not None
    assert read.responses["200"].bodies[JSON] == {
        "$ref": "#/$defs/Twin",
        "maximum": 5,
        "allOf": [{"$ref": "#/$defs/Named"}],
    }


OPEN = {"$id": "https://a.example/list", "$defs": {"i": {"$dynamicAnchor": "item"}}, "items": {"$dynamicRef": "#item"}}  # fmt: skip
CLOSED = {
    "$id": "https://a.example/texts",
    "$defs": {"i": {"$dynamicAnchor": "item", "type": "string"}},
    "$ref": "list",
}


def test_a_dynamic_reference_that_leaves_a_choice(describe: Describe) -> None:
    schema = {"$ref": "https://a.example/texts"}
    description = described(describe, schema, Open=OPEN, Closed=CLOSED)
    refused = description.operation("x")
    assert refused.value is None
    assert [(d.code, d.origin.pointer) for d in refused.diagnostics] == [
        ("TC705", "/components/schemas/Open/items/$dynamicRef")
    ]
    assert "`item`" in refused.diagnostics[0].message
    assert [d.code for d in build_slice(description, ["x"]).findings] == ["TC705"]
    alone = described(describe, {"$ref": "https://a.example/list"}, Open=OPEN)
    assert alone.operation("x").diagnostics == ()


@pytest.mark.parametrize(
    ("schema", "code", "below"),
    [
        ({"$ref": "#nmaed"}, "TC701", "$ref"),
        ({"$ref": "#twin"}, "TC707", "$ref"),
        ({"$ref": "#x"}, "TC701", "$ref"),
        ({"$ref": "https://b.example/x"}, "TC702", "$ref"),
        ({"$ref": "https://a.example/none"}, "TC702", "$ref"),
        ({"$dynamicRef": 5}, "TC725", "$dynamicRef"),
        ({"$id": 5}, "TC725", "$id"),
        ({"$anchor": []}, "TC725", "$anchor"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "TC705", "$schema"),
        ({"$recursiveRef": "#"}, "TC705", "$recursiveRef"),
        ({"$vocabulary": {}}, "TC705", "$vocabulary"),
    ],
)
def test_refused(describe: Describe, schema: Any, code: str, below: str) -> None:
    refused = described(describe, schema).operation("x")
    assert refused.value is None
    place = f"/paths/~1x/get/responses/200/content/application~1json/schema/{below}"
    assert [(d.code, d.origin.pointer) for d in refused.diagnostics] == [(code, place)]


def test_two_schemas_of_one_name(describe: Describe) -> None:
    again = {"Again": {"$id": "https://a.example/tree"}}
    refused = described(describe, {"$ref": "https://a.example/tree"}, **again).operation("x")
    assert [d.code for d in refused.diagnostics] == ["TC707"]


@pytest.mark.parametrize("key", ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef"])
def test_older_versions_know_no_names(describe: Describe, key: str) -> None:
    for version in ("2.0", "3.0.3"):
        answer: dict[str, Any] = {"description": "", "schema": {key: "a"}}
        if version != "2.0":
            answer = {"description": "", "content": {JSON: {"schema": {key: "a"}}}}
        paths = {"/x": {"get": {"operationId": "x", "responses": {"200": answer}}}}
        refused = describe(version, paths=paths).operation("x")
        assert [(d.code, d.origin.pointer.rsplit("/", 1)[1]) for d in refused.diagnostics] == [
            ("TC705", key)
        ]


def test_slices_need_no_names(describe: Describe) -> None:
    schema = {"allOf": [{"$ref": "https://a.example/tree"}, {"$dynamicRef": "#named", "title": "n"}, {"$ref": "https://a.example/tree#leaf"}]}  # fmt: skip
    description = described(describe, schema)
    sliced = slice_description(description, ["x"])
    copied = sliced["paths"]["/x"]["get"]["responses"]["200"]["content"][JSON]["schema"]
    leaf = copied["allOf"][2]["$ref"]
    assert copied["allOf"][:2] == [
        {"$ref": "#/components/schemas/Tree"},
        {"title": "n", "allOf": [{"$ref": "#/components/schemas/Named"}]},
    ]
    schemas = sliced["components"]["schemas"]
    assert schemas.pop(leaf.rsplit("/", 1)[1]) == {"type": "string"}
    assert schemas == {
        "Named": {"type": "integer"},
        "Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
    }  # fmt: skip
    assert validate_slice(description, ["x"]) == ()


def test_names_in_files(tmp_path: Path) -> None:
    """A relative `$id` is found in the folder; an absolute one where it is named, once its file has been read."""
    files = {
        "api.yaml": """openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /x:
    get:
      operationId: x
      responses:
        200:
          description: ok
          content:
            a/1: {schema: {$ref: models/pet.yaml}}
            a/2: {schema: {$ref: "models/pet.yaml#name"}}
            a/3: {schema: {$ref: "https://a.example/models/pet#name"}}
""",
        "models/pet.yaml": """$id: https://a.example/models/pet
$schema: https://json-schema.org/draft/2020-12/schema
properties: {name: {$anchor: name, type: string}, tag: {$ref: tag.yaml}, own: {$ref: "#/properties/name"}}
""",
        "models/tag.yaml": "{$id: elsewhere/tag, properties: {x: {$ref: other.yaml}, y: {$ref: '#/properties/z'}, z: {type: number}}}\n",
        "models/elsewhere/other.yaml": "type: boolean\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    description = load_description(tmp_path / "api.yaml").value
    assert description is not None
    read = description.operation("x")
    assert read.value is not None, read.diagnostics
    bodies = read.value.responses["200"].bodies
    assert bodies["a/2"] == bodies["a/3"]
    assert meaning(description, bodies["a/2"]) == {"type": "string"}
    pet = meaning(description, bodies["a/1"])
    assert meaning(description, pet["properties"]["own"]) == {"type": "string"}
    tag = meaning(description, pet["properties"]["tag"])
    assert meaning(description, tag["properties"]["x"]) == {"type": "boolean"}
    assert meaning(description, tag["properties"]["y"]) == {"type": "number"}
