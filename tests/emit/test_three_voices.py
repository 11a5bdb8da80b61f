"""Any closed schema: the boundary, the model in its three ways in, and an independent validator say the same of a value."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from benchmarks.fidelity.voice import original_validator
from tests.fidelity.test_voice import FORMAT_CASES
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.validation import parse_arguments, validate_arguments

sys.path.insert(0, str(Path(__file__).parent))
from contracts_by_hand import closed, get_customer
from loading import load, text_of

PATTERNS = [
    r"^\d+$", r"^\w$", r"^\W$", r"^\s$", r"^\S+$", "^.$", r"^[^\s]$", r"(?=.)\d", r"\bé", r"^[^a]$", r"a.b", r"^(a)\1$", r"^\p{Lu}$", "a|b", "^$", "",
]  # fmt: skip


class Voices:
    """What says of a value whether the schema takes it."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.contract: Contract = get_customer(arguments=schema)
        self.model: type[BaseModel] = load(self.contract, text_of(self.contract)).GetCustomerArguments  # fmt: skip
        self.independent = original_validator("3.1.1", self.contract.arguments, lambda _: self.contract.arguments)  # fmt: skip

    def say(self, value: Any) -> dict[str, bool]:
        return {
            "independent": self.independent(value),
            "boundary": _takes(lambda: validate_arguments(self.contract, value)),
            "boundary, text": _takes(lambda: parse_arguments(self.contract, json.dumps(value))),
            "model, text": _takes(lambda: self.model.model_validate_json(json.dumps(value))),
            "model, value": _takes(lambda: self.model.model_validate(value)),
            "model, keywords": _takes(lambda: self.model(**value))
            if isinstance(value, dict)
            else False,
        }

    def agree(self, value: Any, expected: bool | None = None) -> None:
        said = self.say(value)
        assert set(said.values()) == {said["independent"] if expected is None else expected}, (
            self.contract.arguments,
            value,
            said,
        )


def _takes(judge: Any) -> bool:
    try:
        judge()
    except (ValidationError, Rejected):
        return False
    return True


def of(schema: Any, **more: Any) -> dict[str, Any]:
    return {**closed({"x": schema}, "x"), **more}


