"""The models: what they look like, that they take what the schema takes, and that nothing else comes out."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from toolcharter.emit._format import format_python
from toolcharter.emit.models import contract_texts
from toolcharter_runtime.frozen import Contract

sys.path.insert(0, str(Path(__file__).parent))
from contracts_by_hand import address_change, closed, get_customer, search_customers
from loading import load, text_of

NEVER_EMITTED = {"Any", "EmailStr", "RootModel", "constr", "conint", "TypeAliasType", "AnyUrl"}


def arguments_of(schema: dict[str, Any]) -> tuple[type[BaseModel], str]:
    contract = get_customer(arguments=schema)
    text = text_of(contract)
    model: type[BaseModel] = load(contract, text).GetCustomerArguments
    return model, text


def takes(model: type[BaseModel], value: object) -> bool:
    try:
        model.model_validate_json(json.dumps(value))
    except ValidationError:
        return False
    return True


FORMS: dict[str, tuple[dict[str, Any], str]] = {
    "bounds": ({"type": "string", "minLength": 1, "maxLength": 5}, "Annotated[str | MISSING, Field(max_length=5, min_length=1)]"),
    "pattern": ({"type": "string", "pattern": "^a\"'\\\\b$"}, 'Annotated[str | MISSING, Field(pattern="^a\\"\'\\\\\\\\b$")]'),
    "integer": ({"type": "integer", "minimum": -1, "maximum": 50000, "multipleOf": 5}, "Annotated[int | MISSING, Field(ge=-1, le=50000, multiple_of=5)]"),
    "number": ({"type": "number", "exclusiveMinimum": 0.5, "multipleOf": 0.01}, "Annotated[float | MISSING, Field(gt=0.5)]"),
    "nullable": ({"type": ["string", "null"], "maxLength": 5}, "Annotated[str | MISSING | None, Field(max_length=5)]"),
    "null": ({"type": "null"}, "MISSING | None"),
    "boolean": ({"type": "boolean"}, "bool | MISSING"),
    "enum": ({"enum": ["a", "b"]}, 'Literal["a", "b"] | MISSING'),
    "typed enum": ({"type": "string", "enum": ["a", "b"]}, 'Literal["a", "b"] | MISSING'),
    "enum with null": ({"type": ["string", "null"], "enum": ["a", None]}, 'Literal["a"] | MISSING | None'),
    "enum of numbers": ({"enum": [1, -2]}, "Literal[1, -2] | MISSING"),
    "enum with a fraction": ({"enum": ["a", 1.5, None]}, 'Literal["a"] | float | MISSING | None'),
    "const": ({"const": True}, "Literal[True] | MISSING"),
    "const null": ({"const": None}, "MISSING | None"),
    "date": ({"type": "string", "format": "date", "maxLength": 10}, "date | MISSING"),
    "date-time": ({"type": "string", "format": "date-time"}, "AwareDatetime | MISSING"),
    "uuid": ({"type": "string", "format": "uuid", "pattern": "^[0-9a-f-]+$"}, "UUID | MISSING"),
    "e-mail is text": ({"type": "string", "format": "email", "maxLength": 254}, "Annotated[str | MISSING, Field(max_length=254)]"),
    "list": ({"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 4, "uniqueItems": True}, "Annotated[list[Annotated[str, Field(max_length=3)]] | MISSING, Field(max_length=4)]"),
    "pair": ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "maxItems": 2}, "tuple[str, int] | MISSING"),
    "map": ({"type": "object", "additionalProperties": {"type": "integer", "maximum": 3}, "maxProperties": 2}, "Annotated[dict[str, Annotated[int, Field(le=3)]] | MISSING, Field(max_length=2)]"),
    "either": ({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}, "Annotated[str, Field(max_length=3)] | int | MISSING"),
    "types with bounds": ({"type": ["integer", "string"], "maximum": 3, "maxLength": 4}, "Annotated[int, Field(le=3)] | Annotated[str, Field(max_length=4)] | MISSING"),
    "unknown": ({}, "JsonValue | MISSING"),
    "no such pattern": ({"type": "string", "pattern": "(?<=a"}, "str | MISSING"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    schema, annotation = FORMS[name]
    model, text = arguments_of(closed({"x": schema}))
    (line,) = (line for line in text.splitlines() if line.startswith("    x:"))
    assert line == f"    x: {annotation} = MISSING"
    model.model_rebuild()


def test_default_is_kept_where_it_is_a_scalar() -> None:
    schema = closed({"n": {"type": "integer", "default": 3}, "d": {"type": "string", "format": "date", "default": "2026-01-01"}, "l": {"type": "array", "items": {"type": "string"}, "default": []}})  # fmt: skip
    _, text = arguments_of(schema)
    assert "    n: int = 3" in text
    assert "    d: date | MISSING = MISSING" in text
    assert "    l: list[str] | MISSING = MISSING" in text


def test_absent_and_null_stay_different() -> None:
    """C3"""
    model, _ = arguments_of(closed({"a": {"type": ["string", "null"]}, "b": {"type": "string"}}))
    assert model.model_validate_json("{}").model_dump() == {}
    assert model.model_validate_json('{"a": null}').model_dump() == {"a": None}
    assert not takes(model, {"b": None})


def test_required_fields_come_first() -> None:
    _, text = arguments_of(
        closed(
            {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}, "c", "b"
        )
    )
    own = text.partition("class GetCustomerArguments")[2].partition("class ")[0]
    names = [line.strip().partition(":")[0] for line in own.splitlines() if ": " in line]
    assert names == ["c", "b", "a"]


@pytest.mark.parametrize("tag", ["kind", "type", "class", "kind-of"])
@pytest.mark.parametrize("is_nullable", [False, True])
@pytest.mark.parametrize("is_required", [False, True])
def test_tagged_union_names_its_branches(tag: str, *, is_nullable: bool, is_required: bool) -> None:
    saved = closed({tag: {"const": "saved"}, "address": {"type": "string"}}, tag, "address")
    new = closed({tag: {"enum": ["new"]}, "line": {"type": "string"}}, tag, "line")
    union = {"oneOf": [saved, new, *([{"type": "null"}] if is_nullable else [])]}
    model, text = arguments_of(closed({"to": union}, *(["to"] if is_required else [])))
    assert "Annotated[GetCustomerToSaved | GetCustomerToNew, Field(discriminator=" in text
    assert takes(model, {"to": {tag: "new", "line": "x"}})
    assert not takes(model, {"to": {tag: "new", "address": "x"}})
    assert takes(model, {"to": None}) is is_nullable
    assert takes(model, {}) is not is_required


def test_union_behind_references_is_tagged() -> None:
    definitions = {
        "Saved": closed({"kind": {"const": "saved"}}, "kind"),
        "New": closed({"kind": {"const": "new"}}, "kind"),
    }
    schema = closed({"to": {"oneOf": [{"$ref": "#/$defs/Saved"}, {"$ref": "#/$defs/New"}]}}) | {
        "$defs": definitions
    }
    _, text = arguments_of(schema)
    assert (
        'to: Annotated[GetCustomerSaved | GetCustomerNew, Field(discriminator="kind")] | MISSING'
        in text
    )


def test_tags_that_several_branches_share_are_no_tags() -> None:
    """The generator would give each branch a name of its own and drop the declared values (0.89)."""
    first = closed({"t": {"enum": ["x", "y"]}}, "t")
    second = closed({"t": {"enum": ["y", "z"]}}, "t")
    model, text = arguments_of(closed({"u": {"oneOf": [first, second]}}))
    assert "discriminator" not in text
    assert takes(model, {"u": {"t": "z"}})
    assert not takes(model, {"u": {"t": "a"}})


def test_recursion() -> None:
    tree = closed(
        {
            "v": {"type": "integer"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "maxItems": 3},
        },
        "v",
    )
    model, text = arguments_of(
        closed({"tree": {"$ref": "#/$defs/Tree"}}) | {"$defs": {"Tree": tree}}
    )
    assert "model_rebuild" not in text
    assert takes(model, {"tree": {"v": 1, "kids": [{"v": 2}]}})
    assert not takes(model, {"tree": {"v": 1, "kids": [{"v": "2"}]}})


def test_a_list_that_holds_itself_ends() -> None:
    nest = {"type": "array", "items": {"$ref": "#/$defs/Nest"}, "maxItems": 3}
    model, text = arguments_of(
        closed({"nest": {"$ref": "#/$defs/Nest"}}) | {"$defs": {"Nest": nest}}
    )
    assert "nest: Annotated[list[JsonValue] | MISSING, Field(max_length=3)] = MISSING" in text
    assert takes(model, {"nest": [[[]]]})


def test_a_union_behind_a_reference_may_be_described() -> None:
    """The generator writes an alias for it, and its text behind the alias."""
    union = {"description": "A number or a name.", "anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Name"}]}  # fmt: skip
    schema = {**closed({"x": union}, "x"), "$defs": {"Name": {"type": "string", "maxLength": 9, "description": "A name."}}}  # fmt: skip
    model = load(get_customer(arguments=schema), text_of(get_customer(arguments=schema))).GetCustomerArguments  # fmt: skip
    assert model.model_validate({"x": 5}).x == 5
    assert model.model_validate({"x": "file.yml"}).x == "file.yml"


def test_groups_of_required_fields_stay_with_the_schema() -> None:
    schema = closed({"a": {"type": "string"}, "b": {"type": "string"}}) | {
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}]
    }
    model, _ = arguments_of(closed({"x": schema}))
    assert takes(model, {"x": {"a": "1"}})


def test_property_that_is_never_allowed_is_no_field() -> None:
    model, _ = arguments_of(closed({"gone": False, "a": {"type": "string"}}))
    assert list(model.model_fields) == ["a"]


def test_names_that_collide_or_hide_are_changed_and_aliased() -> None:
    names = [
        "postalCode",
        "postal_code",
        "copy",
        "date",
        "str",
        "from",
        "model_x",
        "to_json",
        "_a",
        "é",
    ]
    model, _ = arguments_of(closed({name: {"type": "string", "format": "date"} for name in names}))
    value = dict.fromkeys(names, "2026-01-01")
    assert model.model_validate_json(json.dumps(value)).to_json() == value  # type: ignore[attr-defined]


PATTERNS = {
    "^a$": True, "^[a-z0-9.-]+$": True, r"^\d{4}$": True, r"^a\\bc$": True, r"^[\w.]+$": True,
    r"^\W$": False, r"^\S+$": False, r"^[^\d]$": False, r"^(?!x)a$": False, r"^a\b": False, r"^\p{L}$": False,
    r"^(a)\1$": False, "^[a[]$": False,
}  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("place", ["itself", "element"])
def test_pattern_is_in_the_model_where_it_is_no_narrower(pattern: str, place: str) -> None:
    one = {"type": "string", "pattern": pattern}
    _, text = arguments_of(closed({"a": one if place == "itself" else {"type": "array", "items": one}}))  # fmt: skip
    (line,) = (line for line in text.splitlines() if line.startswith("    a:"))
    assert ("pattern=" in line) is PATTERNS[pattern]


@pytest.mark.parametrize(
    ("pattern", "taken", "refused"),
    [
        (r"^\W$", "é", "a"),
        (r"^[^\s]$", "\x85", "\ufeff"),
        (r"(?=.)^\d$", "1", "\u0663"),
        (r"^\d+$", "1", "1\n"),
        (r"^(a|b)\1$", "aa", "ab"),
        (r"^\p{L}$", "é", "1"),
        (r"a\bé", "aé", "é"),
    ],
)
def test_pattern_means_what_ecma_says(pattern: str, taken: str, refused: str) -> None:
    model, _ = arguments_of(closed({"a": {"type": "array", "items": {"type": "string", "pattern": pattern}}}))  # fmt: skip
    assert takes(model, {"a": [taken]})
    assert not takes(model, {"a": [refused]})


@pytest.mark.parametrize("bound", [2**31, 2**64, 10**400])
def test_bounds_beyond_what_pydantic_counts_stay_with_the_schema(bound: int) -> None:
    words = {"minLength": 1, "maxLength": bound}
    model, text = arguments_of(
        closed(
            {
                "a": {"type": "string", **words},
                "b": {"type": "array", "items": {"type": "integer"}, "maxItems": bound},
                "c": {"type": "integer", "maximum": bound},
            }
        )
    )
    assert "Annotated[str | MISSING, Field(min_length=1)]" in text
    assert takes(model, {"a": "x", "b": [1], "c": 1})
    assert not takes(model, {"a": ""})


def test_properties_named_like_methods_of_a_model_raise_no_warning() -> None:
    names = ["model_dump", "model_validate", "model_dump_json", "model_config", "model_fields"]
    model, _ = arguments_of(closed({name: {"type": "boolean"} for name in names}))
    value = dict.fromkeys(names, True)
    assert model.model_validate_json(json.dumps(value)).to_json() == value  # type: ignore[attr-defined]


def test_no_model_is_named_like_an_import() -> None:
    item = {
        "type": "object",
        "properties": {"x": {"type": "boolean"}},
        "additionalProperties": False,
    }
    contract = get_customer(tool="json", arguments=closed({"value": item, "a": {}}))
    text = text_of(contract)
    module = load(contract, text)
    assert module.JsonArguments.model_validate_json('{"a": [1], "value": {}}').to_json() == {
        "a": [1],
        "value": {},
    }
    assert "class JsonValue2(ToolArguments)" in text


@pytest.mark.parametrize(
    "contract", [get_customer(), search_customers(), address_change()], ids=lambda c: c.id
)
def test_module_is_closed_typed_and_small(contract: Contract) -> None:
    text = text_of(contract)
    tree = ast.parse(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names & NEVER_EMITTED == set()
    calls = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls <= {"Field", "ConfigDict"}
    module = load(contract, text)
    for name in module.__all__:
        assert getattr(module, name).model_config["extra"] == "forbid"
        assert getattr(module, name).model_config["strict"] is True


def test_contracts_of_one_name_go_into_calls_of_their_own() -> None:
    texts = {
        c.id: text
        for c, text in contract_texts([get_customer(1), get_customer(2, description="Two.")])
    }
    assert (
        'class GetCustomerArguments(ToolArguments, contract="get_customer.v1"):'
        in texts["get_customer.v1"]
    )
    assert (
        'class GetCustomerArguments(ToolArguments, contract="get_customer.v2"):'
        in texts["get_customer.v2"]
    )
    assert '"""Two."""' in texts["get_customer.v2"]


def test_a_tool_added_beside_it_changes_nothing_of_a_module() -> None:
    alone = text_of(address_change())
    together = {
        c.id: text
        for c, text in contract_texts([search_customers(), address_change(), get_customer()])
    }
    assert together["address_change.v1"] == alone


SCALARS = st.sampled_from([
    {"type": "string", "maxLength": 3}, {"type": "integer", "minimum": 0, "maximum": 9}, {"type": "boolean"},
    {"type": ["string", "null"], "minLength": 1}, {"enum": ["a", "b"]}, {"const": 3}, {"type": "number", "maximum": 1.5},
    {"enum": ["a", None]}, {"type": "string", "pattern": "^[a-z]{1,3}$"},
])  # fmt: skip
VALUES = st.sampled_from([None, True, False, 0, 3, 9, 10, -1, 1.5, 1.25, "", "a", "abc", "abcd", "A", [], ["a"], {}, {"p0": "a"}, {"p0": 3}, ["a", 1]])  # fmt: skip


def _below(schemas: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    objects = st.lists(schemas, max_size=3).flatmap(
        lambda found: st.lists(st.sampled_from(range(max(1, len(found)))), max_size=2).map(
            lambda needed: closed(
                {f"p{i}": one for i, one in enumerate(found)},
                *sorted({f"p{i}" for i in needed if i < len(found)}),
            )
        )
    )
    return objects | schemas.map(lambda one: {"type": "array", "items": one, "maxItems": 2})


SCHEMAS = st.recursive(SCALARS, _below, max_leaves=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(SCHEMAS, min_size=1, max_size=3), st.data())
def test_model_and_schema_agree(schemas: list[dict[str, Any]], data: st.DataObject) -> None:
    """An independent validator and the model say the same of values (the frozen schema decides; the model must not contradict)."""
    properties = {f"p{i}": schema for i, schema in enumerate(schemas)}
    schema = closed(properties, "p0")
    model, _ = arguments_of(schema)
    judge = jsonschema_rs.validator_for(schema)
    for _ in range(20):
        value = data.draw(
            st.dictionaries(st.sampled_from(["p0", "p1", "p2", "zz"]), VALUES, max_size=3)
        )
        assert takes(model, value) == judge.is_valid(value), (schema, value)


def test_module_as_written() -> None:
    path = PurePosixPath("a.py")
    formatted = format_python({path: text_of(address_change())})[path]
    expected = Path(__file__).parent / "expected" / "address_change_v1.py.txt"
    assert formatted == expected.read_text("utf-8")
