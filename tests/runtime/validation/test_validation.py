"""Pass one: raw JSON against the frozen schema (D1, C1 to C3)."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.upstream.contracts import contract, write
from toolcharter_runtime.canonical import Rejected, digest
from toolcharter_runtime.frozen import Binding, Body, Contract, Parameter, Request
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.schemas import SchemaFault, compile_schema
from toolcharter_runtime.validation import complete_arguments, parse_arguments, validate_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["customer", "filter"],
    "properties": {
        "customer": {"type": "string", "pattern": "^C-[0-9]{4}$"},
        "filter": {"$ref": "#/$defs/Filter"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20},
        "ratio": {"type": "number", "multipleOf": 0.5},
        "at": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "operation": {"type": "string", "format": "uuid"},
        "reason": {"enum": ["moved", "correction", 3, None]},
        "tags": {"type": "array", "maxItems": 2, "uniqueItems": True, "items": {"type": "string", "maxLength": 3}},
        "free": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "string"}},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["code"],
                "properties": {
                    "code": {"type": "string", "minLength": 1},
                    "when": {"type": "string", "format": "date-time"},
                    "quantity": {"type": "integer", "default": 1},
                },
            },
        },
        "maybe": {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}]},
        "flag": {"const": True},
    },
    "$defs": {
        "Filter": {"oneOf": [{"$ref": "#/$defs/Email"}, {"$ref": "#/$defs/Phone"}]},
        "Email": {
            "type": "object",
            "additionalProperties": False,
            "required": ["kind", "email"],
            "properties": {
                "kind": {"const": "email"},
                "email": {"type": "string", "format": "email"},
                "exact": {"type": "boolean", "default": True},
            },
        },
        "Phone": {
            "type": "object",
            "additionalProperties": False,
            "required": ["kind", "phone"],
            "properties": {
                "kind": {"const": "phone"},
                "phone": {"type": "string", "pattern": "^[+0-9]+$"},
                "area": {"type": "object", "required": ["code"], "properties": {"code": {"type": "string"}}},
            },
        },
    },
}  # fmt: skip
READ = contract(arguments=SCHEMA)
WRITE = write(arguments=SCHEMA)
VALID: dict[str, Any] = {"customer": "C-1234", "filter": {"kind": "email", "email": "a@b.c"}}


def refusal(tool: Contract = READ, **changed: Any) -> Rejected:
    with pytest.raises(Rejected) as caught:
        validate_arguments(tool, {**VALID, **changed})
    return caught.value


@pytest.mark.parametrize(
    ("changed", "pointer", "reason"),
    [
        ({"customer": "NOPE"}, "/customer", "must match the pattern ^C-[0-9]{4}$"),
        ({"customer": "C-1234\n"}, "/customer", "must match the pattern"),
        ({"customer": "C-١٢٣٤"}, "/customer", "must match the pattern"),
        ({"customer": 7}, "/customer", "must be text"),
        ({"customer": None}, "/customer", "must be text"),
        ({"customr": "x"}, "/<unknown>", "unknown field `customr`; did you mean `customer`?"),
        ({"bogus": 1}, "/<unknown>", "unknown field `bogus`"),
        ({"Idempotency-Key": "k"}, "/<unknown>", "unknown field `Idempotency-Key`"),
        ({"filter": {"kind": "email", "email": "a@"}}, "/filter/email", "must be an e-mail address"),
        ({"filter": {"kind": "email"}}, "/filter/email", "is required"),
        ({"filter": {"kind": "phone", "phone": "x"}}, "/filter/phone", "must match the pattern"),
        ({"filter": {"kind": "phone", "phone": "1", "area": {}}}, "/filter/area/code", "is required"),
        ({"filter": {"kind": "phone", "phone": "1", "email": "a@b.c"}}, "/filter/email", "belongs to another alternative"),
        ({"filter": {"kind": "email", "email": "a@b.c", "emial": 1}}, "/filter/<unknown>", "did you mean `email`?"),
        ({"filter": {"kind": "fax", "email": "a@b.c"}}, "/filter/kind", "must be one of email, phone"),
        ({"filter": {"email": "a@b.c"}}, "/filter/kind", "is required"),
        ({"filter": {}}, "/filter/kind", "is required"),
        ({"filter": "text"}, "/filter", "must be an object"),
        ({"filter": None}, "/filter", "must be an object"),
        ({"limit": 0}, "/limit", "must be at least 1"),
        ({"limit": 51}, "/limit", "must be at most 50"),
        ({"limit": 1.5}, "/limit", "must be an integer"),
        ({"limit": "5"}, "/limit", "must be an integer"),
        ({"limit": True}, "/limit", "must be an integer"),
        ({"limit": 2**53 + 1}, "/limit", "is not exact in JSON"),
        ({"ratio": 0.3}, "/ratio", "must be a multiple of 0.5"),
        ({"at": "2026-01-01T00:00:00"}, "/at", "with an offset"),
        ({"at": "2026-01-01 00:00:00Z"}, "/at", "with an offset"),
        ({"at": "2026-01-01T00:00:60Z"}, "/at", "with an offset"),
        ({"at": "0001-01-01T00:00:00+01:00"}, "/at", "with an offset"),
        ({"at": "2026-01-01T00:00:00Z\n"}, "/at", "with an offset"),
        ({"day": "soon"}, "/day", "must be a date"),
        ({"day": "2026-02-30"}, "/day", "must be a date"),
        ({"day": "20260101"}, "/day", "must be a date"),
        ({"operation": "NOPE"}, "/operation", "must be a UUID with hyphens"),
        ({"operation": "123e4567e89b12d3a456426614174000"}, "/operation", "UUID"),
        ({"operation": "{123e4567-e89b-12d3-a456-426614174000}"}, "/operation", "UUID"),
        ({"reason": "x"}, "/reason", "must be one of moved, correction, 3, null"),
        ({"tags": ["a", "abcd"]}, "/tags/1", "must have at most 3 characters"),
        ({"tags": ["a", "b", "c"]}, "/tags", "must have at most 2 elements"),
        ({"tags": ["a", "a"]}, "/tags", "must not have an element twice"),
        ({"free": {"canary": 1}}, "/free/<unknown>", "must be text"),
        ({"free": {"a": "1", "b": "2", "c": "3"}}, "/free", "must have at most 2 fields"),
        ({"free": {"canary": float("nan")}}, "/free/<unknown>", "not finite"),
        ({"lines": [{"code": "a"}, {}]}, "/lines/1/code", "is required"),
        ({"lines": [{"code": "a", "codes": 1}]}, "/lines/0/<unknown>", "did you mean `code`?"),
        ({"maybe": "a@"}, "/maybe", "must be an e-mail address"),
        ({"maybe": 3}, "/maybe", "must be one of text, null"),
        ({"flag": False}, "/flag", "must be true"),
        ({"flag": 1}, "/flag", "must be true"),
        ({"customer": "••• (1-8)"}, "/customer", "pattern"),
        ({"free": {"a": "••• (1-8)"}}, "/free/<unknown>", "is a mask"),
        ({"filter": {"kind": "email", "email": "•••@b.c"}}, "/filter/email", ""),
    ],
)  # fmt: skip
def test_a_refusal_names_the_faults_own_place(
    changed: dict[str, Any], pointer: str, reason: str
) -> None:
    """Case 37 and D1: `INVALID_ARGUMENT` with the fault's own place and how to mend it."""
    refused = refusal(**changed)
    assert (refused.pointer, reason in refused.reason) == (pointer, True), refused.reason


