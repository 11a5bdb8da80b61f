"""Defaults and instants in every shape that a value may have."""

from __future__ import annotations

from typing import Any

import pytest

from toolcharter_runtime import schemas
from toolcharter_runtime.completing import Walk

INSTANT = {"type": "string", "format": "date-time"}
LATE, SAME = "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z"


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": [*required]}  # fmt: skip


ONE = closed({"n": {"type": "integer", "default": 3}})
NODE = closed({"n": {"type": "integer", "default": 3}, "next": {"$ref": "#/$defs/Node"}})
TAGGED = {
    "oneOf": [
        closed({"k": {"const": "a"}, "n": {"default": 1}}, "k"),
        closed({"k": {"const": "b"}, "m": {"default": 2}}, "k"),
    ]
}
DEFAULTS: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "nested": (ONE, {}, {"n": 3}),
    "stated": (ONE, {"n": 4}, {"n": 4}),
    "list": ({"type": "array", "items": ONE}, [{}, {"n": 1}], [{"n": 3}, {"n": 1}]),
    "tuple": ({"prefixItems": [True, ONE], "items": ONE}, [{}, {}, {}], [{}, {"n": 3}, {"n": 3}]),
    "map": ({"type": "object", "additionalProperties": ONE}, {"a": {}}, {"a": {"n": 3}}),
    "patterned": ({"patternProperties": {"^a": ONE}, "additionalProperties": False}, {"ab": {}}, {"ab": {"n": 3}}),
    "reference": ({"$ref": "#/$defs/Node"}, {"next": {}}, {"n": 3, "next": {"n": 3}}),
    "default behind a reference": (closed({"d": {"$ref": "#/$defs/D"}}), {}, {"d": 7}),
    "branch": (TAGGED, {"k": "b"}, {"k": "b", "m": 2}),
    "list of branches": ({"items": TAGGED}, [{"k": "a"}], [{"k": "a", "n": 1}]),
    "branch of the root's kind": ({"anyOf": [{"type": "integer"}, {"$ref": "#"}]}, {"x": 1}, {"x": 1}),
    "a default of another schema": ({**closed({"n": True}), "allOf": [{"properties": {"n": {"default": 1}}}]}, {}, {}),
    "a default that would not be valid": ({**ONE, "maxProperties": 0}, {}, {}),
}  # fmt: skip


def root(schema: Any) -> dict[str, Any]:
    return {**closed({"x": schema}, "x"), "$defs": {"Node": NODE, "D": {"type": "integer", "default": 7}}}  # fmt: skip


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults(name: str) -> None:
    schema, value, completed = DEFAULTS[name]
    given = {"x": value}
    assert Walk(root(schema)).complete(given) == {"x": completed}
    assert given == {"x": value}


@pytest.mark.parametrize(
    ("schema", "value", "normal"),
    [
        (INSTANT, LATE, SAME),
        (closed({"a": INSTANT}), {"a": LATE}, {"a": SAME}),
        ({"items": INSTANT}, [LATE], [SAME]),
        ({"prefixItems": [True, INSTANT]}, [LATE, LATE], [LATE, SAME]),
        ({"additionalProperties": INSTANT}, {"k": LATE}, {"k": SAME}),
        ({"patternProperties": {"^k": INSTANT}}, {"k": LATE, "j": LATE}, {"k": SAME, "j": LATE}),
        ({"allOf": [{"properties": {"a": INSTANT}}]}, {"a": LATE}, {"a": SAME}),
        ({"anyOf": [{"type": "integer"}, INSTANT]}, LATE, SAME),
        ({"if": True, "then": {"properties": {"a": INSTANT}}}, {"a": LATE}, {"a": SAME}),
        ({"type": "string"}, LATE, LATE),
        ({**INSTANT, "pattern": "01:00$"}, LATE, LATE),
    ],
)
def test_instants(schema: Any, value: Any, normal: Any) -> None:
    assert Walk(root(schema)).normalize({"x": value}) == {"x": normal}


def test_a_branch_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = Walk(root(TAGGED))
    walk.complete({"x": {"k": "b"}})
    monkeypatch.setattr(schemas, "_compile", None)
    assert walk.complete({"x": {"k": "a"}}) == {"x": {"k": "a", "n": 1}}
