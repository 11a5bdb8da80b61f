"""The independent voice: one fixture for each correction to openapi-schema-validator, with what it says uncorrected."""

from __future__ import annotations

from typing import Any

import pytest
from openapi_schema_validator import (
    OAS30Validator,
    OAS31Validator,
    oas30_format_checker,
    oas31_format_checker,
)

from benchmarks.fidelity.formats import FORMATS
from benchmarks.fidelity.voice import VoiceFault, original_validator

READ_ONLY = {"type": "object", "properties": {"id": {"type": "string", "readOnly": True}}, "required": ["id"]}  # fmt: skip
TWO_BRANCHES = {
    "oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
    "discriminator": {"propertyName": "kind"},
}
DOCUMENT: dict[str, Any] = {
    "components": {
        "schemas": {
            "A": {"type": "object", "properties": {"kind": {"type": "string"}}},
            "B": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["b"]},
            "Node": {
                "$anchor": "node",
                "type": "object",
                "properties": {"next": {"$ref": "#node"}, "n": {"type": "integer"}},
            },
            "ReadOnly": {"type": "string", "readOnly": True},
        }
    }
}

CORRECTIONS: dict[str, tuple[str, Any, Any, bool]] = {
    "a digit is ASCII": ("3.1", {"pattern": r"^\d+$"}, "\u0663", False),
    "a dollar is the end": ("3.1", {"pattern": r"^\d+$"}, "1\n", False),
    "a property of Unicode": ("3.1", {"pattern": r"^\p{L}+$"}, "é", True),
    "a word character is ASCII": ("3.0", {"pattern": r"^\w$"}, "é", False),
    "pattern of a name": ("3.1", {"patternProperties": {r"^\d$": False}}, {"\u0663": 1}, True),
    "extras beside a pattern": ("3.1", {"patternProperties": {r"^\d$": {}}, "additionalProperties": False}, {"\u0663": 1}, False),
    "unevaluated beside a pattern": ("3.1", {"allOf": [{"patternProperties": {r"^\d$": {}}}], "unevaluatedProperties": False}, {"1\n": 1}, False),
    "cents": ("3.1", {"multipleOf": 0.01}, 19.99, True),
    "cents in 3.0": ("3.0", {"multipleOf": 0.01}, 0.07, True),
    "an e-mail has a domain": ("3.1", {"format": "email"}, "a@", False),
    "a date of digits": ("3.1", {"format": "date"}, "2026-W01-1", False),
    "a time has an offset": ("3.1", {"format": "time"}, "12:00:00", False),
    "a date-time": ("3.0", {"type": "string", "format": "date-time"}, "2026-01-01 12:00:00", False),
    "a UUID has hyphens": ("3.0", {"type": "string", "format": "uuid"}, "0" * 32, False),
    "an absolute URI": ("3.0", {"type": "string", "format": "uri"}, "/x", False),
    "a whole float is an integer": ("3.0", {"type": "integer"}, 1.0, True),
    "beside a reference nothing counts in 3.0": ("3.0", {"$ref": "#/components/schemas/A", "maxProperties": 0}, {"kind": "x"}, True),
    "beside a reference all counts in 3.1": ("3.1", {"$ref": "#/components/schemas/A", "maxProperties": 0}, {"kind": "x"}, False),
    "a discriminator is no verdict": ("3.0", {"oneOf": [{"type": "object"}], "discriminator": {"propertyName": "k"}}, {}, True),
    "a discriminator does not choose": ("3.0", TWO_BRANCHES, {"kind": "B", "b": 1}, False),
    "a discriminator beside allOf": ("3.0", {"allOf": [{"$ref": "#/components/schemas/A"}], "discriminator": {"propertyName": "kind"}}, {}, True),
    "a request lacks what is read only": ("3.1", READ_ONLY, {}, True),
    "read only behind a reference": ("3.0", {"type": "object", "properties": {"id": {"$ref": "#/components/schemas/ReadOnly"}}, "required": ["id"]}, {}, True),
    "a request has what is write only": ("3.0", {"type": "object", "properties": {"p": {"type": "string", "writeOnly": True}}, "required": ["p"]}, {}, False),
    "x-nullable": ("2.0", {"type": "string", "x-nullable": True}, None, True),
    "a file": ("2.0", {"type": "file"}, "text", True),
    "an anchor of a component": ("3.1", {"$ref": "#node"}, {"next": {"n": "x"}}, False),
    "unique over types": ("3.1", {"uniqueItems": True}, [1, True], True),
    "unique numbers": ("3.1", {"uniqueItems": True}, [{"a": 1}, {"a": 1.0}], False),
    "a surrogate": ("3.1", {"pattern": "^a$"}, "a\ud800", False),
    "an unknown format": ("3.1", {"format": "iban"}, "x", True),
    "an integer's width": ("3.1", {"type": "integer", "format": "int32"}, 2**31, False),
}  # fmt: skip


def resolve(uri: str) -> Any:
    assert uri == ""
    return DOCUMENT


@pytest.mark.parametrize("name", CORRECTIONS)
def test_correction(name: str) -> None:
    version, schema, value, expected = CORRECTIONS[name]
    assert original_validator(version, schema, resolve)(value) is expected


