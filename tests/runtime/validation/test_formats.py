"""Each registered format as its RFC has it: the same table that holds the independent voice."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fidelity.formats import FORMATS
from tests.fidelity.test_voice import FORMAT_CASES
from toolcharter_runtime.schemas import NUMBER_FORMATS, compile_schema


@pytest.mark.parametrize("name", FORMAT_CASES)
def test_format(name: str) -> None:
    valid, invalid = FORMAT_CASES[name]
    engine = compile_schema({"format": name})
    assert [text for text in valid.split(" ") if not engine.is_valid(text)] == []
    assert [text for text in invalid.split(" ") if engine.is_valid(text)] == []
    assert engine.is_valid(7)


@pytest.mark.parametrize("name", sorted(set(NUMBER_FORMATS) & set(FORMATS)))
def test_number_format(name: str) -> None:
    low, high = NUMBER_FORMATS[name]
    engine = compile_schema({"properties": {"x": {"format": name}}})
    for value in (low, high, 0, low - 1, high + 1, "text", None):
        if isinstance(value, float) and "int" not in name:
            continue
        assert engine.is_valid({"x": value}) == FORMATS[name](value), value
    assert name == "double" or not engine.is_valid({"x": high * 2})


def test_a_width_only_tightens_what_is_stated() -> None:
    engine = compile_schema({"format": "int32", "minimum": 5, "maximum": 2**40})
    assert [engine.is_valid(one) for one in (4, 5, 2**31 - 1, 2**31)] == [False, True, True, False]


def test_an_unknown_format_is_an_annotation() -> None:
    assert compile_schema({"format": "iban"}).is_valid("x")


@pytest.mark.parametrize(
    ("divisor", "value"),
    [(0.01, 19.99), (0.01, 0.07), (0.01, 1e300), (0.01, 0.075), (0.1, 0.3), (3, 10**20), (0.0001, 123456789.1234), (1e-7, 1.0000001),
     (1.1, 3.3), (0.3, 0.9), (7, 10**30), (2, 2**70), (0.01, 4.35), (0.05, 2.15), (1e-10, 1)],
)  # fmt: skip
def test_multiples_are_exact(divisor: float, value: float) -> None:
    exact = Fraction(Decimal(repr(value))) / Fraction(Decimal(repr(divisor)))
    assert compile_schema({"multipleOf": divisor}).is_valid(value) is (exact.denominator == 1)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(-(10**9), 10**9),
    st.integers(0, 4),
    st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.001, 3, 0.7]),
)
def test_multiples_of_money_are_exact(cents: int, places: int, divisor: float) -> None:
    value = float(Decimal(cents).scaleb(-places))
    exact = Fraction(Decimal(repr(value))) / Fraction(Decimal(repr(divisor)))
    assert compile_schema({"multipleOf": divisor}).is_valid(value) is (exact.denominator == 1)


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"uniqueItems": True}, [1, 1.0], False),
        ({"uniqueItems": True}, [1, True, 0, False], True),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], False),
        ({"enum": [1, 2]}, True, False),
        ({"const": [1]}, [True], False),
        ({"const": 2**70}, 2**70 + 1, False),
        ({"type": "integer"}, 1e300, True),
        ({"maximum": 2**63 - 1}, 2**63, False),
        ({"exclusiveMaximum": 1e20}, 10**20, False),
        ({"maxLength": 1}, "😀", True),
    ],
)
def test_equality_and_size(schema: dict[str, object], value: object, valid: bool) -> None:
    assert compile_schema(schema).is_valid(value) is valid
