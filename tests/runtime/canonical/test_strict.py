"""JSON as the boundary takes it (C1)."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter_runtime.canonical import MAX_BYTES, Rejected, check_json, parse_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(
        lambda number: not 2**53 <= abs(number) < 1e21
    )
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("raw", "pointer", "reason"),
    [
        ('{"a": 1, "a": 1}', "/a", "twice"),
        ('{"x": [{"b": 1, "c": 2, "b": 3}]}', "/x/0/b", "twice"),
        ('{"a": {"b": NaN}}', "/a/b", "not finite"),
        ("[1, -Infinity]", "/1", "not finite"),
        ('{"a": 1e400}', "/a", "not finite"),
        ('{"a": 9007199254740992}', "/a", "not exact"),
        ('{"a": -9007199254740992}', "/a", "not exact"),
        ('{"a": 1e20}', "/a", "not exact"),
        ('{"a": ' + "7" * 5000 + "}", "/a", "too many digits"),
        ('{"a": "\\ud800"}', "/a", "surrogate"),
        ('{"a": {"\\udfff": 1}}', "/a/\\udfff", "surrogate"),
        ("[" * 65 + "]" * 65, "/0" * 64, "deeper than 64"),
        ("[" * 2000 + "]" * 2000, "", "deeper than 64"),
        ("[" * 100_000, "", "deeper than 64"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "", "deeper than 64"),
        ("", "", "not JSON"),
        ("{'a': 1}", "", "not JSON"),
        ('{"a": 1,}', "", "not JSON"),
        ('{"a": 01}', "", "not JSON"),
        ("\ufeff{}", "", "byte order mark"),
        (b"\xff\xfe{}", "", "not UTF-8"),
        (b'"\xed\xa0\x80"', "", "not UTF-8"),
        (b'"' + b"x" * MAX_BYTES + b'"', "", "larger than"),
        ('"' + "é" * (MAX_BYTES // 2) + '"', "", "larger than"),
    ],
)
def test_it_is_refused_with_its_place(raw: str | bytes, pointer: str, reason: str) -> None:
    """C1: `INVALID_ARGUMENT` with a field, and no traceback from within."""
    with pytest.raises(Rejected, match=reason) as caught:
        parse_json(raw)
    if pointer or "deeper" not in reason:
        assert caught.value.pointer == pointer
    assert caught.value.__cause__ is None


def test_a_reason_holds_no_value() -> None:
    """R4: no argument value is in a message."""
    for raw in ('{"a": "canary\\ud800"}', '{"a": 31337313373133731337}', '{"canary": canary}'):
        with pytest.raises(Rejected) as caught:
            parse_json(raw)
        assert "canary" not in str(caught.value)
        assert "31337" not in str(caught.value)


def test_an_unknown_name_is_echoed_escaped_and_short() -> None:
    name = "a/~\x00\u202e" + "x" * 500
    with pytest.raises(Rejected) as caught:
        parse_json(json.dumps({name: float("nan")}))
    assert caught.value.pointer.startswith("/a~1~0\\u0000\\u202exxx")
    assert len(caught.value.pointer) <= 65


def test_integral_floats_become_integers() -> None:
    """C1: an integral float where the schema says integer becomes an integer before anything else."""
    value: Any = parse_json('{"a": 1.0, "b": [2.5, -0.0, 1e3, 1e300], "c": 3}')
    assert value == {"a": 1, "b": [2.5, 0, 1000, 1e300], "c": 3}
    kinds = [type(item) for item in (value["a"], *value["b"], value["c"])]
    assert kinds == [int, float, int, int, float, int]


@given(JSON)
def test_json_passes_unchanged(value: object) -> None:
    assert parse_json(json.dumps(value)) == value
    assert check_json(value) == value


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"a": {1, 2}}, "/a"),
        ({"a": [(1,)]}, "/a/0"),
        ({"a": date(2026, 1, 1)}, "/a"),
        ({1: "a"}, ""),
        ({"a": b"x"}, "/a"),
        ({"a": float("inf")}, "/a"),
        ({"a": 2**60}, "/a"),
        ({"a": "x" * (MAX_BYTES + 1)}, "/a"),
        ([[0] * 1000] * 1000, None),
    ],
)
def test_python_values_that_are_not_json_are_refused(value: object, pointer: str | None) -> None:
    with pytest.raises(Rejected) as caught:
        check_json(value)
    assert pointer is None or caught.value.pointer == pointer


def test_a_cycle_is_too_deep() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(Rejected, match="deeper than 64"):
        check_json(value)


def test_an_answer_may_hold_what_an_argument_may_not() -> None:
    raw = '{"big": 12345678901234567890, "cut": "\\ud83d"}'
    assert parse_json(raw, exact=False) == {"big": 12345678901234567890, "cut": "\ud83d"}
