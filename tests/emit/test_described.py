"""The handbook's words for what a write takes, and for what its claims rest on."""

from __future__ import annotations

from typing import Any

import pytest

from toolcharter.emit.described import claims_told, inputs_told
from toolcharter_runtime.frozen import Claim, Contract, Request, View


def contract(arguments: dict[str, Any], *claims: Claim) -> Contract:
    return Contract(
        tool="t",
        version=1,
        effect="read",
        description="",
        operation="GET /t",
        arguments={"type": "object", **arguments},
        request=Request(method="GET", path="/t"),
        successes=(),
        view=View(fields=(), result={}, maximum_bytes=1),
        claims=claims,
    )


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string", "maxLength": 9}, "text, at most 9 characters"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "string", "pattern": "^a$"}, "text, as ^a$"),
        ({"type": ["integer", "null"], "minimum": 1, "maximum": 5}, "whole number, 1 to 5 or null"),
        ({"type": "number", "exclusiveMinimum": 0}, "number, from 0"),
        ({"enum": list("abcdefghij")}, "a | b | c | d | e | f | g | h | …"),
        ({"const": "x"}, '"x"'),
        ({"type": "boolean"}, "true | false"),
        (
            {"type": "array", "maxItems": 3, "items": {"type": "string", "format": "uuid"}},
            "list of at most 3 [uuid]",
        ),
        (
            {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "boolean"}, "b": {"type": "integer"}},
                "additionalProperties": {"type": "string"},
            },
            "{a: true | false, required; b: whole number; any key: text}",
        ),
        (
            {"type": "object", "patternProperties": {"^x-": {"type": "integer"}, "^y-": True}},
            "{any key as ^x-: whole number; any key as ^y-: any value}",
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "whole number or text"),
        ({}, "any value"),
    ],
)
def test_an_input_in_words(schema: dict[str, Any], told: str) -> None:
    assert inputs_told(contract({"properties": {"x": schema}})) == (f"x: {told}",)
    required = contract({"properties": {"x": schema}, "required": ["x"]})
    assert inputs_told(required) == (f"x: {told}, required",)


def test_depth_ends() -> None:
    schema: dict[str, Any] = {"type": "boolean"}
    for _ in range(9):
        schema = {"type": "object", "properties": {"a": schema}}
    assert inputs_told(contract({"properties": {"x": schema}})) == ("x: {a: {a: {a: {…}}}}",)


def test_claims_that_are_proved_are_counted_and_others_are_named() -> None:
    told = claims_told(
        contract(
            {},
            Claim(claim="place /a", grade="proved"),
            Claim(claim="one effect per key", grade="attested", because="Vendor docs"),
            Claim(claim="place /b", grade="proved"),
            Claim(claim="a stale version is refused", grade="declared"),
        )
    )
    assert told == (
        "2 proved by the description",
        "attested: one effect per key (Vendor docs)",
        "declared: a stale version is refused",
    )
    assert claims_told(contract({})) == ()
