"""Patterns that are proved to lie in one another, and those that are not; checked against the engine that enforces them."""

from __future__ import annotations

import random
from typing import Any

import jsonschema_rs
import pytest

from toolcharter.patterns import is_anchored, is_finite, may_hold_space
from toolcharter.resolve.covering import covers
from toolcharter.resolve.regular import includes, lengths

PROVED = [
    ("^O-[0-9]+$", "^O-[0-9]{4,8}$"),
    ("^[A-Za-z0-9_-]{1,64}$", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"),
    ("^[A-Za-z0-9_-]{1,64}$", "^tc-[0-9a-z]{20}$"),
    ("^.+$", "^[a-z ]{1,3}$"),
    ("^C-", "^C-[0-9]{4}$"),
    ("[0-9]$", "^a{2}[0-9]$"),
    (r"^\w+$", "^[a-z_]+$"),
    (r"^\S{1,10}$", r"^(?:ab|c\d){1,2}$"),
    ("^(a|b|c)*$", "^(ab)*$"),
    ('^"[0-9]{1,10}"$', '^"[0-9]{1,4}"$'),
    ("^[^/]*$", "^[a-z.]+$"),
    ("", "^x$"),
]
NOT_PROVED = [
    ("^O-[0-9]{4,8}$", "^O-[0-9]+$"),
    ("^[a-z]+$", "^[a-z0-9]+$"),
    ("^[a-z]{1,3}$", "^[a-z]{1,4}$"),
    ("^a$", "a"),
    ("^.+$", r"^\s+$"),
    ("^(ab)*$", "^(a|b|c)*$"),
    ("^(?!x)[a-z]+$", "^[a-w]+$"),
    ("^[a-z]+$", "^(?=a)[a-z]+$"),
    ("^a|b$", "^[ab]$ "),
]


@pytest.mark.parametrize(("outer", "inner"), PROVED)
def test_proved(outer: str, inner: str) -> None:
    assert includes(outer, inner)
    assert covers({"type": "string", "pattern": outer}, {"type": "string", "pattern": inner})


@pytest.mark.parametrize(("outer", "inner"), NOT_PROVED)
def test_not_proved(outer: str, inner: str) -> None:
    assert not includes(outer, inner)


@pytest.mark.parametrize(
    ("pattern", "bounds"),
    [
        ("^C-[0-9]{4,8}$", (6, 10)),
        ("^[a-z]+$", (1, None)),
        ("^(?:ab|c){2}$", (2, 4)),
        ("a", (1, None)),
        ("^$", (0, 0)),
        ("^(?=a)$", None),
    ],
)
def test_lengths(pattern: str, bounds: tuple[int, int | None] | None) -> None:
    assert lengths(pattern) == bounds


def test_length_of_a_pattern_is_told_to_the_oracle() -> None:
    short = {"type": "string", "pattern": "^C-[0-9]{4,8}$"}
    assert covers({"type": "string", "maxLength": 10}, short)
    assert not covers({"type": "string", "maxLength": 9}, short)


def _random_pattern(chance: random.Random, depth: int = 0) -> str:
    atom = chance.choice(
        ["a", "b", "[ab]", "[^a]", ".", r"\d", "1", "(?:%s)" if depth < 2 else "a"]
    )
    if "%s" in atom:
        atom = atom % "|".join(
            _random_pattern(chance, depth + 1) for _ in range(chance.randint(1, 2))
        )
    return atom + chance.choice(["", "", "?", "*", "+", "{1,2}"])


def test_nothing_is_proved_that_the_engine_contradicts() -> None:
    """Random pairs: where inclusion is proved, no string matches the inner pattern and not the outer."""
    chance = random.Random(20261130)
    texts = [
        "".join(chance.choice("ab1 \n") for _ in range(chance.randint(0, 5))) for _ in range(300)
    ]
    proved = 0
    for _ in range(400):
        outer, inner = (
            f"^{''.join(_random_pattern(chance) for _ in range(chance.randint(1, 3)))}$"
            for _ in "xy"
        )
        if not includes(outer, inner):
            continue
        proved += 1
        wide, narrow = (
            jsonschema_rs.validator_for({"pattern": pattern}) for pattern in (outer, inner)
        )
        assert [t for t in texts if narrow.is_valid(t) and not wide.is_valid(t)] == [], (
            outer,
            inner,
        )
    assert proved > 10


@pytest.mark.parametrize(
    ("pattern", "anchored", "finite", "space"),
    [
        (r"^\u0041{1,3}$", True, True, False),
        (r"^\u{20}$", True, True, True),
        (r"^\x41+$", True, False, False),
        (r"^\u2003$", True, True, True),
        (r"^[]|a]$", False, False, True),
        (r"^[^]]$", True, True, True),
    ],
)
def test_escapes_and_classes_are_those_of_ecma(
    pattern: str, anchored: bool, finite: bool, space: bool
) -> None:
    found = is_anchored(pattern), is_finite(pattern), may_hold_space(pattern)
    assert found == (anchored, finite, space)


def test_half_a_pair_is_no_character() -> None:
    assert not includes("^..$", r"^\ud83d\ude00$")
    assert includes("^.$", r"^\u{1F600}$")
    assert not includes("^..$", r"^\u{1F600}$")
    assert lengths(r"^\u{1F600}{2}$") == (2, 2)
    assert lengths("^a{\u00b2}$") is None


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("outer", "inner", "proved"),
    [
        ({"type": "string", "format": "email"}, TEXT, False),
        ({"type": "string", "format": "byte"}, TEXT, False),
        ({"type": "string", "format": "phone"}, TEXT, True),
        ({"type": "string", "format": "email"}, {**TEXT, "format": "email", "maxLength": 9}, True),
        ({"properties": {"a": {"format": "uuid"}}}, {"type": "object", "properties": {"a": TEXT}}, False),
        ({"properties": {"a": TEXT}}, {"type": "object", "properties": {"a": {**TEXT, "maxLength": 2}}}, True),
        ({"items": {"format": "date"}}, {"type": "array", "items": {**TEXT, "format": "date-time"}}, False),
        ({"anyOf": [{"format": "email"}, {"type": "integer"}]}, TEXT, False),
        ({"type": "integer", "format": "int32"}, {"type": "integer"}, False),
        ({"type": "integer", "format": "int32"}, {"type": "integer", "minimum": 0, "maximum": 9}, True),
        ({"type": "string", "format": "decimal"}, {"const": "1.50"}, True),
        ({"type": "string", "format": "decimal"}, {"const": "1,50"}, False),
        ({"const": 0}, {"const": False}, False),
        ({"enum": [1]}, {"enum": [1.0]}, True),
    ],
)  # fmt: skip
def test_formats_are_asserted_where_schemas_are_compared(
    outer: dict[str, Any], inner: dict[str, Any], proved: bool
) -> None:
    assert covers(outer, inner) is proved
