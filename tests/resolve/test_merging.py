"""Two schemas as one: what comes of each pair of keywords, and that each pair of constructs keeps its meaning."""

from __future__ import annotations

from itertools import combinations
from typing import Any, cast

import pytest

from toolcharter.resolve.findings import UncarriedError
from toolcharter.resolve.merging import EmptyError, Leftover, merge
from toolcharter.resolve.sameness import same
from toolcharter.resolve.schemas import SchemaReader
from toolcharter.resolve.standalone import standalone
from toolcharter.source import Description

from .meaning import READER, Stub, check

MERGED: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("bounds", {"minimum": 1, "maximum": 9}, {"minimum": 3, "maximum": 10}, {"minimum": 3, "maximum": 9}),
    ("lengths", {"minLength": 1}, {"maxLength": 5, "minLength": 2}, {"minLength": 2, "maxLength": 5}),
    ("exclusive bounds", {"exclusiveMinimum": 1}, {"exclusiveMinimum": 0, "exclusiveMaximum": 2}, {"exclusiveMinimum": 1, "exclusiveMaximum": 2}),
    ("required", {"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
    ("an integer is a number", {"type": "number"}, {"type": "integer"}, {"type": "integer"}),
    ("types of two lists", {"type": ["string", "null"]}, {"type": ["null", "integer"]}, {"type": "null"}),
    ("values of both lists", {"enum": [1, 2, "a"]}, {"enum": ["a", 1.0, True]}, {"enum": [1, "a"]}),
    ("a constant in a list", {"const": "a"}, {"enum": ["b", "a"]}, {"const": "a"}),
    ("uniqueness", {"uniqueItems": False}, {"uniqueItems": True}, {"uniqueItems": True}),
    ("a multiple of the other", {"multipleOf": 0.01}, {"multipleOf": 0.05}, {"multipleOf": 0.05}),
    ("two multiples", {"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
    ("fractions with no common form", {"multipleOf": 0.2}, {"multipleOf": 0.3}, {"multipleOf": 0.2, "allOf": [{"multipleOf": 0.3}]}),
    ("two patterns", {"pattern": "a"}, {"pattern": "b"}, {"pattern": "a", "allOf": [{"pattern": "b"}]}),
    ("one pattern", {"pattern": "a"}, {"pattern": "a"}, {"pattern": "a"}),
    ("two formats", {"format": "uri"}, {"format": "uuid"}, {"format": "uri", "allOf": [{"format": "uuid"}]}),
    ("a narrower integer", {"format": "int64"}, {"format": "int32"}, {"format": "int32"}),
    ("two negations", {"not": {"const": 1}}, {"not": {"const": 2}}, {"not": {"const": 1}, "allOf": [{"not": {"const": 2}}]}),
    ("two conditions", {"if": {"minimum": 1}, "then": {"maximum": 2}}, {"if": {"minLength": 1}, "else": {"maxLength": 0}},
     {"if": {"minimum": 1}, "then": {"maximum": 2}, "allOf": [{"if": {"minLength": 1}, "else": {"maxLength": 0}}]}),
    ("a branch of no condition", {"then": {"maximum": 2}}, {"if": {"minimum": 1}}, {"if": {"minimum": 1}}),
    ("what two lists contain", {"contains": {"const": 1}, "minContains": 2}, {"contains": {"const": 2}},
     {"contains": {"const": 1}, "minContains": 2, "allOf": [{"contains": {"const": 2}}]}),
    ("properties", {"properties": {"a": {"minimum": 1}}}, {"properties": {"a": {"maximum": 2}, "b": {}}},
     {"properties": {"a": {"allOf": [{"minimum": 1}, {"maximum": 2}]}, "b": {}}}),
    ("a closed side", {"properties": {"a": {}}, "additionalProperties": False}, {"properties": {"b": {"type": "string"}}},
     {"properties": {"a": {}}, "additionalProperties": False}),
    ("two closed sides", {"properties": {"a": {}, "b": {}}, "additionalProperties": False}, {"properties": {"b": {}, "c": {}}, "additionalProperties": False},
     {"properties": {"b": {}}, "additionalProperties": False}),
    ("further properties of a type", {"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, {"properties": {"b": {"minLength": 1}}},
     {"properties": {"a": {}, "b": {"allOf": [{"type": "string"}, {"minLength": 1}]}}, "additionalProperties": {"type": "string"}}),
    ("a pattern that a closed side allows", {"patternProperties": {"^x-": {}}, "additionalProperties": False}, {"properties": {"x-a": {"type": "string"}, "b": {}}},
     {"properties": {"x-a": {"type": "string"}}, "patternProperties": {"^x-": {}}, "additionalProperties": False}),
    ("elements", {"items": {"minimum": 1}}, {"items": {"maximum": 2}}, {"items": {"allOf": [{"minimum": 1}, {"maximum": 2}]}}),
    ("first elements", {"prefixItems": [{"minimum": 1}], "items": False}, {"prefixItems": [{}, {"maximum": 2}]}, {"prefixItems": [{"minimum": 1}, False], "items": False}),
    ("dependencies", {"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["c"], "b": ["a"]}}, {"dependentRequired": {"a": ["b", "c"], "b": ["a"]}}),
    ("dependent schemas", {"dependentSchemas": {"a": {"minProperties": 2}}}, {"dependentSchemas": {"a": {"maxProperties": 3}}},
     {"dependentSchemas": {"a": {"allOf": [{"minProperties": 2}, {"maxProperties": 3}]}}}),
    ("names", {"propertyNames": {"minLength": 2}}, {"propertyNames": {"maxLength": 3}}, {"propertyNames": {"allOf": [{"minLength": 2}, {"maxLength": 3}]}}),
    ("negations of a number and of a boolean", {"allOf": [Leftover({"not": {"const": 1}})]}, {"allOf": [Leftover({"not": {"const": True}})]},
     {"allOf": [{"not": {"const": 1}}, {"not": {"const": True}}]}),
    ("texts about it", {"title": "A", "x-a": 1}, {"title": "B", "x-a": 2}, {"title": "A", "x-a": 1}),
    ("only in answers", {"readOnly": False}, {"readOnly": True}, {"readOnly": True}),
    ("a keyword that nobody knows", {"frobnicate": 1}, {"frobnicate": 2}, {"frobnicate": 1, "allOf": [{"frobnicate": 2}]}),
]  # fmt: skip
EMPTY = [
    ({"type": "string"}, {"type": "integer"}),
    ({"type": ["string", "null"]}, {"type": ["array", "object"]}),
    ({"enum": [1]}, {"enum": [True]}),
    ({"const": 1}, {"const": 2}),
    ({"const": False}, {"enum": [0]}),
]


@pytest.mark.parametrize(("name", "left", "right", "merged"), MERGED, ids=[r[0] for r in MERGED])
def test_merged(
    name: str, left: dict[str, Any], right: dict[str, Any], merged: dict[str, Any]
) -> None:
    del name
    assert same(merge(left, right), merged)


@pytest.mark.parametrize(("left", "right"), EMPTY)
def test_no_value_is_left(left: dict[str, Any], right: dict[str, Any]) -> None:
    with pytest.raises(EmptyError) as caught:
        merge(left, right)
    assert caught.value.code == "TC115"


CONSTRUCTS: list[dict[str, Any]] = [
    {"$ref": "#/$defs/Shut"},
    {"$ref": "#/$defs/Maybe"},
    {"$ref": "#/$defs/Apart"},
    {"type": ["string", "integer", "null"]},
    {"enum": [None, 1, "a", True, {"a": 1}, [1]]},
    {"const": 1},
    {"const": 1, "enum": [1, "a"]},
    {"const": 1, "enum": [True, "a"]},
    {"oneOf": [{"type": "string"}, {"type": "null"}]},
    {"oneOf": [{"type": "integer"}, {"type": "number"}, {"required": ["a"]}]},
    {"anyOf": [{"required": ["a"]}, {"required": ["b"]}, {"minLength": 1, "type": "string"}]},
    {"oneOf": [{"minimum": 1}, {"maximum": 1}], "anyOf": [{"type": "number"}, {"type": "string"}]},
    {"not": {"required": ["a", "b"]}},
    {"not": {"type": "string"}},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"maxProperties": 1}},
    {"dependentRequired": {"a": ["c"]}},
    {"dependentSchemas": {"b": {"properties": {"b": {"type": "string"}}}}},
    {"properties": {"a": {"type": "string"}, "b": {}}, "additionalProperties": False},
    {"properties": {"a": {}}, "unevaluatedProperties": False},
    {"patternProperties": {"^[ab]$": {"type": ["string", "integer"]}}, "additionalProperties": {"type": "integer"}},
    {"propertyNames": {"enum": ["a", "b"]}, "minProperties": 1},
    {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
    {"contains": {"type": "string"}, "maxContains": 1},
    {"contains": {"const": 1}, "minContains": 0},
    {"items": {"type": "integer"}, "uniqueItems": True},
    {"prefixItems": [{}], "unevaluatedItems": {"type": "integer"}},
    {"pattern": "^a", "type": "string"},
    {"pattern": "b"},
    {"multipleOf": 1.5},
    {"multipleOf": 2, "minimum": 1},
]  # fmt: skip
PAIRS = list(combinations(range(len(CONSTRUCTS)), 2))


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_pairs_of_constructs_keep_their_meaning(keyword: str) -> None:
    assert len(PAIRS) == 435
    for one, other in PAIRS:
        check({keyword: [CONSTRUCTS[one], CONSTRUCTS[other]]})


@pytest.mark.parametrize("one", range(len(CONSTRUCTS)))
def test_each_construct_keeps_its_meaning_in_others(one: int) -> None:
    construct = CONSTRUCTS[one]
    check(construct)
    check({**construct, "allOf": [{"$ref": "#/$defs/Pair"}]})
    check({"type": ["object", "null"], "properties": {"c": {}}, "allOf": [construct]})
    check({"oneOf": [construct, construct]})
    check({"oneOf": [{"allOf": [construct, {"type": "object"}]}, {"type": "null"}]})
    check({"allOf": [{"anyOf": [construct, {"type": "string"}]}, {"oneOf": [construct, {"type": "array"}]}]})  # fmt: skip


def test_a_union_of_nothing_has_no_value() -> None:
    schemas: list[dict[str, Any]] = [
        {"oneOf": [{"not": {}}]},
        {"allOf": [{"not": {}}]},
        {"not": {}},
    ]
    for schema in schemas:
        with pytest.raises(EmptyError):
            READER.expand(schema)


def test_an_impossible_branch_is_dropped() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "oneOf": [{"type": "string"}, {"required": ["a"]}, {"not": {}}],
    }
    expanded = READER.expand(schema)
    assert [branch.schema for branch in expanded.branches] == [
        {"required": ["a"], "type": "object"}
    ]
    assert not expanded.nullable


def test_a_component_is_named_where_it_is_the_one_part() -> None:
    parts = [{"allOf": [{"$ref": "#/$defs/Pair"}], "description": "x"}, {"$ref": "#/$defs/Shut"}]
    expanded = READER.expand(
        {"oneOf": [*parts, {"allOf": [{"$ref": "#/$defs/Name"}], "maxLength": 2}]}
    )
    assert [branch.name for branch in expanded.branches] == ["Pair", "Shut", None]


def test_a_union_of_itself_is_refused_and_one_of_many_ways_ends() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(14):
        deep = {"anyOf": [deep, deep]}
    for kind in ("string", "integer"):
        with pytest.raises(UncarriedError):
            READER.expand({"type": kind, **deep})
    reader = SchemaReader(cast("Description", Stub({"A": {"anyOf": [{"$ref": "#/$defs/A"}, {}]}})))
    with pytest.raises(UncarriedError):
        reader.expand({"$ref": "#/$defs/A"})


def test_a_request_is_not_asked_for_what_only_an_answer_has() -> None:
    shape = {"properties": {"a": {"readOnly": True}, "b": {}}, "required": ["a", "b"]}
    assert standalone(READER, {"not": shape}) == {
        "not": {"properties": {"a": {}, "b": {}}, "required": ["b"]}
    }


def test_a_component_that_is_reached_in_many_ways_is_read_once() -> None:
    chain: dict[str, Any] = {
        f"L{i}": {"allOf": [{"$ref": f"#/$defs/L{i + 1}"}, {"$ref": f"#/$defs/L{i + 1}"}]}
        for i in range(40)
    }
    reader = SchemaReader(cast("Description", Stub({**chain, "L40": {"type": "string"}})))
    assert reader.flat({"$ref": "#/$defs/L0"}) == {"type": "string"}
