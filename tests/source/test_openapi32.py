"""OpenAPI 3.2: what is new in it is carried, or refused by name for the one operation that has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from toolcharter.source import Description, load_description
from toolcharter.source.slice import slice_description
from toolcharter.source.validate import validate_slice

Describe: TypeAlias = Callable[..., Description]
JSON = "application/json"
STRING = {"type": "string"}
OK = {"200": {"description": "ok"}}
COMPONENTS: dict[str, Any] = {
    "mediaTypes": {"Text": {"schema": {"$ref": "#/components/schemas/Text"}}},
    "schemas": {"Text": {"type": "string", "maxLength": 9}},
    "pathItems": {"Notes": {"query": {"operationId": "find", "responses": OK}}},
    "securitySchemes": {
        "device": {
            "type": "oauth2",
            "deprecated": True,
            "oauth2MetadataUrl": "https://a.example/.well-known",
            "flows": {
                "deviceAuthorization": {
                    "deviceAuthorizationUrl": "https://a.example/device",
                    "tokenUrl": "https://a.example/token",
                    "scopes": {"read": "r", "all": "a"},
                }
            },
        }
    },
}


def paths(**operation: Any) -> dict[str, Any]:
    return {"/x": {"query": {"operationId": "x", "responses": OK, **operation}}}


def read(describe: Describe, **operation: Any) -> Any:
    return describe("3.2.0", paths=paths(**operation), components=COMPONENTS).operation("x")


def content(**media: Any) -> dict[str, Any]:
    return {"200": {"summary": "fine", "content": media}}


def test_methods(describe: Describe) -> None:
    item = {
        "get": {"operationId": "get", "responses": OK},
        "query": {"operationId": "query", "responses": OK},
        "additionalOperations": {
            "COPY": {"operationId": "copy", "responses": OK},
            "M-SEARCH": {"responses": OK},
        },
    }
    description = describe("3.2.0", paths={"/x": item, "/notes": {"$ref": "#/components/pathItems/Notes"}}, components=COMPONENTS)  # fmt: skip
    assert [(k.method, str(k)) for k in description.operations()] == [
        ("GET", "get"),
        ("QUERY", "query"),
        ("COPY", "copy"),
        ("M-SEARCH", "M-SEARCH /x"),
        ("QUERY", "find"),
    ]
    for name in ("query /x", "COPY /x", "M-SEARCH /x", "QUERY /notes", "copy"):
        assert description.operation(name).diagnostics == ()
    assert [d.code for d in description.operation("LINK /x").diagnostics] == ["TC726"]


def test_methods_of_3_2_are_none_in_3_1(describe: Describe) -> None:
    operation = {"operationId": "a", "responses": OK}
    item = {"query": operation, "additionalOperations": {"COPY": operation}}
    assert describe("3.1.0", paths={"/x": item}).operations() == ()


@pytest.mark.parametrize(
    ("others", "pointer"),
    [
        ({"Get": {"responses": OK}}, "Get"),
        ({"query": {"responses": OK}}, "query"),
        ({"CO PY": {"responses": OK}}, "CO PY"),
        ([], ""),
    ],
)
def test_no_method(describe: Describe, others: Any, pointer: str) -> None:
    fine = {"get": {"operationId": "a", "responses": OK}}
    description = describe("3.2.0", paths={"/x": {"additionalOperations": others}, "/y": fine})
    assert [str(key) for key in description.operations()] == ["a"]
    (finding,) = description.index.findings
    place = "/paths/~1x/additionalOperations" + (f"/{pointer}" if pointer else "")
    assert (finding.code, finding.origin.pointer) == ("TC725", place)


def test_shared_media_types_and_summaries(describe: Describe) -> None:
    text = {"$ref": "#/components/mediaTypes/Text"}
    operation = read(
        describe, requestBody={"content": {JSON: text}}, responses=content(**{JSON: text})
    ).value
    assert operation.bodies[JSON].schema == {"$ref": "#/$defs/Text"}
    assert operation.responses["200"].bodies == {JSON: {"$ref": "#/$defs/Text"}}
    assert operation.responses["200"].description == "fine"


def test_flows_of_devices(describe: Describe) -> None:
    scheme = describe("3.2.0", components=COMPONENTS).security_schemes["device"]
    assert (scheme.kind, scheme.scopes) == ("oauth2", ("all", "read"))


def test_default_of_a_discriminator(describe: Describe) -> None:
    pet = {
        "anyOf": [{"$ref": "#/components/schemas/Text"}],
        "discriminator": {"propertyName": "kind", "defaultMapping": "Text"},
    }
    operation = read(describe, responses=content(**{JSON: {"schema": pet}})).value
    assert operation.responses["200"].bodies[JSON]["x-discriminator"] == {
        "propertyName": "kind",
        "mapping": {},
        "defaultMapping": "Text",
    }


def test_xml_and_streams_beside_json_do_not_matter(describe: Describe) -> None:
    media = {
        "application/jsonl": {"itemSchema": STRING},
        JSON: {"schema": {"type": "string", "xml": {"nodeType": "text"}}},
    }
    read_ = read(describe, requestBody={"content": media}, responses=content(**media))
    assert read_.diagnostics == ()
    assert read_.value.responses["200"].bodies == {JSON: STRING}
    assert list(read_.value.bodies) == [JSON]


QUERYSTRING = {"in": "querystring", "name": "q", "content": {JSON: {"schema": STRING}}}
REFUSED = [
    ({"parameters": [QUERYSTRING]}, ["/parameters/0/in"]),
    ({"responses": content(**{"text/event-stream": {"itemSchema": STRING}})},
     ["/responses/200/content/text~1event-stream/itemSchema"]),
    ({"responses": content(**{"multipart/mixed": {"schema": {}, "prefixEncoding": [{}], "itemEncoding": {}}})},
     ["/responses/200/content/multipart~1mixed/itemEncoding", "/responses/200/content/multipart~1mixed/prefixEncoding"]),
    ({"requestBody": {"content": {"application/jsonl": {"itemSchema": STRING}}}},
     ["/requestBody/content/application~1jsonl/itemSchema"]),
    ({"requestBody": {"content": {"multipart/form-data": {"schema": {}, "encoding": {"a": {"encoding": {}}}}}}},
     ["/requestBody/content/multipart~1form-data/encoding/a/encoding"]),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "pointers"), REFUSED)
def test_refused_by_name_and_place(describe: Describe, operation: Any, pointers: list[str]) -> None:
    refused = read(describe, **operation)
    assert refused.value is None
    found = [(d.code, d.origin.pointer.removeprefix("/paths/~1x/query")) for d in refused.diagnostics]  # fmt: skip
    assert found == [("TC705", pointer) for pointer in pointers]
    assert all(d.hint for d in refused.diagnostics)


def test_streamed_errors_do_not_matter(describe: Describe) -> None:
    responses = {
        **OK,
        "500": {"description": "", "content": {"text/event-stream": {"itemSchema": STRING}}},
    }
    assert read(describe, responses=responses).value.responses["500"].bodies == {}


def test_slice(describe: Describe) -> None:
    text = {"$ref": "#/components/mediaTypes/Text"}
    item = {
        "additionalOperations": {
            "COPY": {
                "operationId": "copy",
                "responses": content(**{JSON: text}),
                "security": [{"device": []}],
            },
            "LINK": {"responses": OK},
        }
    }
    description = describe("3.2.0", paths={"/x": item, "/q": paths()["/x"]}, components=COMPONENTS, **{"$self": "https://a.example/a"})  # fmt: skip
    sliced = slice_description(description, ["copy", "x"])
    assert list(sliced["paths"]["/x"]) == ["additionalOperations"]
    assert list(sliced["paths"]["/x"]["additionalOperations"]) == ["COPY"]
    assert sliced["paths"]["/x"]["additionalOperations"]["COPY"]["responses"] == content(**{JSON: text})  # fmt: skip
    assert list(sliced["paths"]["/q"]) == ["query"]
    assert sliced["components"] == {
        name: COMPONENTS[name] for name in ("mediaTypes", "schemas", "securitySchemes")
    }
    assert "$self" not in sliced
    assert validate_slice(description, ["copy", "x"]) == ()


def test_slice_keeps_the_default_of_a_discriminator(describe: Describe) -> None:
    union = {
        "anyOf": [{"$ref": "#/components/schemas/Text"}],
        "discriminator": {"propertyName": "a", "defaultMapping": "#/components/schemas/Other"},
    }
    components = {"schemas": {"Text": {"type": "object"}, "Other": {"type": "object"}}}
    answer = content(**{JSON: {"schema": union}})
    description = describe("3.2.0", paths=paths(responses=answer), components=components)
    sliced = slice_description(description, ["x"])
    assert sliced["components"] == components
    assert sliced["paths"]["/x"]["query"]["responses"] == answer


def test_what_the_version_does_not_know_is_found(describe: Describe) -> None:
    description = describe("3.2.0", paths=paths(responces={}))
    assert [(d.code, d.origin.pointer) for d in validate_slice(description, ["x"])] == [
        ("TC727", "/paths/~1x/query")
    ]


def test_a_description_that_says_where_it_is(tmp_path: Path) -> None:
    """References by the address that `$self` gives lead into the files at hand."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "text.yaml").write_text("type: string\n", "utf-8")
    (tmp_path / "api.yaml").write_text(
        """openapi: 3.2.0
$self: https://a.example/v1/api.yaml
info: {title: T, version: "1"}
paths:
  /x:
    get:
      operationId: x
      responses:
        200:
          content:
            a/own: {schema: {$ref: "https://a.example/v1/api.yaml#/components/schemas/Own"}}
            a/short: {schema: {$ref: "api.yaml#/components/schemas/Own"}}
            a/file: {schema: {$ref: parts/text.yaml}}
            a/far: {schema: {$ref: "https://b.example/v1/api.yaml"}}
components: {schemas: {Own: {type: integer}}}
""",
        "utf-8",
    )
    description = load_description(tmp_path / "api.yaml").value
    assert description is not None
    assert [d.code for d in description.operation("x").diagnostics] == ["TC702"]
    assert description.definition("Own") == {"type": "integer"}
    assert description.definition("parts.text") == {"type": "string"}
