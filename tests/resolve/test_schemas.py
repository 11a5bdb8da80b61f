"""Schemas of the description, step by step: pointers, references without end, definitions at the root."""

from __future__ import annotations

from typing import Any, cast

import pytest

from toolcharter.charter.schema import InputSpec
from toolcharter.resolve.asserted import asserted
from toolcharter.resolve.case import Input
from toolcharter.resolve.findings import UncarriedError
from toolcharter.resolve.hoisting import rooted
from toolcharter.resolve.logic import all_of, any_of
from toolcharter.resolve.projecting import Flattened, Spots
from toolcharter.resolve.sameness import same
from toolcharter.resolve.schemas import SchemaReader
from toolcharter.resolve.steps import into
from toolcharter.source import Description
from toolcharter_runtime.schemas import compile_schema

from .meaning import Stub

LIST: dict[str, Any] = {"type": "array", "minItems": 2, "items": {"type": "string"}}


def reader_of(definitions: dict[str, Any]) -> SchemaReader:
    return SchemaReader(cast("Description", Stub(definitions)))


@pytest.mark.parametrize("segment", ["²", "٣", "9" * 5000, "-1", "1.0", "a"])
def test_what_is_no_index_names_no_element(segment: str) -> None:
    assert not into(LIST, segment).exists


def test_an_index_names_an_element() -> None:
    assert into(LIST, "1").required
    assert not into(LIST, "2").required


def test_references_that_lead_on_too_often_are_refused() -> None:
    definitions: dict[str, Any] = {
        f"A{i}": {"allOf": [{"$ref": f"#/$defs/A{i + 1}"}]} for i in range(1500)
    }
    reader = reader_of({**definitions, "A1500": {"type": "string"}})
    for read in (reader.flat, reader.expand):
        with pytest.raises(UncarriedError):
            read({"$ref": "#/$defs/A0"})
    with pytest.raises(UncarriedError):
        reader.expand({"anyOf": [{"$ref": "#/$defs/A0"}, {"type": "null"}]})


def test_a_condition_that_contains_itself_is_refused() -> None:
    reader = reader_of({"Loop": {"not": {"$ref": "#/$defs/Loop"}}})
    with pytest.raises(UncarriedError, match="contain themselves"):
        Flattened(reader, Spots({}, {}, {})).project({"$ref": "#/$defs/Loop"}, ())


def test_a_malformed_pattern_of_names_is_refused() -> None:
    schema = {"patternProperties": {"(": {"type": "string"}}}
    with pytest.raises(UncarriedError) as caught:
        Flattened(reader_of({}), Spots({}, {("a",): 1}, {})).project(schema, ())
    assert caught.value.code == "TC212"


@pytest.mark.parametrize(
    ("held", "asked"), [({"const": 1}, {"const": True}), ({"type": "string"}, {"const": None})]
)
def test_a_branch_asks_for_what_the_input_does_not_promise(
    held: dict[str, Any], asked: dict[str, Any]
) -> None:
    one = Input("a", held, True, InputSpec(), "/a")
    flat = Flattened(reader_of({}), Spots({("a",): one}, {}, {}))
    assert flat.project({"properties": {"a": asked}}, ()) == {"properties": {"a": asked}}


def test_definitions_below_properties_named_like_keywords() -> None:
    inner = {"$defs": {"A": {"type": "integer"}}, "$ref": "#/$defs/A"}
    names = ("default", "enum", "const", "examples", "required", "$defs", "$ref")
    schema = {"type": "object", "properties": dict.fromkeys(names, inner), "default": {"$defs": 1}}
    made = rooted(schema)
    assert made["properties"] == {key: {"$ref": "#/$defs/A"} for key in names}
    assert made["default"] == {"$defs": 1}
    assert not compile_schema(made).is_valid({"default": "x"})


def test_a_definition_never_takes_the_name_of_another() -> None:
    def made(of_a: dict[str, Any]) -> dict[str, Any]:
        both = [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A_"}]
        return {"prefixItems": both, "$defs": {"A": of_a, "A_": {"type": "string"}}}

    schema = {"properties": {"a": made({"const": 1}), "b": made({"const": True})}}
    compiled = compile_schema(rooted(schema))
    assert compiled.is_valid({"a": [1, "x"], "b": [True, "x"]})
    assert not compiled.is_valid({"b": [1, "x"]})
    assert not compiled.is_valid({"b": ["x", "x"]})


def test_a_number_and_a_boolean_are_two_conditions() -> None:
    one, other = ({"properties": {"a": {"const": value}}} for value in (1, True))
    assert same(all_of([one, other, one]), {"allOf": [one, other]})
    assert same(any_of([one, other]), {"anyOf": [one, other]})


def test_a_default_is_no_schema() -> None:
    schema = {"default": {"properties": 1, "format": "int32"}, "format": "unknown"}
    assert asserted(schema) == {"default": {"properties": 1, "format": "int32"}}
