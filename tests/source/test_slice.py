"""Slices: self-contained, in the source's own version and spelling, and judged by OpenAPI's rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from toolcharter.source import Description, load_description
from toolcharter.source.slice import build_slice, slice_description
from toolcharter.source.validate import validate_all, validate_slice
from toolcharter.source.vendoring import vendored_text

Describe: TypeAlias = Callable[..., Description]
JSON = "application/json"


def content(schema: Any) -> dict[str, Any]:
    return {"content": {JSON: {"schema": schema, "example": {"secret": 1}}}}


def component(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


COMPONENTS: dict[str, Any] = {
    "schemas": {
        "Zebra": {
            "type": "object",
            "properties": {"ant": component("Ant"), "x": {"type": "string", "nullable": True}},
        },
        "Ant": {"type": "object", "properties": {"self": component("Ant")}, "x-own": 1},
        "Unused": {"type": "nonsense"},
    },
    "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": "integer"}}},
    "responses": {
        "Gone": {"description": "gone", "headers": {"X": {"$ref": "#/components/headers/X"}}}
    },
    "headers": {"X": {"schema": {"type": "string"}}, "Y": {"schema": {"type": "string"}}},
    "securitySchemes": {
        "token": {"type": "http", "scheme": "bearer"},
        "unused": {"type": "http", "scheme": "basic"},
    },
}
PATHS: dict[str, Any] = {
    "/z": {
        "summary": "Z",
        "parameters": [{"$ref": "#/components/parameters/Limit"}],
        "get": {"operationId": "getZ", "x-internal": True, "tags": ["a"],
                "callbacks": {"c": {}}, "responses": {"200": {"description": "ok", "links": {}, **content(component("Zebra"))},
                                                      "410": {"$ref": "#/components/responses/Gone"}}},
        "put": {"operationId": "putZ", "responses": {"200": {"description": "ok"}}},
    },
    "/a": {"post": {"operationId": "postA", "security": [{"token": []}], "requestBody": content({"type": "string"}),
                    "responses": {"200": {"description": "ok"}}}},
    "/bad": {"get": {"operationId": "bad", "responses": {"200": {"description": "ok", **content({"type": "nonsense"})}}},
             "post": {"operationId": "worse", "requestBody": content({"type": "nonsense"}), "responses": {"200": {"description": ""}}},
             "put": {"operationId": "shapeless", "parameters": [{"name": "a"}], "responses": {"200": {"description": ""}}}},
}  # fmt: skip


@pytest.fixture
def description(describe: Describe) -> Description:
    return describe(
        "3.0.3", paths=PATHS, components=COMPONENTS, servers=[{"url": "https://x"}], tags=[{"name": "a"}],
        externalDocs={"url": "u"},
    )  # fmt: skip


def test_slice_holds_what_is_reached_and_no_more(description: Description) -> None:
    assert slice_description(description, ["postA", "getZ"]) == {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://x"}],
        "paths": {
            "/a": {"post": {"operationId": "postA", "security": [{"token": []}], "requestBody": {"content": {JSON: {"schema": {"type": "string"}}}},
                            "responses": {"200": {"description": "ok"}}}},
            "/z": {
                "summary": "Z",
                "parameters": [{"$ref": "#/components/parameters/Limit"}],
                "get": {"operationId": "getZ", "tags": ["a"],
                        "responses": {"200": {"description": "ok", "content": {JSON: {"schema": component("Zebra")}}},
                                      "410": {"$ref": "#/components/responses/Gone"}}},
            },
        },
        "components": {
            "headers": {"X": {"schema": {"type": "string"}}},
            "parameters": {"Limit": COMPONENTS["parameters"]["Limit"]},
            "responses": {"Gone": COMPONENTS["responses"]["Gone"]},
            "schemas": {"Ant": COMPONENTS["schemas"]["Ant"], "Zebra": COMPONENTS["schemas"]["Zebra"]},
            "securitySchemes": {"token": COMPONENTS["securitySchemes"]["token"]},
        },
    }  # fmt: skip


def test_order_is_the_slices_own(description: Description) -> None:
    one, other = (
        vendored_text(description, names, source="a").value
        for names in (["getZ", "postA"], ["postA", "GET /z"])
    )
    assert one == other
    sliced = slice_description(description, ["getZ", "postA"])
    assert list(sliced["paths"]) == ["/a", "/z"]
    assert list(sliced["components"]) == sorted(sliced["components"])
    assert list(sliced["components"]["schemas"]) == ["Ant", "Zebra"]


def test_slice_of_swagger_2(describe: Describe) -> None:
    root = {
        "consumes": [JSON], "basePath": "/v1", "securityDefinitions": {"b": {"type": "basic"}, "c": {"type": "basic"}}, "security": [{"b": []}],
        "definitions": {"A": {"type": "object", "properties": {"b": {"$ref": "#/definitions/B"}}}, "B": {"type": "string"}, "C": {}},
        "parameters": {"P": {"name": "p", "in": "query", "type": "string"}, "Q": {}},
        "responses": {"R": {"description": "", "schema": {"$ref": "#/definitions/A"}}},
        "paths": {"/x": {"get": {"operationId": "x", "parameters": [{"$ref": "#/parameters/P"}], "responses": {"200": {"$ref": "#/responses/R"}}}}},
    }  # fmt: skip
    sliced = slice_description(describe("2.0", **root), ["x"])
    assert sliced["swagger"] == "2.0"
    assert (sliced["consumes"], sliced["basePath"], sliced["paths"]) == (
        [JSON],
        "/v1",
        root["paths"],
    )
    assert [
        list(sliced[key])
        for key in ("definitions", "parameters", "responses", "securityDefinitions")
    ] == [["A", "B"], ["P"], ["R"], ["b"]]


def test_many_files_become_one(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    files: dict[str, str] = {
        "api.yaml": "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {$ref: path.yaml}}\n",
        "path.yaml": "get:\n  operationId: a\n  parameters: [{$ref: 'parts.yaml#/limit'}]\n"
        "  responses: {200: {description: ok, content: {application/json: {schema: {$ref: models/tree.yaml}}}}}\n",
        "parts.yaml": "limit: {name: limit, in: query, schema: {type: integer}}\n",
        "models/tree.yaml": "type: object\nproperties: {left: {$ref: tree.yaml}, own: {$ref: '#/properties/left'}}\n"
        "discriminator: {propertyName: left, mapping: {t: tree.yaml}}\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    description = load_description(tmp_path / "api.yaml").value
    assert description is not None
    sliced = slice_description(description, ["a"])
    assert sliced["paths"]["/a"]["get"]["parameters"] == [
        {"$ref": "#/components/parameters/parts.limit"}
    ]
    tree = component("models.tree")
    assert sliced["components"]["schemas"] == {
        "models.tree": {
            "type": "object",
            "properties": {"left": tree, "own": component("models.tree.properties.left")},
            "discriminator": {"propertyName": "left", "mapping": {"t": tree["$ref"]}},
        },
        "models.tree.properties.left": tree,
    }
    assert validate_slice(description, ["a"]) == ()
    vendored = vendored_text(description, ["a"], source="api.yaml").value
    assert vendored is not None
    (tmp_path / "one.json").write_text(vendored, "utf-8")
    one = load_description(tmp_path / "one.json").value
    assert one is not None
    read, again = description.operation("a").value, one.operation("a").value
    assert read is not None
    assert again is not None
    assert read.responses["200"].bodies == again.responses["200"].bodies
    assert [description.definition(n) for n in ("models.tree", "models.tree.properties.left")] == [
        one.definition(n) for n in ("models.tree", "models.tree.properties.left")
    ]


def test_broken_parts_elsewhere_do_not_matter(description: Description) -> None:
    assert validate_slice(description, ["getZ", "postA"]) == ()


def test_faults_are_placed_in_the_source(description: Description) -> None:
    faults = validate_slice(description, ["getZ", "worse", "shapeless"])
    assert {(d.code, d.severity, d.origin.file) for d in faults} == {("TC727", "error", "api.json")}
    pointers = {d.origin.pointer for d in faults}
    assert "/paths/~1bad/post/requestBody/content/application~1json/schema/type" in pointers
    assert any(p.startswith("/paths/~1bad/put/parameters/0") for p in pointers)
    for finding in faults:
        assert finding.origin.line > 1
        assert "nonsense" not in finding.message


def test_faults_of_answers_are_warnings(description: Description) -> None:
    (finding,) = validate_slice(description, ["bad"])
    assert (finding.severity, finding.origin.pointer) == (
        "warning",
        "/paths/~1bad/get/responses/200/content/application~1json/schema/type",
    )


def test_faults_of_a_shared_definition_have_its_place(describe: Describe) -> None:
    schemas = {"A": {"type": "object", "properties": {"a": {"type": "strnig"}}}}
    paths = {
        "/x": {
            "post": {
                "operationId": "x",
                "requestBody": content(component("A")),
                "responses": {"200": {"description": ""}},
            }
        }
    }
    (finding,) = validate_slice(
        describe("3.0.3", paths=paths, components={"schemas": schemas}), ["x"]
    )
    assert (finding.severity, finding.origin.pointer) == (
        "error",
        "/components/schemas/A/properties/a/type",
    )


def test_default_that_does_not_fit_is_a_warning_at_the_operation(describe: Describe) -> None:
    def item(name: str, default: Any) -> dict[str, Any]:
        schema = {"type": "integer", "default": default}
        return {
            "get": {
                "operationId": name,
                "parameters": [{"name": "a", "in": "query", "schema": schema}],
                "responses": {"200": {"description": ""}},
            }
        }

    description = describe("3.0.3", paths={"/good": item("good", 1), "/off": item("off", "one")})
    assert [
        (d.severity, d.origin.pointer) for d in validate_slice(description, ["good", "off"])
    ] == [("warning", "/paths/~1off/get")]
    assert validate_slice(description, ["good"]) == ()


def test_what_a_charter_can_mend_is_no_fault(describe: Describe) -> None:
    """Path parameters may be typed in the charter; operations that share an id can be named by method and path."""
    operation = {"operationId": "x", "responses": {"200": {"description": ""}}}
    description = describe(
        "3.0.3", paths={"/x/{id}": {"get": operation}, "/y/{id}": {"get": operation}}
    )
    assert validate_slice(description, ["GET /x/{id}", "GET /y/{id}"]) == ()


def test_whole_description(description: Description, describe: Describe) -> None:
    pointers = {d.origin.pointer for d in validate_all(description)}
    assert "/components/schemas/Unused/type" in pointers
    assert "/paths/~1bad/post/requestBody/content/application~1json/schema/type" in pointers
    assert validate_all(describe("3.1.0")) == ()


def test_references_that_lead_nowhere_are_found_before(describe: Describe) -> None:
    paths = {
        "/x": {
            "get": {
                "operationId": "x",
                "responses": {"200": {"description": "", **content(component("None"))}},
            }
        }
    }
    description = describe("3.1.0", paths=paths)
    assert [d.code for d in validate_slice(description, ["x"])] == ["TC701"]
    assert [d.code for d in build_slice(description, ["x", "y"]).findings] == ["TC726", "TC701"]


HOSTILE = ["on", "012", "1e3", "~", "2027-03-01", " lead", "a: b", "# c", "'q'", '"', "\u202e", "\n", "a\n  b\n", "\t", "{{ x }}", "", "é",
           "null", "0x1F", "-", "? a", "&a", "*a", "!t", "%TAG", "@", "`", "a\u2028b", "\x7f", "😀"]  # fmt: skip


@pytest.mark.parametrize("as_yaml", [False, True])
def test_any_text_survives_vendoring(describe: Describe, tmp_path: Path, as_yaml: bool) -> None:
    schema = {"enum": HOSTILE, "properties": {text: {"description": text} for text in HOSTILE}}
    paths = {
        "/x": {
            "post": {
                "operationId": "x",
                "requestBody": content(schema),
                "responses": {"200": {"description": ""}},
            }
        }
    }
    description = describe("3.1.0", paths=paths)
    text = vendored_text(description, ["x"], source="a: b #", as_yaml=as_yaml).value
    assert text is not None
    path = tmp_path / ("v.yaml" if as_yaml else "v.json")
    path.write_text(text, "utf-8", newline="\n")
    read = load_description(path).value
    assert read is not None
    assert read.root.value["x-toolcharter-vendored"] == {
        "source": "a: b #",
        "sha256": description.root.sha256,
    }
    assert (
        read.root.value["paths"]["/x"]["post"]["requestBody"]["content"][JSON]["schema"] == schema
    )
