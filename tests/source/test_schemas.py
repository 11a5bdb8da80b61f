"""Schemas of each version, as JSON Schema 2020-12 says the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from jsonschema_rs import Draft202012Validator

from toolcharter.source import LOOSE_NULL, Description

Normalized: TypeAlias = Callable[[str, Any], Any]
Describe: TypeAlias = Callable[..., Description]
BOTH = ("2.0", "3.0.3")
OLD = [
    ("exclusive minimum", {"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 1}),
    ("inclusive maximum", {"type": "number", "maximum": 9, "exclusiveMaximum": False}, {"type": "number", "maximum": 9}),
    ("example", {"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
    ("documentation", {"type": "string", "xml": {"name": "a"}, "externalDocs": {"url": "b"}}, {"type": "string"}),
    ("extension", {"type": "string", "x-go-name": "A"}, {"type": "string"}),
    ("tuple", {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
     {"type": "array", "prefixItems": [{"type": "string"}], "items": False}),
    ("tuple that is open", {"items": [True, {"items": [{}]}]}, {"prefixItems": [{}, {"prefixItems": [{}]}]}),
    ("additional items of no tuple", {"items": {"type": "string"}, "additionalItems": False}, {"items": {"type": "string"}}),
    ("dependencies", {"dependencies": {"a": ["b", "c"], "d": {"required": ["e"]}, "f": False, "g": []}},
     {"dependentRequired": {"a": ["b", "c"], "g": []}, "dependentSchemas": {"d": {"required": ["e"]}, "f": {"not": {}}}}),
    ("dependencies beside their successors", {"dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["c"]}, "allOf": [{}]},
     {"dependentRequired": {"a": ["c"]}, "allOf": [{}, {"dependentRequired": {"a": ["b"]}}]}),
    ("boolean schemas", {"allOf": [True], "not": False, "properties": {"a": False, "b": True}, "additionalProperties": False},
     {"allOf": [{}], "not": False, "properties": {"a": {"not": {}}, "b": {}}, "additionalProperties": False}),
    ("closed", {"type": "object", "additionalProperties": False, "readOnly": True},
     {"type": "object", "additionalProperties": False, "readOnly": True}),
    ("nested", {"type": "array", "items": {"properties": {"a": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}}},
     {"type": "array", "items": {"properties": {"a": {"type": "integer", "exclusiveMinimum": 0}}}}),
    ("property named like a keyword", {"properties": {"$ref": {"type": "string"}, "nullable": {"type": "string"}, "items": {}}},
     {"properties": {"$ref": {"type": "string"}, "nullable": {"type": "string"}, "items": {}}}),
]  # fmt: skip
NULLABLE = [
    ("type", {"type": "string"}, {"type": ["string", "null"]}),
    ("enum", {"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None], LOOSE_NULL: True}),
    ("enum that has null", {"type": "string", "enum": ["a", None]}, {"type": ["string", "null"], "enum": ["a", None]}),
    ("enum without type", {"enum": ["a"]}, {"enum": ["a", None], LOOSE_NULL: True}),
    ("bounds", {"type": "integer", "minimum": 1}, {"type": ["integer", "null"], "minimum": 1}),
    ("any of", {"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "null", LOOSE_NULL: True}]}),
    ("one of", {"oneOf": [{"type": "string"}], "description": "d"},
     {"description": "d", "anyOf": [{"oneOf": [{"type": "string"}]}, {"type": "null", LOOSE_NULL: True}]}),
    ("all of", {"allOf": [{"type": "string"}], "readOnly": True},
     {"readOnly": True, "anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null", LOOSE_NULL: True}]}),
    ("type and all of", {"type": "object", "allOf": [{"type": "object"}]},
     {"anyOf": [{"type": ["object", "null"], "allOf": [{"type": "object"}]}, {"type": "null", LOOSE_NULL: True}]}),
    ("nothing said", {"description": "d"}, {"description": "d"}),
]  # fmt: skip


@pytest.mark.parametrize("version", BOTH)
@pytest.mark.parametrize(("raw", "expected"), [row[1:] for row in OLD], ids=[row[0] for row in OLD])
def test_old_spellings(normalized: Normalized, version: str, raw: Any, expected: Any) -> None:
    assert normalized(version, raw) == expected


@pytest.mark.parametrize(("version", "key"), [("3.0.3", "nullable"), ("2.0", "x-nullable")])
@pytest.mark.parametrize(
    ("raw", "expected"), [row[1:] for row in NULLABLE], ids=[row[0] for row in NULLABLE]
)
def test_nullable(normalized: Normalized, version: str, key: str, raw: Any, expected: Any) -> None:
    lifted = normalized(version, {**raw, key: True})
    assert lifted == expected
    assert Draft202012Validator(lifted).is_valid(None)
    assert normalized(version, {**raw, key: False}) == normalized(version, raw)


@pytest.mark.parametrize("version", ["3.1.0", "3.2.0"])
def test_dependencies_of_older_drafts(normalized: Normalized, version: str) -> None:
    assert normalized(version, {"dependencies": {"a": ["b"]}}) == {
        "dependentRequired": {"a": ["b"]}
    }


def test_tuples_of_older_drafts_are_a_warning(describe: Describe) -> None:
    read = read_schema(describe, "3.1.0", {"items": [{"type": "string"}], "additionalItems": False})
    assert [(d.code, d.severity) for d in read.diagnostics] == [("TC705", "warning")]
    assert read.value.responses["200"].bodies["application/json"] == {
        "prefixItems": [{"type": "string"}],
        "items": False,
    }


@pytest.mark.parametrize("version", [*BOTH, "3.1.0"])
@pytest.mark.parametrize(("schema", "read"), [(True, {}), (False, {"not": {}})])
def test_boolean_schemas(normalized: Normalized, version: str, schema: bool, read: Any) -> None:
    assert normalized(version, schema) == read


def test_annotations_of_contents_are_kept(normalized: Normalized) -> None:
    schema = {
        "type": "string",
        "contentEncoding": "base64",
        "contentMediaType": "application/json",
        "contentSchema": {"type": "object"},
    }
    assert normalized("3.1.0", schema) == schema


def test_unknown_keywords_are_annotations(describe: Describe) -> None:
    """JSON Schema reads them as such; one that is a keyword but for its spelling is named."""
    read = read_schema(describe, "3.1.0", {"type": "array", "min_items": 1, "optional": True, "UniqueItems": True})  # fmt: skip
    assert [(d.code, d.severity, d.hint) for d in read.diagnostics] == [
        ("TC705", "warning", "did you mean `minItems`?"),
        ("TC705", "warning", "did you mean `uniqueItems`?"),
    ]
    assert read.value.responses["200"].bodies["application/json"] == {"type": "array"}


@pytest.mark.parametrize("key", ["title", "description", "examples", "deprecated"])
def test_malformed_annotations_are_a_warning(describe: Describe, key: str) -> None:
    read = read_schema(describe, "3.1.0", {"type": "string", key: {"a": 1}})
    assert [(d.code, d.severity) for d in read.diagnostics] == [("TC725", "warning")]
    assert read.value.responses["200"].bodies["application/json"] == {"type": "string"}


def test_file_is_binary(normalized: Normalized) -> None:
    assert normalized("2.0", {"type": "file"}) == {"type": "string", "format": "binary"}


def test_references_name_definitions(normalized: Normalized) -> None:
    assert normalized("2.0", {"$ref": "#/definitions/Other"}) == {"$ref": "#/$defs/Other"}
    for version in ("3.0.3", "3.1.0"):
        assert normalized(version, {"$ref": "#/components/schemas/Other"}) == {
            "$ref": "#/$defs/Other"
        }


def test_siblings_of_a_reference(normalized: Normalized, describe: Describe) -> None:
    raw = {"$ref": "#/components/schemas/Other", "description": "d", "maxLength": 5}
    assert normalized("3.1.0", raw) == {"$ref": "#/$defs/Other", "description": "d", "maxLength": 5}
    assert normalized("3.0.3", raw) == {"$ref": "#/$defs/Other"}


def test_ignored_siblings_are_a_warning_where_they_had_force(describe: Describe) -> None:
    described = {"$ref": "#/components/schemas/Other", "description": "d"}
    forceful = {"$ref": "#/components/schemas/Other", "nullable": True, "maxLength": 5}
    schema = {"properties": {"a": described, "b": forceful}}
    read = read_schema(describe, "3.0.3", schema)
    assert [
        (d.code, d.severity, d.origin.pointer.rsplit("/", 2)[1:]) for d in read.diagnostics
    ] == [("TC703", "warning", ["b", "maxLength"])]
    assert read.value is not None


def test_new_spellings_stay(normalized: Normalized) -> None:
    raw = {
        "type": ["object", "null"], "exclusiveMinimum": 0, "const": 1, "prefixItems": [{"type": "string"}], "items": False,
        "if": {"required": ["a"]}, "then": {"minProperties": 2}, "patternProperties": {"^a": {"type": "string"}},
        "unevaluatedProperties": False, "writeOnly": True, "examples": [{"a": 1}],
    }  # fmt: skip
    assert normalized("3.1.0", raw) == raw


def test_truth_as_a_schema(normalized: Normalized) -> None:
    raw = {"properties": {"a": True, "b": False}, "additionalProperties": True, "anyOf": [True]}
    expected = {
        "properties": {"a": {}, "b": {"not": {}}},
        "additionalProperties": True,
        "anyOf": [{}],
    }
    assert normalized("3.1.0", raw) == expected


def test_nullable_has_no_meaning_in_3_1(describe: Describe) -> None:
    read = read_schema(describe, "3.1.0", {"type": "string", "nullable": True})
    assert [(d.code, d.severity) for d in read.diagnostics] == [("TC705", "warning")]
    assert read.value is not None
    assert read.value.responses["200"].bodies["application/json"] == {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "code", "below"),
    [
        ({"type": "text"}, "TC725", "type"),
        ({"type": []}, "TC725", "type"),
        ({"type": "string", "maxLength": "9"}, "TC725", "maxLength"),
        ({"type": "string", "minLength": -1}, "TC725", "minLength"),
        ({"type": "string", "maxLength": True}, "TC725", "maxLength"),
        ({"type": "number", "multipleOf": 0}, "TC725", "multipleOf"),
        ({"exclusiveMinimum": True}, "TC725", "exclusiveMinimum"),
        ({"required": True}, "TC725", "required"),
        ({"enum": "a"}, "TC725", "enum"),
        ({"properties": []}, "TC725", "properties"),
        ({"properties": {"a": "string"}}, "TC725", "a"),
        ({"allOf": {}}, "TC725", "allOf"),
        ({"anyOf": [[]]}, "TC725", "0"),
        ({"items": "string"}, "TC725", "items"),
        ({"discriminator": {}}, "TC725", "discriminator"),
        ({"$ref": 5}, "TC725", "$ref"),
        ({"dependencies": []}, "TC725", "dependencies"),
        ({"dependentRequired": {"a": "b"}}, "TC725", "dependentRequired"),
        ({"$recursiveRef": "#"}, "TC705", "$recursiveRef"),
    ],
)
def test_malformed(describe: Describe, schema: Any, code: str, below: str) -> None:
    """Fidelity: a construct that is not understood is an error at its place, never a schema that accepts anything."""
    for version in ("3.0.3", "3.1.0"):
        read = read_schema(describe, version, schema)
        assert read.value is None
        assert (read.diagnostics[0].code, read.diagnostics[0].origin.pointer.rsplit("/", 1)[1]) == (
            code,
            below,
        )


def test_discriminators(describe: Describe) -> None:
    mapping = {"cat": "Cat", "dog": "#/components/schemas/Dog", "CAT": "#/components/schemas/Cat"}
    pet = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }
    components = {"schemas": {"Pet": pet, "Cat": {"type": "object"}, "Dog": {"type": "object"}}}
    description = describe(
        "3.0.3", paths=path_of({"$ref": "#/components/schemas/Pet"}), components=components
    )
    assert description.operation("x").diagnostics == ()
    read = description.definition("Pet")
    assert read["x-discriminator"] == {
        "propertyName": "kind",
        "mapping": {"cat": "Cat", "dog": "Dog", "CAT": "Cat"},
    }
    assert "discriminator" not in read
    assert description.definition("Dog") == {"type": "object"}


def test_discriminator_of_swagger_2(normalized: Normalized) -> None:
    read = normalized("2.0", {"type": "object", "discriminator": "kind"})
    assert read == {"type": "object", "x-discriminator": {"propertyName": "kind", "mapping": {}}}


def test_mapping_to_nothing(describe: Describe) -> None:
    read = read_schema(
        describe,
        "3.0.3",
        {"discriminator": {"propertyName": "a", "mapping": {"b": "#/components/schemas/None"}}},
    )
    assert [(d.code, d.origin.pointer.rsplit("/", 1)[1]) for d in read.diagnostics] == [
        ("TC701", "b")
    ]


def test_origins_survive(describe: Describe) -> None:
    schema = {
        "properties": {"a": {"type": "string", "nullable": True, "allOf": [{"enum": ["x"]}]}},
        "required": ["a"],
    }
    description = describe("3.0.3", paths=path_of(schema))
    operation = description.operation("x").value
    assert operation is not None
    read = operation.responses["200"].bodies["application/json"]
    top = "/paths/~1x/get/responses/200/content/application~1json/schema"
    lifted = read["properties"]["a"]
    assert description.origin(read).pointer == top
    assert description.origin(read["required"]).pointer == f"{top}/required"
    assert description.origin(read["properties"]).pointer == f"{top}/properties"
    assert description.origin(lifted).pointer == f"{top}/properties/a"
    assert description.origin(lifted["anyOf"][0]).pointer == f"{top}/properties/a"
    assert (
        description.origin(lifted["anyOf"][0]["allOf"][0]["enum"]).pointer
        == f"{top}/properties/a/allOf/0/enum"
    )
    assert operation.origin.pointer == "/paths/~1x/get"
    with pytest.raises(KeyError):
        description.origin({})


def test_ambiguous_scalars_are_a_warning_where_they_decide(tmp_path: Any) -> None:
    from toolcharter.source import load_description

    text = """openapi: 3.1.0
info: {title: T, version: 2027-03-01}
paths:
  /x:
    get:
      operationId: x
      responses:
        200:
          description: on
          content:
            application/json:
              schema:
                enum: [on, off, "yes"]
                default: 012
                examples: [2027-03-01]
"""
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    description = load_description(tmp_path / "a.yaml").value
    assert description is not None
    read = description.operation("x")
    assert [(d.code, d.severity, d.origin.line, d.origin.column) for d in read.diagnostics] == [
        ("TC706", "warning", 13, 24), ("TC706", "warning", 13, 28), ("TC706", "warning", 14, 17),
    ]  # fmt: skip
    assert read.value is not None


def path_of(schema: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {
        "/x": {
            "get": {
                "operationId": "x",
                "responses": {"200": {"description": "", "content": content}},
            }
        }
    }


def read_schema(describe: Describe, version: str, schema: Any) -> Any:
    components = {"schemas": {"Other": {"type": "string"}}}
    return describe(version, paths=path_of(schema), components=components).operation("x")
