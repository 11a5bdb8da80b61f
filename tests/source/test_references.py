"""References inside the folder of a description: followed across files, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolcharter.source import Description, load_description
from toolcharter.source.slice import slice_description

MAIN = """openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /a: {$ref: paths/a.yaml}
  /b/{id}:
    $ref: "paths/all.yaml#/b"
components:
  schemas:
    Own: {type: object, properties: {next: {$ref: "#/components/schemas/Own"}, other: {$ref: models/other.yaml}}}
    models.shared: {type: integer}
"""
FILES = {
    "api.yaml": MAIN,
    "paths/a.yaml": """get:
  operationId: getA
  parameters: [{$ref: ../parameters.yaml#/limit}]
  responses:
    200: {$ref: ../responses.yaml#/ok}
post:
  $ref: post.yaml
""",
    "paths/all.yaml": """b:
  parameters: [{name: id, in: path, required: true, schema: {type: string}}]
  get: {operationId: getB, responses: {204: {description: none}}}
""",
    "paths/post.yaml": """operationId: postA
requestBody: {$ref: "../bodies.yaml#/a~1b%20c"}
responses: {default: {description: any}}
""",
    "parameters.yaml": "limit: {name: limit, in: query, schema: {$ref: 'models/other.yaml#/properties/size'}}\n",
    "bodies.yaml": """a/b c: {content: {application/json: {schema: {$ref: models/shared.yaml}}}}
""",
    "responses.yaml": """ok:
  description: fine
  headers: {ETag: {$ref: "#/etag"}}
  content: {application/json: {schema: {$ref: "api.yaml#/components/schemas/Own"}}}
etag: {schema: {type: string}}
""",
    "models/other.yaml": "type: object\nproperties: {size: {type: integer}, again: {$ref: other.yaml}}\n",
    "models/shared.yaml": "type: string\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def load(path: Path, folder: Path | None = None) -> Description:
    description = load_description(path, folder=folder).value
    assert description is not None
    return description


def test_operations_across_files(folder: Path) -> None:
    description = load(Path("api.yaml"))
    assert [str(key) for key in description.operations()] == ["getA", "postA", "getB"]
    get, post = description.operation("getA").value, description.operation("POST /a").value
    assert get is not None
    assert post is not None
    assert [(p.name, p.schema) for p in get.parameters] == [
        ("limit", {"$ref": "#/$defs/models.other.properties.size"})
    ]
    assert get.responses["200"].headers == {"ETag": {"type": "string"}}
    assert get.responses["200"].bodies == {"application/json": {"$ref": "#/$defs/Own"}}
    assert str(get.responses["200"].origin) == "responses.yaml:1:1"
    assert str(post.origin) == "paths/post.yaml:1:1"
    assert str(get.parameters[0].origin) == "parameters.yaml:1:1"


def test_names_of_other_files_are_their_paths(folder: Path) -> None:
    description = load(Path("api.yaml"))
    description.operation("getA")
    post = description.operation("postA").value
    assert post is not None
    assert description.definition("Own") == {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Own"}, "other": {"$ref": "#/$defs/models.other"}},
    }
    assert description.definition("models.other")["properties"]["again"] == {
        "$ref": "#/$defs/models.other"
    }
    # The root file has a component of that very name, so the file's gets a digest of its place.
    reference = post.bodies["application/json"].schema["$ref"]
    assert reference.startswith("#/$defs/models.shared_")
    assert description.definition(reference.removeprefix("#/$defs/")) == {"type": "string"}


def test_names_do_not_depend_on_the_order_of_questions(folder: Path) -> None:
    names = []
    for order in (("getA", "postA"), ("postA", "getA")):
        description = load(Path("api.yaml"))
        read = {name: description.operation(name).value for name in order}
        body = read["postA"]
        assert body is not None
        names.append(body.bodies["application/json"].schema)
    assert names[0] == names[1]


def test_files_are_those_that_were_reached(folder: Path) -> None:
    description = load(Path("api.yaml"))
    assert [file.path for file in description.files] == ["api.yaml"]
    description.operation("GET /b/{id}")
    assert [file.path for file in description.files] == ["api.yaml", "paths/all.yaml"]
    assert len(description.files[0].sha256) == 64


def test_cleaned_names_are_stable(tmp_path: Path) -> None:
    names = ["A b", "A/b", "A_b", "É"]
    schemas: dict[str, Any] = {name: {"type": "string", "title": name} for name in names}
    properties = {
        str(i): {"$ref": f"#/definitions/{name.replace('/', '~1').replace(' ', '%20')}"}
        for i, name in enumerate(names)
    }
    description = swagger(tmp_path, {"properties": properties}, schemas)
    operation = description.operation("x").value
    assert operation is not None
    read = operation.responses["200"].bodies["application/json"]["properties"]
    references = [read[str(i)]["$ref"].removeprefix("#/$defs/") for i in range(len(names))]
    assert references[2] == "A_b"
    assert len(set(references)) == len(names)
    assert all(
        reference.replace("_", "").isalnum() and reference.isascii() for reference in references
    )
    assert [description.definition(reference)["title"] for reference in references] == names


def swagger(tmp_path: Path, schema: Any, definitions: dict[str, Any]) -> Description:
    responses = {"200": {"description": "", "schema": schema}}
    root = {"swagger": "2.0", "info": {"title": "T", "version": "1"}, "definitions": definitions,
            "paths": {"/x": {"get": {"operationId": "x", "responses": responses}}}}  # fmt: skip
    (tmp_path / "s.json").write_text(json.dumps(root), "utf-8")
    return load(tmp_path / "s.json")


def load_document_of(folder: Path, reference: str) -> Description:
    content = {"application/json": {"schema": {"$ref": reference}}}
    responses = {"200": {"description": "", "content": content}}
    root = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/x": {"get": {"operationId": "x", "responses": responses}}},
    }
    (folder / "api.json").write_text(json.dumps(root, indent=1), "utf-8")
    return load(folder / "api.json")


@pytest.mark.parametrize(
    ("reference", "code", "hint"),
    [
        ("#/components/schemas/Owm", "TC701", "did you mean `/components/schemas/Own`?"),
        ("#/components/schemas/Own/allOf/0", "TC701", "add the definition, or mend the name"),
        ("models/othr.yaml", "TC701", "did you mean `other.yaml`?"),
        ("none/none.yaml", "TC701", "add the file, or mend the name"),
        ("models", "TC701", "add the file, or mend the name"),
        (
            "https://example.com/a.yaml",
            "TC702",
            "keep a copy of the file in the folder and refer to that",
        ),
        (
            "//example.com/a.yaml#/b",
            "TC702",
            "keep a copy of the file in the folder and refer to that",
        ),
        ("HTTP://example.com/", "TC702", "keep a copy of the file in the folder and refer to that"),
        ("file:///etc/passwd", "TC722", None),
        ("/etc/passwd", "TC722", None),
        ("../outside.yaml", "TC722", None),
        ("models/../../outside.yaml", "TC722", None),
        ("%2e%2e/outside.yaml", "TC722", None),
        ("..\\outside.yaml", "TC722", None),
        ("link.yaml", "TC722", None),
        ("folder/outside.yaml", "TC722", None),
        ("broken.yaml", "TC714", None),
        ("http://[", "TC701", None),
        ("loop.yaml", "TC701", None),
        ("a" * 300, "TC701", None),
        ("a/" * 3000, "TC701", None),
    ],
)
def test_refused(tmp_path: Path, folder: Path, reference: str, code: str, hint: str | None) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside.yaml").write_text("type: string\n", "utf-8")
    (inside / "models").mkdir()
    (inside / "models" / "other.yaml").write_text("type: string\n", "utf-8")
    (inside / "broken.yaml").write_text("a: [\n", "utf-8")
    (inside / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "folder").symlink_to(tmp_path)
    (inside / "loop.yaml").symlink_to("loop.yaml")
    content = {"application/json": {"schema": {"$ref": reference}}}
    root = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "components": {"schemas": {"Own": {"type": "string"}}},
            "paths": {"/x": {"get": {"operationId": "x", "responses": {"200": {"description": "", "content": content}}}}}}  # fmt: skip
    (inside / "api.json").write_text(json.dumps(root, indent=1), "utf-8")
    read = load(inside / "api.json").operation("x")
    assert read.value is None
    (finding,) = read.diagnostics
    assert finding.code == code
    if code != "TC714":
        assert finding.origin.pointer.endswith("/schema/$ref")
    if hint is not None:
        assert finding.hint == hint


def test_password_of_an_address_is_not_told(tmp_path: Path) -> None:
    document = load_document_of(tmp_path, "https://user:hunter2@example.com/a.yaml#/b")
    read = document.operation("x")
    assert [finding.message for finding in read.diagnostics] == [
        "`https://example.com/a.yaml` is on the network"
    ]


def test_description_outside_its_folder_is_not_read(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside.json").write_text("not JSON: hunter2", "utf-8")
    (inside / "link.json").symlink_to(tmp_path / "outside.json")
    for name in ("link.json", "../outside.json"):
        staged = load_description(inside / name, folder=inside)
        assert [(finding.code, finding.origin.line) for finding in staged.diagnostics] == [
            ("TC722", 1)
        ]


def test_link_that_stays_inside(folder: Path) -> None:
    (folder / "models" / "alias.yaml").symlink_to(folder / "models" / "other.yaml")
    (folder / "parameters.yaml").write_text(
        "limit: {name: a, in: query, schema: {$ref: models/alias.yaml}}\n", "utf-8"
    )
    operation = load(Path("api.yaml")).operation("getA").value
    assert operation is not None
    assert operation.parameters[0].schema == {"$ref": "#/$defs/models.other"}


def test_folder_may_be_wider_than_the_root_files(folder: Path) -> None:
    (folder / "models" / "deep.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/x: {get: {operationId: x, parameters: [{$ref: ../parameters.yaml#/limit}]}}}\n",
        "utf-8",
    )
    path = folder / "models" / "deep.yaml"
    assert [d.code for d in load(path).operation("x").diagnostics] == ["TC722"]
    assert load(path, folder).operation("x").diagnostics == ()
    outside = load_description(folder / "api.yaml", folder=folder / "models")
    assert [d.code for d in outside.diagnostics] == ["TC722"]


CYCLES = [
    ("reference", {"A": {"$ref": "#/definitions/B"}, "B": {"$ref": "#/definitions/A"}}, {"TC723"}),
    ("itself", {"A": {"$ref": "#/definitions/A"}}, {"TC723"}),
    (
        "all of",
        {
            "A": {"allOf": [{"$ref": "#/definitions/B"}]},
            "B": {"allOf": [{"$ref": "#/definitions/A"}]},
        },
        {"TC723"},
    ),
    ("below a property", {"A": {"properties": {"a": {"$ref": "#/definitions/A"}}}}, set()),
    ("below items", {"A": {"items": {"$ref": "#/definitions/A"}}}, set()),
    (
        "diamond",
        {
            "A": {"allOf": [{"$ref": "#/definitions/B"}, {"$ref": "#/definitions/B"}]},
            "B": {"type": "object"},
        },
        set(),
    ),
]


@pytest.mark.parametrize(
    ("definitions", "codes"), [row[1:] for row in CYCLES], ids=[row[0] for row in CYCLES]
)
def test_cycles(tmp_path: Path, definitions: Any, codes: set[str]) -> None:
    read = swagger(tmp_path, {"$ref": "#/definitions/A"}, definitions).operation("x")
    assert {d.code for d in read.diagnostics} == codes
    assert (read.value is None) == bool(codes)


@pytest.mark.parametrize("keyword", ["allOf", "anyOf"])
def test_a_long_chain_is_read_to_its_end(tmp_path: Path, keyword: str) -> None:
    chain = {f"A{i}": {keyword: [{"$ref": f"#/definitions/A{i + 1}"}]} for i in range(1500)}
    definitions = {**chain, "A1500": {"type": "string"}}
    assert swagger(tmp_path, {"$ref": "#/definitions/A0"}, definitions).operation("x").value
    definitions["A1500"] = {"allOf": [{"$ref": "#/definitions/A1499"}]}
    read = swagger(tmp_path, {"$ref": "#/definitions/A0"}, definitions).operation("x")
    assert len(read.diagnostics) == (2 if keyword == "allOf" else 0)


def test_cycle_of_parameters_and_of_files(folder: Path) -> None:
    (folder / "parameters.yaml").write_text(
        "limit: {$ref: '#/other'}\nother: {$ref: '#/limit'}\n", "utf-8"
    )
    (folder / "paths" / "all.yaml").write_text("b: {$ref: 'more.yaml#/b'}\n", "utf-8")
    (folder / "paths" / "more.yaml").write_text("b: {$ref: 'all.yaml#/b'}\n", "utf-8")
    description = load(Path("api.yaml"))
    assert [(d.code, str(d.origin)) for d in description.operation("getA").diagnostics] == [
        ("TC723", "paths/a.yaml:3:16")
    ]
    assert [d.code for d in description.operation("GET /b/{id}").diagnostics] == ["TC723"]
    assert [str(key) for key in description.operations()] == ["getA", "postA"]
    assert [d.code for d in description.operation("getB").diagnostics] == ["TC726", "TC723"]


def test_one_broken_operation_does_not_stop_another(folder: Path) -> None:
    (folder / "bodies.yaml").unlink()
    description = load(Path("api.yaml"))
    assert [d.code for d in description.operation("postA").diagnostics] == ["TC701"]
    assert description.operation("getA").diagnostics == ()


SHARED = {
    "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
    "get": {"operationId": "get", "responses": {"200": {"description": ""}}},
}


def test_what_stands_beside_a_path_items_reference(tmp_path: Path) -> None:
    """OpenAPI leaves open only what a member means that stands in both; the others hold together."""
    put = {"operationId": "put", "responses": {"200": {"description": ""}}}
    far = {"$ref": "shared.json", "summary": "far", "put": put}
    root = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"$ref": "#/components/pathItems/Far", "summary": "near", "x-a": 1}},
        "components": {"pathItems": {"Far": far}},
    }
    (tmp_path / "api.json").write_text(json.dumps(root), "utf-8")
    (tmp_path / "shared.json").write_text(json.dumps(SHARED), "utf-8")
    description = load(tmp_path / "api.json")
    assert [str(key) for key in description.operations()] == ["get", "put"]
    for name in ("get", "put"):
        read = description.operation(name).value
        assert read is not None
        assert [parameter.name for parameter in read.parameters] == ["q"]
    item = slice_description(description, ["put"])["paths"]["/a"]
    assert item == {"summary": "near", "parameters": SHARED["parameters"], "put": put}


def test_a_member_in_both_path_items_is_refused(tmp_path: Path) -> None:
    item = {"$ref": "shared.json", "get": {"operationId": "own", "responses": {}}}
    fine = {"get": {"operationId": "fine", "responses": {}}}
    root = {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": item, "/b": fine},
    }
    (tmp_path / "api.json").write_text(json.dumps(root), "utf-8")
    (tmp_path / "shared.json").write_text(json.dumps(SHARED), "utf-8")
    description = load(tmp_path / "api.json")
    assert [str(key) for key in description.operations()] == ["fine"]
    refused = description.operation("GET /a").diagnostics
    assert [(d.code, d.origin.pointer) for d in refused] == [("TC707", "/paths/~1a/get")]


def test_what_stands_beside_a_reference_object_is_a_warning(tmp_path: Path) -> None:
    parameter = {
        "$ref": "#/components/parameters/Q",
        "description": "d",
        "x-a": 1,
        "required": True,
    }
    root = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a", "parameters": [parameter], "responses": {}}}},
        "components": {"parameters": {"Q": SHARED["parameters"][0]}},
    }
    (tmp_path / "api.json").write_text(json.dumps(root), "utf-8")
    read = load(tmp_path / "api.json").operation("a")
    assert [(d.code, d.severity, d.origin.pointer) for d in read.diagnostics] == [
        ("TC703", "warning", "/paths/~1a/get/parameters/0/required")
    ]
    assert read.value is not None
    assert not read.value.parameters[0].required


def test_mapping_to_a_component_of_the_file_that_says_it(tmp_path: Path) -> None:
    union = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat", "dog": "Dog"}},
    }
    far = {
        "components": {
            "schemas": {"Pet": union, "Cat": {"type": "object"}, "Dog": {"minProperties": 1}}
        }
    }
    answer = {
        "description": "",
        "content": {"a/b": {"schema": {"$ref": "far.json#/components/schemas/Pet"}}},
    }
    root = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": answer}}}},
        "components": {"schemas": {"Dog": {"type": "object", "maxProperties": 9}}},
    }
    (tmp_path / "api.json").write_text(json.dumps(root), "utf-8")
    (tmp_path / "far.json").write_text(json.dumps(far), "utf-8")
    description = load(tmp_path / "api.json")
    assert description.operation("a").diagnostics == ()
    pet = description.definition("far.components.schemas.Pet")
    mapping = pet["x-discriminator"]["mapping"]
    assert mapping == {"cat": "far.components.schemas.Cat", "dog": "Dog"}
    sliced = slice_description(description, ["a"])["components"]["schemas"]
    assert sliced["far.components.schemas.Pet"]["discriminator"]["mapping"] == {
        "cat": "#/components/schemas/far.components.schemas.Cat",
        "dog": "Dog",
    }
    assert sliced["Dog"] == {"type": "object", "maxProperties": 9}
