"""The place and the reason of a fault in nested shapes: unions, maps, residuals, names of fields. No value is ever told."""

from __future__ import annotations

from typing import Any

import pytest

from toolcharter_runtime.faults import find_fault
from toolcharter_runtime.schemas import compile_schema


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": [*required]}  # fmt: skip


CARD = closed(
    {"number": {"type": "string", "pattern": r"^(?=.{4})\d+$"}, "cvc": {"type": "string"}}, "number"
)
BANK = closed(
    {"iban": {"type": "string", "maxLength": 4}, "name": {"type": "string"}}, "iban", "name"
)
PAY = {"anyOf": [CARD, BANK]}
TREE = closed({"left": {"$ref": "#/$defs/Tree"}, "n": {"type": "integer"}})

CASES: dict[str, tuple[Any, Any, str, str]] = {
    "the branch that knows the field": (PAY, {"number": "canary"}, "/x/number", r"must match the pattern ^(?=.{4})\d+$"),
    "the other branch": (PAY, {"iban": "canary", "name": "a"}, "/x/iban", "must have at most 4 characters"),
    "a field of neither": (PAY, {"number": "1234", "canary": 1}, "/x/<unknown>", "unknown field `canary`"),
    "none of the kinds": ({"anyOf": [CARD, {"type": "integer"}]}, "canary", "/x", "must be one of an object, an integer"),
    "a union in a list": ({"type": "array", "items": PAY}, [{"iban": "1", "name": 7}], "/x/0/name", "must be text"),
    "a value of a map": ({"type": "object", "additionalProperties": CARD}, {"canary": {"number": 7}}, "/x/<unknown>/number", "must be text"),
    "a name of a map": ({"type": "object", "propertyNames": {"maxLength": 3}}, {"canary": 1}, "/x/<unknown>", "a field has a name that is not allowed: it must have at most 3 characters"),
    "too many entries": ({"type": "object", "additionalProperties": True, "maxProperties": 1}, {"a": 1, "b": 2}, "/x", "must have at most 1 fields"),
    "deep in a recursion": ({"$ref": "#/$defs/Tree"}, {"left": {"left": {"n": "canary"}}}, "/x/left/left/n", "must be an integer"),
    "a residual behind a reference": ({**closed({"a": True}), "allOf": [{"$ref": "#/$defs/Least"}]}, {}, "/x", "must have at least 1 fields"),
    "a residual of a field": ({**closed({"a": True}), "allOf": [{"properties": {"a": {"maximum": 3}}}]}, {"a": 7}, "/x/a", "must be at most 3"),
    "what depends": ({**closed({"a": True, "b": True}), "dependentRequired": {"a": ["b"]}}, {"a": 1}, "/x/b", "is required"),
    "what follows": ({**closed({"a": True, "b": True}), "if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, "/x/b", "is required"),
    "one of two groups": ({**closed({"a": True, "b": True}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, "/x", "must have one of `a`, `b`"),
    "both of two groups": ({**closed({"a": True, "b": True}), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 1}, "/x", "fits more than one of the alternatives"),
    "excluded": ({"type": "string", "not": {"const": "canary"}}, "canary", "/x", "has a value that is excluded"),
    "in a tuple": ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, ["a", "canary"], "/x/1", "is not allowed here"),
    "unevaluated": ({"type": "object", "allOf": [{"properties": {"a": {"type": "integer"}}}], "unevaluatedProperties": False}, {"a": "canary"}, "/x/a", "must be an integer"),
    "contained": ({"type": "array", "contains": {"const": 3}}, [1], "/x", "lacks an element that it must have, or has it too often"),
    "width": ({"type": "integer", "format": "int32"}, 2**40, "/x", "must be at most 2147483647"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_fault(name: str) -> None:
    inner, value, pointer, reason = CASES[name]
    schema = {**closed({"x": inner}, "x"), "$defs": {"Tree": TREE, "Least": {"minProperties": 1}}}
    validator = compile_schema(schema)
    assert not validator.is_valid({"x": value})
    fault = find_fault(validator.iter_errors({"x": value}), schema)
    assert (fault.pointer, fault.reason) == (pointer, reason)