UNCORRECTED = {
    "a property of Unicode", "pattern of a name", "extras beside a pattern", "unevaluated beside a pattern", "cents", "cents in 3.0",
    "an e-mail has a domain", "a time has an offset", "an absolute URI", "a whole float is an integer", "a discriminator is no verdict",
    "a request lacks what is read only", "a request has what is write only",
}  # fmt: skip
"""With `regress` beside it, openapi-schema-validator reads `pattern` right but for Unicode's properties, and `pattern` only."""


@pytest.mark.parametrize("name", sorted(UNCORRECTED))
def test_correction_is_still_needed(name: str) -> None:
    """When this fails, a correction has become superfluous."""
    version, schema, value, expected = CORRECTIONS[name]
    cls, checker = (
        (OAS30Validator, oas30_format_checker)
        if version == "3.0"
        else (OAS31Validator, oas31_format_checker)
    )
    assert cls(schema, format_checker=checker).is_valid(value) is not expected


def test_view_of_a_response() -> None:
    schema = {"type": "object", "properties": {"p": {"writeOnly": True}, "r": {"readOnly": True}}, "required": ["p", "r"]}  # fmt: skip
    assert original_validator("3.1", schema, resolve, view="response")({"r": 1})
    assert not original_validator("3.1", schema, resolve, view="response")({"p": 1})


def test_no_regular_expression_is_a_fault() -> None:
    with pytest.raises(VoiceFault):
        original_validator("3.1", {"pattern": "("}, resolve)("x")


FORMAT_CASES: dict[str, tuple[str, str]] = {
    # name: valid texts, invalid texts; separated by spaces
    "date": ("2026-02-28 2024-02-29", "2026-02-29 2026-2-1 20260228 2026-02-28T"),
    "time": ("12:00:00Z 23:59:59.123456789012+23:59 00:00:00z", "24:00:00Z 12:00Z 12:00:00+24:00 12:00:60Z 12:00:00"),
    "date-time": ("2026-01-01T00:00:00Z 2026-01-01t00:00:00.5-12:00", "2026-01-01T00:00:00 2026-13-01T00:00:00Z 1700000000"),
    "duration": ("P1Y P1Y2M3DT4H5M6S PT1H P3W PT5S", "P PT P1YT P1D1Y P1.5D 1Y P1W2D -P1D"),
    "email": ("a@b.example a.b+c@d.example \"a\\@\"@b.example a@localhost", "a@ @b a@b@c.d .a@b.c a..b@c.d a@-b.c a@[1.2.3.4] é@b.c"),
    "idn-email": ("é@bücher.example a@b.c", "é@ é"),
    "hostname": ("a a.b xn--bcher-kva.example " + "a" * 63, "a_b -a a- a..b a. " + "a" * 64 + " bücher.de ab--cd.e"),
    "idn-hostname": ("bücher.de a.b 例え.jp", "a..b -ü.de"),
    "ipv4": ("127.0.0.1 0.0.0.0", "01.2.3.4 1.2.3 1.2.3.256 \u0661.2.3.4"),
    "ipv6": (":: ::1 1::2:3 ::ffff:1.2.3.4 1:2:3:4:5:6:7:8", "1:2 ::1%eth0 :::: 12345:: 1:2:3:4:5:6:7:8:9 1::2::3"),
    "uri": ("http://a/b?c#d urn:a:b mailto:a@b.c http://[::1]/ x:", "/a a:b\\c http://a/{b} http://[::x]/ http://a/%zz é:a http://ü/"),
    "uri-reference": ("/a a/b ?x #f ./a:b http://a", "a{b 1:b \\\\x %z"),
    "iri": ("http://ü/é", "/é http://a/{"),
    "iri-reference": ("é#ü", "é{"),
    "uri-template": ("http://a/{b} {?x,y*,z:3} a", "{ {b {a:} {a:0} a}b"),
    "uuid": ("8d3c1f0e-2f4e-4c59-9c7b-0d9a6c2f3b11", "8d3c1f0e2f4e4c599c7b0d9a6c2f3b11 {8d3c1f0e-2f4e-4c59-9c7b-0d9a6c2f3b11}"),
    "json-pointer": ("/a /a~0b/~1 /", "a #/a /~2 /~"),
    "relative-json-pointer": ("0 1/a 2#", "-1 01 /a 1a 0##"),
    "regex": ("^a$ (?<x>a)\\k<x> \\p{L}", "( a** [ \\p{X}"),
    "byte": ("YQ== YWI= YWJj", "YQ YR== Y Q===="),
    "decimal": ("0 -1.50 12", "01 1. .5 1e3 +1"),
    "char": ("a é", "ab"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMAT_CASES)
def test_format(name: str) -> None:
    valid, invalid = FORMAT_CASES[name]
    assert [text for text in valid.split(" ") if not FORMATS[name](text)] == []
    assert [text for text in invalid.split(" ") if FORMATS[name](text)] == []
    assert FORMATS[name](7)
    assert name in ("regex", "json-pointer") or not FORMATS[name](
        valid.split(" ", maxsplit=1)[0] + "\n"
    )


@pytest.mark.parametrize(
    ("name", "valid", "invalid"),
    [
        ("int32", 2**31 - 1, 2**31),
        ("int64", -(2**63), 2**63),
        ("uint8", 255, -1),
        ("uint64", 2**64 - 1, 2**64),
        ("float", 3.4e38, 3.5e38),
        ("double", 1e308, 10**309),
    ],
)
def test_number_format(name: str, valid: float, invalid: float) -> None:
    assert FORMATS[name](valid)
    assert not FORMATS[name](invalid)
    assert FORMATS[name]("x")
