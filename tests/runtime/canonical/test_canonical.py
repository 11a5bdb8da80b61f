"""Canonical bytes and digests (RFC 8785; C4 to C6)."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given

from tests.runtime.canonical.test_strict import JSON
from toolcharter_runtime.canonical import Rejected, canonical_bytes, digest, parse_json

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "vectors.json").read_text("utf-8")
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_a_published_vector(vector: dict[str, Any]) -> None:
    """C6: input → bytes → digest; the digest is recomputed here without the library."""
    value = parse_json(vector["input"])
    canonical = vector["canonical"].encode("utf-8")
    assert canonical_bytes(value) == canonical
    expected = hashlib.sha256(b"toolcharter/1/arguments\x00" + canonical).hexdigest()
    assert vector["digest"] == f"sha256:{expected}"
    assert digest("arguments", value) == vector["digest"]


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_the_numbers_of_rfc_8785_appendix_b(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_bytes([number]) == f"[{text}]".encode()


@given(JSON)
def test_it_agrees_with_the_reference_and_reads_back(value: Any) -> None:
    written = canonical_bytes(value)
    assert written == rfc8785.dumps(value)
    assert canonical_bytes(parse_json(written)) == written


def test_order_and_space_do_not_matter_and_null_does() -> None:
    """Case 38: equal arguments have equal digests, and null is not absent."""
    one = parse_json('{"a": 1, "b": {"c": [1, 2], "d": null}}')
    two = parse_json('{ "b":{"d":null,"c":[1.0,2]},"a":1e0 }')
    assert digest("arguments", one) == digest("arguments", two)
    assert digest("arguments", {"a": None}) != digest("arguments", {})
    assert digest("arguments", one) != digest("proposal", one)


def test_the_form_is_not_normalized() -> None:
    """C5: no Unicode normalisation."""
    assert canonical_bytes("é") != canonical_bytes("e\u0301")


def test_integers_beyond_a_double_are_written_whole() -> None:
    assert canonical_bytes({"maximum": 2**63 - 1}) == b'{"maximum":9223372036854775807}'


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {"a": object()}, {1: 2}, "\ud800", {"\ud800": 1}]
)
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(Rejected):
        canonical_bytes(value)


def test_the_hash_seed_does_not_matter() -> None:
    """Case 38: equal under three seeds."""
    program = (
        "from toolcharter_runtime.canonical import digest;"
        "print(digest('arguments', {name: {'x': 1.5} for name in {'b', 'a', 'é', 'c'}}))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(seen) == 1
