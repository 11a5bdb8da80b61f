"""Operations of each version in one shape, found by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from toolcharter.source import Description, Operation, load_description

Describe: TypeAlias = Callable[..., Description]
OK: dict[str, Any] = {"200": {"description": ""}}


def read(describe: Describe, version: str, operation: Any, **root: Any) -> Operation:
    raw = {"operationId": "x", "responses": OK, **operation}
    staged = describe(version, paths={"/x/{id}": {"post": raw}}, **root).operation("x")
    assert staged.value is not None, staged.diagnostics
    return staged.value


def findings(
    describe: Describe, version: str, operation: Any, **root: Any
) -> list[tuple[str, str]]:
    raw = {"operationId": "x", "responses": OK, **operation}
    staged = describe(version, paths={"/x/{id}": {"post": raw}}, **root).operation("x")
    return [
        (d.code, d.origin.pointer.removeprefix("/paths/~1x~1{id}/post")) for d in staged.diagnostics
    ]


def test_names(describe: Describe) -> None:
    paths = {
        "/a": {
            "get": {"operationId": "getA", "responses": OK},
            "post": {"operationId": "both", "responses": OK},
        },
        "/b": {
            "get": {"responses": OK},
            "put": {"operationId": "both", "responses": OK},
            "parameters": [],
        },
        "x-own": {"get": {}},
    }
    description = describe("3.1.0", paths=paths)
    assert [(k.method, k.path, k.operation_id) for k in description.operations()] == [
        ("GET", "/a", "getA"), ("POST", "/a", "both"), ("GET", "/b", None), ("PUT", "/b", "both"),
    ]  # fmt: skip
    for name in ("getA", "GET /a", "GET /b", "put /b"):
        assert description.operation(name).value is not None
    (unknown,) = description.operation("getB").diagnostics
    assert (unknown.code, unknown.hint, unknown.origin.pointer) == (
        "TC726",
        "did you mean `getA`?",
        "/paths",
    )
    (ambiguous,) = description.operation("both").diagnostics
    assert (ambiguous.code, ambiguous.origin.pointer) == ("TC707", "/paths/~1b/put/operationId")
    assert ambiguous.hint == "name it by method and path: `POST /a` or `PUT /b`"
    assert [d.code for d in description.operation("DELETE /a").diagnostics] == ["TC726"]


@pytest.mark.parametrize("version", ["2.0", "3.0.3", "3.1.0"])
def test_parameters_of_the_path_are_inherited(describe: Describe, version: str) -> None:
    def parameter(name: str, place: str, text: str) -> dict[str, Any]:
        kind: dict[str, Any] = {"type": "string", "maxLength": 9}
        return {"name": name, "in": place, "required": place == "path", "description": text,
                **(kind if version == "2.0" else {"schema": kind})}  # fmt: skip

    item = {
        "parameters": [
            parameter("id", "path", "path"),
            parameter("a", "query", "path"),
            parameter("a", "header", "path"),
        ],
        "get": {
            "operationId": "x",
            "responses": OK,
            "parameters": [parameter("a", "query", "own")],
        },
    }
    operation = describe(version, paths={"/x/{id}/{undeclared}": item}).operation("x").value
    assert operation is not None
    assert [(p.location, p.name, p.description, p.required) for p in operation.parameters] == [
        ("path", "id", "path", True), ("query", "a", "own", False), ("header", "a", "path", False),
    ]  # fmt: skip
    assert operation.path_names == ("id", "undeclared")
    assert operation.parameters[0].schema == {"type": "string", "maxLength": 9}


def test_styles_of_3(describe: Describe) -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    rows: list[dict[str, Any]] = [
        {"in": "path"}, {"in": "query"}, {"in": "header"}, {"in": "cookie"}, {"in": "query", "style": "deepObject"},
        {"in": "query", "style": "pipeDelimited"}, {"in": "query", "explode": False, "allowReserved": True},
        {"in": "path", "style": "matrix", "explode": True},
    ]  # fmt: skip
    parameters = [{"name": f"p{i}", "schema": schema, **row} for i, row in enumerate(rows)]
    operation = read(describe, "3.0.3", {"parameters": parameters})
    assert [(p.style, p.explode, p.allow_reserved) for p in operation.parameters] == [
        ("simple", False, False), ("form", True, False), ("simple", False, False), ("form", True, False),
        ("deepObject", False, False), ("pipeDelimited", False, False), ("form", False, True), ("matrix", True, False),
    ]  # fmt: skip


def test_parameter_with_content(describe: Describe) -> None:
    content = {"application/json": {"schema": {"type": "object"}}}
    (parameter,) = read(
        describe, "3.1.0", {"parameters": [{"name": "f", "in": "query", "content": content}]}
    ).parameters
    assert (parameter.media, parameter.schema) == ("application/json", {"type": "object"})


def test_headers_that_3_ignores(describe: Describe) -> None:
    parameters = [
        {"name": n, "in": "header", "schema": {"type": "string"}}
        for n in ("Accept", "authorization", "Content-Type", "If-Match")
    ]
    assert [p.name for p in read(describe, "3.0.3", {"parameters": parameters}).parameters] == [
        "If-Match"
    ]


def test_collection_formats_of_2(describe: Describe) -> None:
    rows = [
        ("query", None),
        ("query", "csv"),
        ("query", "ssv"),
        ("query", "pipes"),
        ("query", "tsv"),
        ("query", "multi"),
        ("path", "csv"),
        ("path", "pipes"),
        ("header", None),
    ]
    parameters = [
        {"name": f"p{i}", "in": place, "type": "array", "items": {"type": "string", "exclusiveMinimum": True, "minimum": 1},
         **({"collectionFormat": form} if form else {}), **({"required": True} if place == "path" else {})}
        for i, (place, form) in enumerate(rows)
    ]  # fmt: skip
    operation = read(describe, "2.0", {"parameters": parameters})
    assert [(p.style, p.explode) for p in operation.parameters] == [
        ("form", False), ("form", False), ("spaceDelimited", False), ("pipeDelimited", False), ("tabDelimited", False),
        ("form", True), ("simple", False), ("pipeDelimited", False), ("simple", False),
    ]  # fmt: skip
    assert operation.parameters[0].schema == {
        "type": "array",
        "items": {"type": "string", "exclusiveMinimum": 1},
    }


def test_single_values_of_2(describe: Describe) -> None:
    parameters = [{"name": "a", "in": "query", "type": "integer", "maximum": 5, "default": 1, "description": "d", "x-own": 1},
                  {"name": "b", "in": "header", "type": "string"}]  # fmt: skip
    a, b = read(describe, "2.0", {"parameters": parameters}).parameters
    assert (a.schema, a.style, a.explode) == (
        {"type": "integer", "maximum": 5, "default": 1},
        "form",
        True,
    )
    assert (b.schema, b.style, b.explode) == ({"type": "string"}, "simple", False)


def test_body_of_2(describe: Describe) -> None:
    body = {"name": "any", "in": "body", "required": True, "schema": {"type": "object"}}
    root_wide = read(
        describe, "2.0", {"parameters": [body]}, consumes=["application/json", "text/xml"]
    )
    own = read(
        describe,
        "2.0",
        {"parameters": [body], "consumes": ["application/merge-patch+json"]},
        consumes=["application/json"],
    )
    neither = read(describe, "2.0", {"parameters": [body]})
    assert [list(o.bodies) for o in (root_wide, own, neither)] == [
        ["application/json", "text/xml"], ["application/merge-patch+json"], ["application/json"],
    ]  # fmt: skip
    assert own.body_required
    assert own.bodies["application/merge-patch+json"].schema == {"type": "object"}
    assert own.parameters == ()


def test_form_of_2(describe: Describe) -> None:
    fields: list[dict[str, Any]] = [
        {"name": "a", "in": "formData", "type": "string", "required": True, "description": "d"},
        {
            "name": "b",
            "in": "formData",
            "type": "array",
            "items": {"type": "string"},
            "collectionFormat": "multi",
        },
    ]
    operation = read(
        describe, "2.0", {"parameters": fields, "consumes": ["application/x-www-form-urlencoded"]}
    )
    body = operation.bodies["application/x-www-form-urlencoded"]
    assert body.schema == {
        "type": "object", "required": ["a"],
        "properties": {"a": {"type": "string", "description": "d"}, "b": {"type": "array", "items": {"type": "string"}}},
    }  # fmt: skip
    assert [(name, e.style, e.explode) for name, e in body.encodings.items()] == [
        ("b", "form", True)
    ]
    assert operation.body_required
    upload = [*fields, {"name": "f", "in": "formData", "type": "file"}]
    operation = read(describe, "2.0", {"parameters": upload})
    assert operation.bodies["multipart/form-data"].schema["properties"]["f"] == {
        "type": "string",
        "format": "binary",
    }


def test_responses_of_2(describe: Describe) -> None:
    headers = {
        "ETag": {"type": "string", "description": "d"},
        "X-List": {"type": "array", "items": {"type": "integer"}},
    }
    responses = {
        "200": {"description": "ok", "schema": {"type": "object"}, "headers": headers},
        "412": {"description": "moved"},
    }
    operation = read(describe, "2.0", {"responses": responses, "produces": ["application/json"]})
    assert operation.responses["200"].bodies == {"application/json": {"type": "object"}}
    assert operation.responses["200"].headers == {
        "ETag": {"type": "string"},
        "X-List": {"type": "array", "items": {"type": "integer"}},
    }
    assert operation.responses["412"].bodies == {}


def test_bodies_of_3(describe: Describe) -> None:
    encoding = {
        "a": {"style": "deepObject", "explode": True},
        "b": {"contentType": "application/json"},
    }
    content = {
        "application/x-www-form-urlencoded": {"schema": {"type": "object"}, "encoding": encoding},
        "application/json": {},
    }
    operation = read(describe, "3.0.3", {"requestBody": {"content": content, "required": True}})
    form = operation.bodies["application/x-www-form-urlencoded"]
    assert [(e.style, e.explode, e.media) for e in form.encodings.values()] == [
        ("deepObject", True, None),
        ("form", True, "application/json"),
    ]
    assert operation.bodies["application/json"].schema == {}
    assert operation.body_required
    assert form.origin.pointer.endswith("/requestBody/content/application~1x-www-form-urlencoded")


def test_responses_of_3(describe: Describe) -> None:
    headers = {
        "ETag": {"schema": {"type": "string"}},
        "Content-Type": {"schema": {"type": "string"}},
    }
    responses = {"2XX": {"description": "ok", "headers": headers, "content": {"application/json": {"schema": {"nullable": True, "type": "object"}}}},
                 "default": {"$ref": "#/components/responses/Problem"}, "x-own": {}}  # fmt: skip
    problem = {
        "Problem": {
            "description": "wrong",
            "content": {"application/problem+json": {"schema": {"type": "object"}}},
        }
    }
    operation = read(describe, "3.0.3", {"responses": responses}, components={"responses": problem})
    assert list(operation.responses) == ["2XX", "default"]
    assert operation.responses["2XX"].bodies == {"application/json": {"type": ["object", "null"]}}
    assert operation.responses["2XX"].headers == {"ETag": {"type": "string"}}
    assert operation.responses["default"].description == "wrong"


def test_security(describe: Describe) -> None:
    schemes = {"token": {"type": "http", "scheme": "Bearer"}, "basic": {"type": "http", "scheme": "basic"},
               "key": {"type": "apiKey", "in": "query", "name": "k"}, "digest": {"type": "http", "scheme": "digest"},
               "open": {"type": "openIdConnect", "openIdConnectUrl": "u"},
               "oauth": {"type": "oauth2", "flows": {"implicit": {"scopes": {"b": "", "a": ""}}, "password": {"scopes": {"c": ""}}}}}  # fmt: skip
    root: dict[str, Any] = {"components": {"securitySchemes": schemes}, "security": [{"token": []}]}
    description = describe("3.1.0", paths={"/x": {
        "get": {"operationId": "inherits", "responses": OK},
        "put": {"operationId": "own", "responses": OK, "security": [{"oauth": ["a"], "key": []}, {}]},
        "post": {"operationId": "none", "responses": OK, "security": []},
    }}, **root)  # fmt: skip
    operations = [description.operation(name).value for name in ("inherits", "own", "none")]
    assert [o.security for o in operations if o] == [
        ({"token": ()},),
        ({"oauth": ("a",), "key": ()}, {}),
        (),
    ]
    read = {
        name: (s.kind, s.location, s.name, s.scopes)
        for name, s in description.security_schemes.items()
    }
    assert read == {
        "token": ("bearer", "header", "Authorization", ()), "basic": ("basic", "header", "Authorization", ()),
        "key": ("api_key", "query", "k", ()), "digest": ("other", "header", "Authorization", ()),
        "open": ("openid", "header", "Authorization", ()), "oauth": ("oauth2", "header", "Authorization", ("a", "b", "c")),
    }  # fmt: skip


def test_scheme_without_sense_is_other(describe: Describe) -> None:
    schemes = {
        "a": {"type": "apiKey", "in": {}, "name": "k"},
        "b": {"type": "apiKey", "in": "body", "name": "k"},
        "c": {},
        "d": 5,
    }
    read = describe("3.1.0", components={"securitySchemes": schemes}).security_schemes
    assert {name: scheme.kind for name, scheme in read.items()} == {
        "a": "other",
        "b": "other",
        "c": "other",
    }


def test_security_of_2_and_silence(describe: Describe) -> None:
    schemes = {
        "b": {"type": "basic"},
        "k": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "o": {"type": "oauth2", "scopes": {"s": ""}},
    }
    description = describe(
        "2.0",
        securityDefinitions=schemes,
        paths={"/x": {"get": {"operationId": "x", "responses": OK}}},
    )
    operation = description.operation("x").value
    assert operation is not None
    assert operation.security is None
    assert [(s.kind, s.name, s.scopes) for s in description.security_schemes.values()] == [
        ("basic", "Authorization", ()), ("api_key", "X-Key", ()), ("oauth2", "Authorization", ("s",)),
    ]  # fmt: skip


def test_undeclared_scheme_is_a_warning(describe: Describe) -> None:
    operation = {"operationId": "x", "responses": OK, "security": [{"none": []}]}
    staged = describe("3.1.0", paths={"/x": {"get": operation}}).operation("x")
    assert [(d.code, d.severity, d.origin.pointer) for d in staged.diagnostics] == [
        ("TC701", "warning", "/paths/~1x/get/security/0/none"),
    ]  # fmt: skip
    assert staged.value is not None


STRING = {"type": "string"}
BROKEN_3 = [
    ({"parameters": {}}, "/parameters"),
    ({"parameters": ["a"]}, "/parameters/0"),
    ({"parameters": [{"in": "query", "schema": STRING}]}, "/parameters/0"),
    ({"parameters": [{"name": "a", "in": "body", "schema": STRING}]}, "/parameters/0"),
    ({"parameters": [{"name": "a", "in": "query"}]}, "/parameters/0"),
    ({"parameters": [{"name": "a", "in": "query", "schema": STRING}] * 2}, "/parameters/1"),
    (
        {"parameters": [{"name": "a", "in": "query", "schema": STRING, "style": "matrix"}]},
        "/parameters/0/style",
    ),
    (
        {"parameters": [{"name": "a", "in": "query", "schema": STRING, "required": "yes"}]},
        "/parameters/0/required",
    ),
    ({"requestBody": []}, "/requestBody"),
    ({"requestBody": {"content": []}}, "/requestBody/content"),
    (
        {"requestBody": {"content": {"a/b": {"encoding": [], "schema": STRING}}}},
        "/requestBody/content/a~1b/encoding",
    ),
    ({"responses": []}, "/responses"),
    ({"responses": {"2xx": {"description": ""}}}, "/responses/2xx"),
    ({"responses": {"200": "fine"}}, "/responses/200"),
    ({"responses": {"200": {"headers": {"A": 1}}}}, "/responses/200/headers/A"),
    ({"responses": {"200": {"description": 1}}}, "/responses/200/description"),
    ({"summary": ["a"]}, "/summary"),
    ({"security": {"a": []}}, "/security"),
    ({"security": [["a"]]}, "/security/0"),
]


@pytest.mark.parametrize(("operation", "pointer"), BROKEN_3)
def test_malformed_operation_of_3(describe: Describe, operation: Any, pointer: str) -> None:
    assert findings(describe, "3.1.0", operation)[0] == ("TC725", pointer)


BODY = {"name": "b", "in": "body", "schema": STRING}
FIELD = {"name": "f", "in": "formData", "type": "string"}
BROKEN_2 = [
    ({"parameters": [{"in": "query", "type": "string"}]}, "TC725", "/parameters/0"),
    ({"parameters": [{"name": "a", "in": "cookie", "type": "string"}]}, "TC725", "/parameters/0"),
    ({"parameters": [{"name": "a", "in": ["query"], "type": "string"}]}, "TC725", "/parameters/0"),
    ({"parameters": [BODY, FIELD]}, "TC725", "/parameters/1"),
    (
        {"parameters": [{"name": "a", "in": "header", "type": "array", "collectionFormat": "tsv"}]},
        "TC705",
        "/parameters/0/collectionFormat",
    ),
    (
        {
            "parameters": [
                {"name": "a", "in": "header", "type": "array", "collectionFormat": "multi"}
            ]
        },
        "TC705",
        "/parameters/0/collectionFormat",
    ),
    (
        {"parameters": [{"name": "a", "in": "query", "type": "array", "items": {"type": "array"}}]},
        "TC705",
        "/parameters/0/items",
    ),
    ({"parameters": [{**FIELD, "type": "text"}]}, "TC725", "/parameters/0/type"),
    ({"consumes": "application/json", "parameters": [BODY]}, "TC725", "/consumes"),
    (
        {"responses": {"200": {"description": "", "headers": {"A": []}}}},
        "TC725",
        "/responses/200/headers/A",
    ),
]


@pytest.mark.parametrize(("operation", "code", "pointer"), BROKEN_2)
def test_malformed_operation_of_2(
    describe: Describe, operation: Any, code: str, pointer: str
) -> None:
    assert findings(describe, "2.0", operation)[0] == (code, pointer)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a: 1\n", "TC724", (1, 1)),
        ("info: {}\nopenapi: 3.3.0\n", "TC724", (2, 1)),
        ("openapi: 3.1\n", "TC724", (1, 1)),
        ("swagger: '1.2'\n", "TC724", (1, 1)),
        (
            "openapi: 3.1.0\njsonSchemaDialect: https://json-schema.org/draft-04/schema\n",
            "TC705",
            (2, 1),
        ),
        ("openapi: 3.1.0\npaths: []\n", "TC725", (2, 1)),
    ],
)
def test_no_description(tmp_path: Path, text: str, code: str, place: tuple[int, int]) -> None:
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    loaded = load_description(tmp_path / "a.yaml")
    assert loaded.value is None
    assert [(d.code, (d.origin.line, d.origin.column)) for d in loaded.diagnostics] == [
        (code, place)
    ]


def test_paths_that_are_no_objects(describe: Describe) -> None:
    description = describe(
        "3.1.0",
        paths={
            "/a": [],
            "/b": {"get": "text"},
            "/c": {"get": {"operationId": "c", "responses": OK}},
        },
    )
    assert [str(key) for key in description.operations()] == ["c"]
    assert [d.code for d in description.operation("GET /a").diagnostics] == ["TC725"]
    assert [d.code for d in description.operation("GET /b").diagnostics] == ["TC725"]
    assert [d.code for d in description.index.findings] == ["TC725", "TC725"]


def test_description_without_paths(describe: Describe) -> None:
    description = describe("3.1.0", paths={}, webhooks={"a": {}})
    assert description.operations() == ()
    assert (description.title, description.version) == ("T", "3.1")
