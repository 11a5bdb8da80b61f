"""A body whose properties are inputs: what it says of them together holds for the arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.resolve.things import contract_of, resolved_body, sent
from toolcharter_runtime.schemas import compile_schema

A_B = "type: object, properties: {a: {type: integer}, b: {type: integer}, c: {type: integer}}"
INPUTS = "{a: , two: /b}"

_Rows: TypeAlias = list[
    tuple[str, str, str, str, list[tuple[dict[str, Any], dict[str, Any]]], list[dict[str, Any]]]
]
ROWS: _Rows = [
    ("one or the other", f"{{{A_B}, anyOf: [{{required: [a]}}, {{required: [b]}}]}}", INPUTS, "{}",
     [({"a": 1}, {"a": 1}), ({"two": 2}, {"b": 2}), ({"a": 1, "two": 2}, {"a": 1, "b": 2})], [{}]),
    ("one and not the other", f"{{{A_B}, oneOf: [{{required: [a]}}, {{required: [b]}}]}}", INPUTS, "{}",
     [({"a": 1}, {"a": 1}), ({"two": 2}, {"b": 2})], [{}, {"a": 1, "two": 2}]),
    ("at least two", f"{{{A_B}, minProperties: 2}}", "{a: , two: /b, c: }", "{}",
     [({"a": 1, "c": 1}, {"a": 1, "c": 1})], [{}, {"a": 1}, {"c": 1}]),
    ("at least two, one of them sent", f"{{{A_B}, minProperties: 2}}", INPUTS, "{/c: 1}",
     [({"two": 1}, {"b": 1, "c": 1})], [{}]),
    ("at most one", f"{{{A_B}, maxProperties: 1}}", INPUTS, "{}", [({}, {}), ({"a": 1}, {"a": 1})], [{"a": 1, "two": 1}]),
    ("one asks for another", f"{{{A_B}, dependentRequired: {{a: [b]}}}}", INPUTS, "{}",
     [({}, {}), ({"two": 1}, {"b": 1}), ({"a": 1, "two": 1}, {"a": 1, "b": 1})], [{"a": 1}]),
    ("if and then", f"{{{A_B}, if: {{properties: {{a: {{const: 1}}}}, required: [a]}}, then: {{required: [b]}}, else: {{not: {{required: [b]}}}}}}", INPUTS, "{}",
     [({}, {}), ({"a": 2}, {"a": 2}), ({"a": 1, "two": 1}, {"a": 1, "b": 1})], [{"a": 1}, {"two": 1}, {"a": 2, "two": 1}]),
    ("a constant chooses the branch",
     "{oneOf: [{type: object, required: [kind, a], properties: {kind: {const: x}, a: {type: integer}}}, {type: object, required: [kind, b], properties: {kind: {const: y}, b: {type: integer}}}]}",
     "{b: {required: true}}", "{/kind: y}", [({"b": 1}, {"kind": "y", "b": 1})], [{}, {"b": "1"}]),
    ("closed branches",
     "{oneOf: [{type: object, additionalProperties: false, properties: {a: {type: integer}}}, {type: object, additionalProperties: false, required: [b], properties: {b: {type: integer}}}]}",
     INPUTS, "{}", [({}, {}), ({"a": 1}, {"a": 1}), ({"two": 1}, {"b": 1})], [{"a": 1, "two": 1}]),
    ("names that a pattern types", "{type: object, patternProperties: {^x: {maximum: 5}}, properties: {xa: {type: integer}, b: {type: integer}}}",
     "{n: /xa, b: }", "{}", [({"n": 5, "b": 9}, {"xa": 5, "b": 9})], [{"n": 6}]),
    ("inside an object that is flattened too",
     f"{{type: object, properties: {{o: {{{A_B}, dependentRequired: {{a: [b]}}}}, z: {{type: integer}}}}}}",
     "{a: /o/a, two: /o/b, z: }", "{}", [({"z": 1}, {"z": 1}), ({"two": 1}, {"o": {"b": 1}})], [{"a": 1}, {"a": 1, "z": 1}]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "body", "inputs", "send", "taken", "refused"), ROWS, ids=[row[0] for row in ROWS]
)
def test_together(
    name: str,
    body: str,
    inputs: str,
    send: str,
    taken: list[tuple[dict[str, Any], dict[str, Any]]],
    refused: list[dict[str, Any]],
    tmp_path: Path,
) -> None:
    del name
    contract = contract_of(resolved_body(tmp_path, body, inputs, send))
    validator = compile_schema(contract.arguments)
    assert [arguments for arguments, _ in taken if not validator.is_valid(arguments)] == []
    assert [arguments for arguments in refused if validator.is_valid(arguments)] == []
    assert [sent(contract, arguments) for arguments, _ in taken] == [body for _, body in taken]


def test_an_optional_body_is_whole_or_not_sent(tmp_path: Path) -> None:
    body = f"{{{A_B}, required: [a]}}"
    contract = contract_of(resolved_body(tmp_path, body, INPUTS, required=False))
    validator = compile_schema(contract.arguments)
    taken = [{}, {"a": 1}, {"a": 1, "two": 2}]
    assert [validator.is_valid(arguments) for arguments in [*taken, {"two": 2}]] == [True] * 3 + [
        False
    ]
    assert [sent(contract, arguments) for arguments in taken] == [None, {"a": 1}, {"a": 1, "b": 2}]


def test_an_optional_body_that_is_one_input_is_left_out_with_it(tmp_path: Path) -> None:
    staged = resolved_body(
        tmp_path, "{type: array, items: {type: integer}}", "{it: body}", required=False
    )
    contract = contract_of(staged)
    calls: list[dict[str, Any]] = [{}, {"it": []}]
    assert [sent(contract, arguments) for arguments in calls] == [None, []]


def test_what_a_branch_asks_already_is_not_said_twice(tmp_path: Path) -> None:
    body = f"{{{A_B}, anyOf: [{{type: object}}, {{required: [b]}}]}}"
    assert "allOf" not in contract_of(resolved_body(tmp_path, body, INPUTS)).arguments


FAULTS = [
    ("unevaluated properties", f"{{{A_B}, if: {{required: [a]}}, then: {{properties: {{z: {{type: integer}}}}}}, unevaluatedProperties: {{type: string}}}}", "{}", "unevaluatedProperties"),
    ("a composed place", f"{{{A_B}, dependentRequired: {{c: [a]}}}}", '{/c: "{two}"}', "dependentRequired"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "body", "send", "keyword"), FAULTS, ids=[row[0] for row in FAULTS]
)
def test_what_cannot_be_carried_is_named(
    name: str, body: str, send: str, keyword: str, tmp_path: Path
) -> None:
    del name
    inputs = INPUTS if send == "{}" else "{a: , two: {type: integer, minimum: 1, maximum: 2}}"
    staged = resolved_body(tmp_path, body, inputs, send)
    errors = [d for d in staged.diagnostics if d.severity == "error"]
    assert [d.code for d in errors] == ["TC705"]
    assert "`to: body`" in errors[0].hint
    assert keyword in errors[0].message or "required" in errors[0].message
