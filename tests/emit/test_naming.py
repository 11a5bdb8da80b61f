from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from toolcharter.naming import class_name, field_name, module_name
from toolcharter_runtime.contract import ToolArguments


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("get_customer", "result"), "GetCustomerResult"),
        (("crm_tools",), "CrmTools"),
        (("a-b.c",), "ABC"),
        (("é",), "N"),
        (("1st",), "N1st"),
        (("",), "N"),
    ],
)
def test_class_name(parts: tuple[str, ...], expected: str) -> None:
    assert class_name(*parts) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("customer", "customer"),
        ("postalCode", "postal_code"),
        ("HTTPStatus", "http_status"),
        ("kind-of", "kind_of"),
        ("from", "from_"),
        ("date", "date_"),
        ("model_config", "model_config_"),
        ("json", "json_"),
        ("type", "type"),
        ("_private", "private"),
        ("__init__", "init"),
        ("2fa", "field_2fa"),
        ("日本", "field"),
        ("", "field"),
    ],
)
def test_field_name(name: str, expected: str) -> None:
    assert field_name(name) == expected


@given(st.text())
def test_field_name_can_be_a_field(name: str) -> None:
    chosen = field_name(name)
    assert chosen.isascii()
    assert chosen.isidentifier()
    assert not keyword.iskeyword(chosen)
    assert not chosen.startswith("_")
    assert not hasattr(ToolArguments, chosen)
    assert field_name(chosen) == chosen


@pytest.mark.parametrize("name", [name for name in dir(BaseModel) if not name.startswith("_")])
def test_no_field_hides_what_a_model_has(name: str) -> None:
    assert not hasattr(ToolArguments, field_name(name))


def test_module_name() -> None:
    assert module_name("get_customer", 2) == "get_customer_v2"