def test_a_missing_field_is_named() -> None:
    with pytest.raises(Rejected) as caught:
        validate_arguments(READ, {"customer": "C-1234"})
    assert (caught.value.pointer, caught.value.reason) == ("/filter", "is required")


@pytest.mark.parametrize("value", [[], "x", None, 1, True])
def test_arguments_are_an_object(value: object) -> None:
    with pytest.raises(Rejected, match="must be an object"):
        validate_arguments(READ, value)


def test_valid_arguments_arrive_intact() -> None:
    given_ = {
        **VALID,
        "limit": 5.0,
        "ratio": 1.5,
        "tags": [],
        "maybe": None,
        "at": "2026-01-01t01:00:00+01:00",
    }
    assert validate_arguments(READ, given_) == {**given_, "limit": 5}
    assert given_["limit"] == 5.0
    assert type(validate_arguments(READ, given_)["limit"]) is int


def test_json_text_is_parsed_strictly_and_placed_by_the_contract() -> None:
    """C1: duplicate keys are refused at parse; R4: an undeclared name is no place."""
    assert parse_arguments(READ, json.dumps(VALID).encode()) == VALID
    for raw, pointer in [
        ('{"customer": "C-1234", "customer": "C-1235"}', "/customer"),
        ('{"canary": 1, "canary": 2}', "/<unknown>"),
        ('{"free": {"canary": NaN}}', "/free/<unknown>"),
        ('{"lines": [{"code": "\\ud800"}]}', "/lines/0/code"),
        ('{"canary/~' + "x" * 80 + '": 1e999}', "/<unknown>"),
        ("[", ""),
    ]:
        with pytest.raises(Rejected) as caught:
            parse_arguments(READ, raw)
        assert caught.value.pointer == pointer


