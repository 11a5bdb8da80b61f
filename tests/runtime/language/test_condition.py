"""Conditions of the little language (docs/charter.md)."""

from __future__ import annotations

from typing import Any

import pytest

from toolcharter_runtime.language import (
    ABSENT,
    LanguageError,
    Scope,
    check_condition,
    condition_names,
    equal,
    holds,
    look_up_names,
    read_pointer,
    where_holds,
)

VIEW: dict[str, Any] = {
    "state": "open",
    "draft": False,
    "one": 1,
    "amount": 5000,
    "price": "12.50",
    "day": "2026-02-01",
    "at": "2026-01-01T01:00:00+01:00",
    "labels": ["bug", "ui"],
    "text": "hello tc-1 world",
    "nothing": None,
    "attempt": 2,
}
SCOPE = Scope(
    {"limit": 4000, "name": "bug", "wanted": ["bug", "ui"]},
    {"before": {"attempt": 1, "state": "open", "currency": "EUR"}, "marker": "tc-1"},
)


def verdict(condition: dict[str, Any]) -> bool:
    check_condition(condition)
    return holds(condition, look_up_names(VIEW, SCOPE), SCOPE)


@pytest.mark.parametrize(
    "condition",
    [
        {},
        {"state": "open", "draft": False},
        {"state": ["closed", "open"]},
        {"draft": {"not": True}},
        {"missing": {"not": True}},
        {"missing": {"exists": False}},
        {"state": {"exists": True}},
        {"nothing": None},
        {"nothing": {"exists": True}},
        {"one": 1.0},
        {"amount": {"at_least": "{limit}"}},
        {"amount": {"at_most": 5000}},
        {"price": {"at_most": 12.5}},
        {"price": {"at_least": "9.75"}},
        {"day": {"at_least": "2026-01-31"}},
        {"at": {"at_most": "2026-01-01T00:00:00Z"}},
        {"labels": {"contains": "{name}"}},
        {"labels": "{wanted}"},
        {"text": {"contains": "{$marker}"}},
        {"attempt": {"changed": True}},
        {"state": {"changed": False}},
        {"$before.currency": ["USD", "EUR"]},
        {"state": {"not": ["closed", "merged"]}},
        {"state": {"not": {"contains": "x"}}},
        {"absent": False},
    ],
)
def test_it_holds(condition: dict[str, Any]) -> None:
    assert verdict(condition)


@pytest.mark.parametrize(
    "condition",
    [
        {"state": "closed"},
        {"state": "open", "draft": True},
        {"one": True},
        {"one": "1"},
        {"draft": 0},
        {"missing": None},
        {"missing": "x"},
        {"missing": {"at_least": 0}},
        {"missing": {"contains": "x"}},
        {"missing": {"changed": True}},
        {"missing": {"exists": True}},
        {"state": {"exists": False}},
        {"amount": {"at_least": "{unset}"}},
        {"state": "{unset}"},
        {"state": {"not": "{unset}"}},
        {"amount": {"at_least": "x"}},
        {"state": {"at_least": 1}},
        {"draft": {"at_least": 0}},
        {"text": {"contains": ""}},
        {"labels": {"contains": "bu"}},
        {"state": {"changed": True}},
        {"$after.state": "open"},
        {"absent": True},
    ],
)
def test_it_does_not_hold(condition: dict[str, Any]) -> None:
    assert not verdict(condition)


def test_a_place_with_a_star_must_hold_for_every_element() -> None:
    """Charter.md, section 8: a mixed result of `/results/*/status: ACCEPT` is unknown."""
    rule: dict[str, Any] = {"/results/*/status": "ACCEPT"}

    def answered(*statuses: str | None) -> bool:
        body = {"results": [{} if status is None else {"status": status} for status in statuses]}
        return holds(rule, lambda place: read_pointer(body, place), SCOPE)

    assert answered("ACCEPT", "ACCEPT")
    assert not answered("ACCEPT", "REJECT")
    assert not answered("ACCEPT", None)
    assert not answered()


def test_an_absent_target_has_only_the_name_absent() -> None:
    scope = SCOPE.with_roots(after={"absent": True})
    look_up = look_up_names({"absent": True}, scope)
    assert holds({"absent": True, "$after.absent": True}, look_up, scope)
    assert look_up("state") is ABSENT
    assert look_up_names({}, SCOPE.with_roots(after={"x": 1}))("$after.absent") is False


def test_changed_needs_something_before() -> None:
    scope = Scope()
    assert not holds({"attempt": {"changed": True}}, look_up_names(VIEW, scope), scope)


@pytest.mark.parametrize(
    ("condition", "matches"),
    [
        ({"state": "open", "text": "{unset}"}, True),
        ({"state": "closed", "text": "{unset}"}, False),
        ({"text": "{unset}"}, False),
        ({"state": {"not": "closed"}}, False),
        ({"state": {"not": "closed"}, "missing": {"exists": False}}, False),
        ({"text": "{unset}", "state": {"not": "closed"}}, False),
        ({"state": "open", "draft": {"not": True}}, True),
        ({"state": {"exists": True}}, True),
        ({"text": {"contains": "{$key}"}}, False),
        ({}, False),
    ],
)
def test_where_leaves_unset_inputs_out_and_needs_something_positive(
    condition: dict[str, Any], matches: bool
) -> None:
    assert where_holds(condition, look_up_names(VIEW, SCOPE), SCOPE) is matches


@pytest.mark.parametrize(
    "condition",
    [
        {"": 1},
        {"x": []},
        {"x": [[1]]},
        {"x": {}},
        {"x": {"at_least": 1, "at_most": 2}},
        {"x": {"matches": "a"}},
        {"x": {"exists": "yes"}},
        {"x": {"changed": 1}},
        {"x": {"not": {"nope": 1}}},
        {"x": {"contains": [1]}},
        {"x": "{"},
    ],
)
def test_a_malformed_condition_is_refused(condition: dict[str, Any]) -> None:
    with pytest.raises(LanguageError):
        check_condition(condition)


def test_names_and_references() -> None:
    condition: dict[str, Any] = {"a": 1, "$before.b": {"not": "{c}"}}
    assert condition_names(condition) == ("a", "$before.b")
    assert [str(item) for item in check_condition(condition)] == ["c"]


def test_equality_is_by_type() -> None:
    assert equal({"a": [1, 2.0]}, {"a": [1.0, 2]})
    assert not equal([True], [1])
    assert not equal({"a": None}, {})
    assert not equal("1", 1)
