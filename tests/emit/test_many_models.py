"""Names of nested models: from their place, the same whatever stands beside them; equal ones are one; hundreds are no trouble."""

from __future__ import annotations

import ast
import sys
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from contracts_by_hand import closed, get_customer
from loading import load, text_of

ONE = closed({"x": {"type": "integer"}}, "x")


def classes(**properties: Any) -> list[str]:
    tree = ast.parse(text_of(get_customer(arguments=closed(properties))))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def test_names_come_from_places() -> None:
    found = classes(
        home=ONE,
        lines={"type": "array", "items": closed({"y": ONE, "z": closed({"y": True})})},
        tags={"type": "object", "additionalProperties": closed({"k": True})},
    )
    assert set(found) == {
        "GetCustomerArguments", "GetCustomerResult", "GetCustomerHome", "GetCustomerLinesItem", "GetCustomerLinesItemZ",
        "GetCustomerTagsValue",
    }  # fmt: skip


def test_equal_shapes_are_one_class_and_a_description_makes_another() -> None:
    assert set(classes(a=ONE, b=ONE, c={**ONE, "description": "Another."})) == {
        "GetCustomerArguments", "GetCustomerResult", "GetCustomerA", "GetCustomerC",
    }  # fmt: skip


def test_a_model_more_renames_none() -> None:
    some = {f"p{i}": closed({f"q{i}": ONE, "n": {"type": "string"}}) for i in (1, 3)}
    before = classes(**some)
    after = classes(**some, p2=closed({"q2": ONE, "m": closed({"k": True})}))
    assert set(before) < set(after)


ODD = [
    "Foo", "foo", "FOO", "f_oo", "class", "__init__", "__class__", "model_config", "", "+1", "-1", "1", "ÄÖ", "日本", "a.b", "a-b", "a b",
    "self", "cls", "json", "from_json", "to_json", "_judge", "_x", "x" * 300, "Literal", "list", "date", "MISSING", "ToolArguments", "contract",
    "Annotated", "None", "True", "{{ x }}", "a\nb", "\u202e", '"', "\\",
]  # fmt: skip


def test_any_name_of_a_property_has_a_field_and_comes_back() -> None:
    contract = get_customer(arguments=closed({name: {**ONE, "description": name} for name in ODD}))
    model: Any = load(contract, text_of(contract)).GetCustomerArguments
    value = {name: {"x": 1} for name in ODD}
    assert model.model_validate(value).to_json() == value
    fields = model.model_fields
    assert len(fields) == len(ODD)
    assert model(**{name: {"x": 2} for name in fields}).to_json() == {n: {"x": 2} for n in ODD}


def test_a_deep_place_has_a_name_that_can_be_read() -> None:
    schema, value = ONE, {"x": 1}
    for level in range(40):
        name = f"quite_a_long_property_name_{level}"
        schema, value = closed({name: schema}, name), {name: value}  # type: ignore[dict-item]
    contract = get_customer(arguments=schema)
    text = text_of(contract)
    assert load(contract, text).GetCustomerArguments.model_validate(value).to_json() == value
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    assert len(set(names)) == 42
    assert max(map(len, names)) <= 100
    assert text == text_of(contract)


@pytest.mark.parametrize("count", [300, 500])
def test_hundreds_of_nested_models(count: int) -> None:
    """About 1 ms a model; the bound leaves room for a machine that does other things as well."""
    properties = {f"p{i}": closed({"a": {"type": "string"}, f"b{i}": {"type": "integer"}}, "a") for i in range(count)}  # fmt: skip
    contract = get_customer(arguments=closed(properties))
    began = time.process_time()
    text = text_of(contract)
    assert time.process_time() - began < count * 0.02
    model: Any = load(contract, text).GetCustomerArguments
    assert len(model.model_fields) == count
    assert model.model_validate({"p7": {"a": "x", "b7": 1}}).p7.b7 == 1