@given(
    st.dictionaries(
        st.sampled_from([*SCHEMA["properties"], "x"]),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
            lambda inner: (
                st.lists(inner, max_size=2)
                | st.dictionaries(st.text(max_size=4), inner, max_size=2)
            ),
            max_leaves=6,
        ),
        max_size=4,
    )
)
def test_anything_else_is_refused_without_a_traceback(arguments: dict[str, Any]) -> None:
    """C1: all refusals are `INVALID_ARGUMENT`; what passes is what was given."""
    try:
        passed = validate_arguments(READ, arguments)
    except Rejected:
        return
    assert digest("arguments", passed) == digest("arguments", arguments)


def test_no_value_is_in_a_reason() -> None:
    """Case 44: a canary in every argument appears nowhere, on the validation path too."""
    for name in SCHEMA["properties"]:
        for canary in (
            "canary-value",
            ["canary-value"],
            {"kind": "canary-value"},
            {"canary-value": 1},
        ):
            refused = (
                refusal(**{name: canary}) if name != "free" else refusal(free=["canary-value"])
            )
            text = f"{refused} {refused.pointer} {refused.reason}".replace(
                "unknown field `canary-value`", ""
            )
            assert "canary" not in text


def test_instants_of_a_write_are_brought_to_utc() -> None:
    """C2, case 38: equal instants have one form, whatever their offset."""
    forms = ["2026-01-01T12:00:00Z", "2026-01-01t13:00:00.000+01:00", "2026-01-01T02:30:00-09:30"]
    for text in forms:
        lines = [{"code": text, "when": text}]
        passed = validate_arguments(WRITE, {**VALID, "at": text, "lines": lines})
        assert passed["at"] == "2026-01-01T12:00:00Z"
        assert passed["lines"] == [{"code": text, "when": "2026-01-01T12:00:00Z"}]
    fraction = validate_arguments(WRITE, {**VALID, "at": "2026-01-01T00:00:00.1234500-00:30"})
    assert fraction["at"] == "2026-01-01T00:30:00.12345Z"
    assert validate_arguments(READ, {**VALID, "at": forms[1]})["at"] == forms[1]


def test_defaults_are_written_into_a_writes_arguments() -> None:
    """C3: defaults are written in before the proposal, also inside the branch and the items."""
    passed = complete_arguments(
        WRITE, {**VALID, "lines": [{"code": "a"}, {"code": "b", "quantity": 2}]}
    )
    assert passed == {
        "customer": "C-1234",
        "filter": {"kind": "email", "email": "a@b.c", "exact": True},
        "limit": 20,
        "lines": [{"code": "a", "quantity": 1}, {"code": "b", "quantity": 2}],
    }


def test_no_default_goes_into_a_partial_body() -> None:
    """C3: never into a body that the charter calls `partial`."""
    properties = {"a": {"default": 1}, "b": {"default": 2}, "c": {"type": "array", "default": []}}
    body = Body(
        media="application/json",
        kind="json",
        partial=True,
        bindings=(Binding(at="/a", value="{a}"), Binding(at="/c", each="c")),
    )
    query = Parameter(location="query", name="b", value="{b}", style="form")
    request = Request(method="PATCH", path="/x", parameters=(query,), body=body)
    tool = contract(arguments={"type": "object", "properties": properties}, request=request)
    assert complete_arguments(tool, {}) == {"b": 2}
    assert complete_arguments(tool, {"a": 5}) == {"a": 5, "b": 2}


def test_a_contract_is_compiled_once_and_forgotten_with_it() -> None:
    made: list[str] = []

    def make(tool: Contract) -> str:
        made.append(tool.id)
        return tool.id

    kept: PerObject[Contract, str] = PerObject(make)
    one, twin = contract(), contract()
    assert [kept.of(one), kept.of(one), kept.of(twin)] == ["get_customer.v1"] * 3
    assert made == ["get_customer.v1"] * 2
    del one
    gc.collect()
    assert len(kept._made) == 1


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nope"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "https://evil.test/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"pattern": "("},
    ],
)
def test_a_schema_that_cannot_be_compiled_is_refused(schema: dict[str, Any]) -> None:
    """References never leave the schema, nor go to the network."""
    with pytest.raises(SchemaFault):
        compile_schema(schema)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("byte", ["", "YQ==", "YWI="], ["YQ", "YQ=", "YR==", "%%", "YQ==\n"]),
        ("decimal", ["0", "-1.50", "12"], ["1.", ".5", "+1", "01", "1e3", "1\n"]),
        ("email", ["a@b", "a.b+c@d.e"], ["A <a@b.c>", "a@", "@b", "a@b.c\n", " a@b.c"]),
        ("ipv4", ["1.2.3.4"], ["01.2.3.4", "1.2.3"]),
        ("uri", ["https://a.b/c"], ["//a.b", "a b:c"]),
    ],
)
def test_formats_are_asserted(name: str, good: list[str], bad: list[str]) -> None:
    validator = compile_schema({"type": "string", "format": name})
    assert [text for text in good if not validator.is_valid(text)] == []
    assert [text for text in bad if validator.is_valid(text)] == []