PET = closed({"kind": {"const": "pet"}, "n": {"type": "integer"}}, "kind")
CAR = closed({"kind": {"const": "car"}, "n": {"type": "string"}}, "kind")
TREE = {
    "$defs": {
        "Tree": closed(
            {
                "left": {"$ref": "#/$defs/Tree"},
                "rest": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            }
        )
    }
}
FORMS: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    # schema, values of x that it takes, values that it refuses
    "integer": (of({"type": "integer"}), [1, 1.0, -0.0, 2**53 - 1, 1e21], [True, "1", 1.5, None, 2**53]),
    "integer enum": (of({"enum": [1, 2]}), [1, 2.0], [True, "1", 3]),
    "mixed enum": (of({"enum": [1, "1", None, 1.5, [1], {"a": 1}]}), [1, "1", None, 1.5, [1.0], {"a": 1.0}], [True, [True], 2, {}]),
    "booleans": (of({"enum": [True, False]}), [True, False], [1, 0, "true"]),
    "true or one": (of({"enum": [True, "a"]}), [True, "a"], [1]),
    "number": (of({"type": "number", "multipleOf": 0.01}), [19.99, 0.07, 1, 4.35], [0.075, "1", True]),
    "width": (of({"type": "integer", "format": "int32"}), [2**31 - 1, -(2**31)], [2**31]),
    "unsigned": (of({"type": "integer", "format": "uint64"}), [0], [-1]),
    "float": (of({"type": "number", "format": "float"}), [3.4e38], [3.5e38]),
    "integer bounds with a fraction": (of({"type": "integer", "minimum": 0.5, "maximum": 2.5}), [1, 2], [0, 3]),
    "date": (of({"type": "string", "format": "date"}), ["2026-02-28"], [1700000000, "1700000000", "2026-02-30", "2026-02-28T00:00:00", 0]),
    "instant": (of({"type": "string", "format": "date-time"}), ["2026-01-01T00:00:00Z", "2026-01-01t00:00:00.1234567890123+01:00"], [1700000000, "2026-01-01 00:00:00Z", "2026-01-01T00:00:00"]),
    "uuid": (of({"type": "string", "format": "uuid"}), ["8D3c1f0e-2f4e-4c59-9c7b-0d9a6c2f3b11"], ["8d3c1f0e2f4e4c599c7b0d9a6c2f3b11", "urn:uuid:8d3c1f0e-2f4e-4c59-9c7b-0d9a6c2f3b11"]),
    "date or text": (of({"anyOf": [{"type": "string", "format": "date"}, {"const": "today"}]}), ["2026-01-01", "today"], ["tomorrow", 1]),
    "digits": (of({"type": "string", "pattern": r"^\d+$"}), ["1"], ["\u0663", "1\n", "a"]),
    "digits behind a look": (of({"type": "string", "pattern": r"^(?=.)\d+$"}), ["1"], ["\u0663", "1\n"]),
    "no word": (of({"type": "string", "pattern": r"^\W+$"}), ["é", "-"], ["a"]),
    "letters": (of({"type": "string", "pattern": r"^\p{L}+$"}), ["é"], ["1"]),
    "length": (of({"type": "string", "maxLength": 1}), ["😀", "é"], ["ab", "e\u0301"]),
    "surrogate": (of({"type": "string"}), ["😀"], ["\ud800"]),
    "null": (of({"type": ["string", "null"]}), [None, "a"], [1]),
    "exclusive branches": (of({"oneOf": [{"type": "string", "minLength": 2}, {"type": "string", "maxLength": 3}]}), ["a", "abcd"], ["ab", "abc"]),
    "exclusive objects": (of({"oneOf": [closed({"a": {"type": "integer"}, "b": {}}), closed({"b": {"type": "string"}, "c": {}})]}), [{"a": 1}, {"c": 1}, {"b": 1}], [{}, {"b": "x"}, {"a": 1, "c": 1}]),
    "tagged": (of({"oneOf": [PET, CAR]}), [{"kind": "pet", "n": 1}, {"kind": "car", "n": "1"}], [{"kind": "pet", "n": "1"}, {"n": 1}, {"kind": "dog"}, {}]),
    "tags of one Python name": (of({"oneOf": [closed({"Kind": {"const": "p"}, "kind": {"const": "a"}}, "kind"), closed({"kind": {"const": "b"}}, "kind")]}), [{"kind": "a"}, {"Kind": "p", "kind": "a"}, {"kind": "b"}], [{"kind": "c"}, {}]),
    "tags of open objects": (of({"oneOf": [{"type": "object", "properties": {"kind": {"const": one}}, "required": ["kind"]} for one in "ab"]}), [{"kind": "a", "x": 1}], [{"kind": "c"}, {}]),
    "tagged recursion": (of({"$ref": "#/$defs/E"}, **{"$defs": {"E": {"oneOf": [closed({"op": {"const": "not"}, "of": {"$ref": "#/$defs/E"}}, "op", "of"), closed({"op": {"const": "is"}, "v": {"type": "integer"}}, "op", "v")]}}}), [{"op": "is", "v": 1}, {"op": "not", "of": {"op": "is", "v": 1}}], [{"op": "not"}, {"op": "not", "of": {"op": "is"}}]),
    "tagged or null": (of({"oneOf": [PET, CAR, {"type": "null"}]}), [None, {"kind": "pet"}], [{"kind": "dog"}, 1]),
    "tagged in tagged": (of({"oneOf": [closed({"t": {"const": "x"}, "in": {"oneOf": [PET, CAR]}}, "t"), closed({"t": {"const": "y"}}, "t")]}), [{"t": "x", "in": {"kind": "car"}}, {"t": "y"}], [{"t": "x", "in": {"kind": "dog"}}, {"t": "y", "in": {"kind": "car"}}]),
    "list of unions": (of({"type": "array", "items": {"anyOf": [PET, {"type": "integer"}]}}), [[1, {"kind": "pet"}]], [["a"], [{"kind": "car"}]]),
    "unique": (of({"type": "array", "uniqueItems": True}), [[1, True], [0, False], [[1], [True]]], [[1, 1.0], [{"a": 1}, {"a": 1.0}]]),
    "tuple": (of({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2}), [["a", 1]], [["a"], ["a", 1, 2], [1, "a"]]),
    "closed tuple": (of({"type": "array", "prefixItems": [{"type": "string"}, {"format": "date", "type": "string"}], "minItems": 2, "maxItems": 2}), [["a", "2026-01-01"]], [["a"], ["a", "b"]]),
    "open tuple": (of({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}), [["a", 1], ["a"], []], [[1], ["a", "b"]]),
    "contains": (of({"type": "array", "items": {"type": "integer"}, "contains": {"const": 3}, "maxContains": 1}), [[3], [1, 3]], [[], [1], [3, 3]]),
    "map": (of({"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 1}), [{}, {"a": 1}, {"": 1.0}], [{"a": "1"}, {"a": 1, "b": 2}]),
    "names": (of({"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"pattern": "^[a-z]+$", "maxLength": 2}}), [{"ab": 1}], [{"A": 1}, {"abc": 1}]),
    "patterned": (of({"type": "object", "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False}), [{"ab": 1}, {}], [{"a": "x"}, {"b": 1}]),
    "map with fields": (of({"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": {"type": "string"}}), [{"n": 1, "o": "x"}], [{"n": "1"}, {"o": 1}]),
    "open object": (of({"type": "object", "properties": {"n": {"type": "integer"}}}), [{"n": 1, "o": []}], [{"n": "1"}]),
    "nothing allowed": (of({"type": "object", "additionalProperties": False}), [{}], [{"a": 1}]),
    "residual": (of({**closed({"a": {"type": "integer"}, "b": {"type": "integer"}}), "allOf": [{"not": {"required": ["a", "b"]}}, {"$ref": "#/$defs/Least"}]}, **{"$defs": {"Least": {"minProperties": 1}}}), [{"a": 1}, {"b": 1}], [{}, {"a": 1, "b": 1}]),
    "unevaluated": (of({"allOf": [{"properties": {"a": {"type": "integer"}}}], "unevaluatedProperties": False, "type": "object"}), [{"a": 1}], [{"b": 1}, {"a": "x"}]),
    "if": (of({**closed({"t": {"enum": ["a", "b"]}, "v": {"type": "integer"}}), "if": {"properties": {"t": {"const": "a"}}, "required": ["t"]}, "then": {"required": ["v"]}}), [{}, {"t": "b"}, {"t": "a", "v": 1}], [{"t": "a"}]),
    "dependent": (of({**closed({"a": {}, "b": {}}), "dependentRequired": {"a": ["b"]}}), [{}, {"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]),
    "groups of required": (of({**closed({"a": {}, "b": {}}), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}), [{"a": 1}, {"b": 1}], [{}, {"a": 1, "b": 1}]),
    "recursion": (of({"$ref": "#/$defs/Tree"}, **TREE), [{}, {"left": {"left": {}}, "rest": [{}]}], [{"left": {"x": 1}}, {"rest": [1]}]),
    "recursion of the root": (closed({"x": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}}, "x"), [1, {"x": {"x": 2}}], ["a", {}, {"x": {}}]),
    "deep reference": (of({"$ref": "#/$defs/A/properties/b"}, **{"$defs": {"A": {"properties": {"b": {"type": "integer"}}}}}), [1], ["a"]),
    "reference with more": (of({"$ref": "#/$defs/A", "minProperties": 1}, **{"$defs": {"A": closed({"a": {"type": "integer"}})}}), [{"a": 1}], [{}, {"a": "1"}]),
    "list that holds itself": (of({"$ref": "#/$defs/L"}, **{"$defs": {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}}}), [[], [[], [[]]]], [[1], 1]),
    "anything": (of(True), [None, 1, {"a": [1.5]}, []], []),
    "null in an object": (of(closed({"a": {"type": "string"}, "b": {"type": ["string", "null"]}})), [{}, {"b": None}], [{"a": None}]),
    "not": (of({"type": "string", "not": {"const": "a"}}), ["b"], ["a"]),
    "types": (of({"type": ["integer", "array"], "items": {"type": "string"}, "minimum": 2}), [2, ["a"], []], [1, [1], "a"]),
    "constant object": (of({"const": {"a": [1]}}), [{"a": [1.0]}], [{"a": [True]}, {}]),
    "e-mail": (of({"type": "string", "format": "email"}), ["a@b.example"], ["a@", "a"]),
    "regex": (of({"type": "string", "format": "regex"}), ["^a$"], ["(", "(?i)a"]),
    "base64": (of({"type": "string", "format": "byte"}), ["YQ=="], ["YQ"]),
    "never": (closed({"x": {"type": "integer"}, "y": False}, "x"), [1], ["a"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    schema, taken, refused = FORMS[name]
    voices = Voices(schema)
    surrogate = {"\ud800", 2**53}  # refused by the boundary and the model before any schema (C1)
    for value in taken:
        voices.agree({"x": value}, expected=True)
    for value in refused:
        if isinstance(value, str | int) and value in surrogate:
            said = voices.say({"x": value})
            assert set(said.values()) - {said.pop("independent")} <= {False}
            assert not any(said.values())
        else:
            voices.agree({"x": value}, expected=False)
    voices.agree({}, expected=False)
    voices.agree({"zz": 1}, expected=False)
    voices.agree([], expected=False)


def test_what_is_taken_comes_back() -> None:
    for schema, taken, _ in FORMS.values():
        model: Any = Voices(schema).model
        for value in taken:
            back = model.model_validate({"x": value}).to_json()["x"]
            assert back == value or isinstance(value, str)


def test_errors_hold_no_value() -> None:
    model = Voices(of({"type": "string", "maxLength": 3})).model
    for judge in (
        lambda: model.model_validate({"x": "canary"}),
        lambda: model(x="canary"),
        lambda: model.model_validate_json('{"x": "canary"}'),
    ):
        with pytest.raises(ValidationError) as caught:
            judge()
        assert "canary" not in str(caught.value) + repr(caught.value.errors())
        assert caught.value.errors()[0]["loc"] == ("x",)
        assert caught.value.errors()[0]["msg"] == "must have at most 3 characters"


LEAVES = st.sampled_from([
    {"type": "string", "maxLength": 2}, {"type": "integer", "minimum": 0, "maximum": 9}, {"type": "boolean"}, {"const": 1}, {"enum": ["a", 1, None]},
    {"type": ["string", "null"], "pattern": "^[a-b]+$"}, {"type": "number", "multipleOf": 0.5}, {"type": "string", "format": "date"}, True, {"type": ["integer", "string"]},
    {"type": "object", "additionalProperties": {"type": "integer"}}, {"$ref": "#/$defs/Node"}, {"enum": [True, 0]}, {"type": "string", "not": {"const": "a"}},
])  # fmt: skip
RESIDUALS = st.sampled_from([
    {}, {}, {"minProperties": 1}, {"maxProperties": 1}, {"not": {"required": ["a", "b"]}}, {"dependentRequired": {"a": ["b"]}}, {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {"if": {"required": ["a"]}, "then": {"properties": {"b": {"type": "integer"}}}}, {"allOf": [{"$ref": "#/$defs/Least"}]}, {"propertyNames": {"enum": ["a"]}},
])  # fmt: skip
DEFS = {
    "Node": closed({"a": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}),
    "Least": {"minProperties": 1},
}


def _inside(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.builds(
        lambda a, b, needed, more: {**closed({"a": a, "b": b}, *needed), **more},
        below, below, st.sampled_from([(), ("a",), ("a", "b")]), RESIDUALS,
    )  # fmt: skip
    few = st.lists(below, min_size=2, max_size=3)
    return st.one_of(
        objects,
        st.builds(lambda one, unique: {"type": "array", "items": one, "maxItems": 2, "uniqueItems": unique}, below, st.booleans()),
        st.builds(lambda some: {"type": "array", "prefixItems": some, "items": False}, few),
        st.builds(lambda some, word: {word: some}, few, st.sampled_from(["anyOf", "oneOf"])),
        st.builds(lambda one: {"type": "object", "additionalProperties": one, "maxProperties": 2}, below),
        st.builds(lambda one: {"type": "array", "contains": one, "maxItems": 2}, below),
    )  # fmt: skip


SCHEMAS = st.recursive(LEAVES, _inside, max_leaves=6)
SCALARS = st.sampled_from(
    [None, True, False, 0, 1, 1.0, 9, 10, 0.5, "", "a", "ab", "abc", "2026-01-01", "1"]
)
VALUES = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "next", "z"]), below, max_size=3)
    ),
    max_leaves=5,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=25, max_size=40))
def test_any_closed_schema(first: Any, second: Any, values: list[Any]) -> None:
    voices = Voices({**closed({"p": first, "q": second}, "p"), "$defs": DEFS})
    for value in values:
        voices.agree({"p": value})
        voices.agree({"p": 1, "q": value})


def test_formats_and_patterns() -> None:
    """One contract with a field for each format and each pattern; every text is tried on every field."""
    formats = {name: {"type": "string", "format": name} for name in FORMAT_CASES}
    patterns = {f"p{i}": {"type": "string", "pattern": one} for i, one in enumerate(PATTERNS)}
    voices = Voices(closed({**formats, **patterns}))
    texts = {text for pair in FORMAT_CASES.values() for side in pair for text in side.split(" ")}
    for text in sorted(texts | {"", "é", "\u0663", "1\n", "A", "\ufeff", "\x85", "a b", "\u2028", "aa"}):  # fmt: skip
        for name in (*formats, *patterns):
            judged = voices.independent({name: text})
            assert _takes(lambda n=name, t=text: validate_arguments(voices.contract, {n: t})) == judged, (name, text)  # fmt: skip
            assert _takes(lambda n=name, t=text: voices.model.model_validate({n: t})) == judged, (name, text)  # fmt: skip


NUMBERS = [0, -0.0, 1, 1.0, 1.5, -1, 2**31, -(2**31) - 1, 2**53 - 1, 1e21, 1e300, 5e-324, 0.1, 0.3, 1e22, -1e30, 3.5e38]  # fmt: skip
OF_NUMBERS = [
    {"type": "integer"}, {"type": "number"}, {"type": "integer", "multipleOf": 3}, {"type": "number", "multipleOf": 0.1}, {"type": "integer", "maximum": 1e300},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e22}, {"type": "integer", "format": "int64"}, {"enum": [1e21, 0.1, 1]}, {"const": 1.0},
    {"type": ["integer", "string"]}, {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "number", "maximum": 1}]}, {"type": "integer", "multipleOf": 0.5},
    {"type": "number", "format": "float"}, {},
]  # fmt: skip


def test_numbers() -> None:
    voices = Voices(closed({f"n{i}": one for i, one in enumerate(OF_NUMBERS)}))
    for number in NUMBERS:
        for i in range(len(OF_NUMBERS)):
            voices.agree({f"n{i}": number})
            if isinstance(number, float):
                voices.agree({f"n{i}": [number]})
