"""The fast JSON reader accepts nothing that the strict one refuses, and gives the same value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter.source import load_document
from toolcharter.source.json_text import read_json, read_json_fast
from toolcharter.source.limits import MAX_DEPTH, Extent, survey
from toolcharter.source.refusal import TextError

SURE = [
    b"{}",
    b'{"a": 1, "b": {"a": 2}}',
    b'{"a" : 1, "b"\n:\t2, "c" \r\n : [{"c":3}]}',
    b'{"a": "say \\":\\" twice", "b\\"": 1, "c\\\\": 2, "\\\\\\"": 3, "d\\"" :4}',
    b'{"a": 1.5e3, "b": -0, "c": 123456789012345678901234567890, "d": 0.1000000000000000055511151231257827}',
    '{"ä": "\U0001fab2", "\\ud83d\\udc1e": "\\u00e9"}'.encode(),
    b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
]
UNSURE = [
    b"",
    b"null",
    b'{"a": 1, "a": 2}',
    b'{"a" :1, "a" :2}',
    b'{"a": {"k": 1,\n "\\u006b": 2}}',
    b'{"a\\\\": 1, "a\\\\": 2}',
    b'{"a": "\\":", "b": 1, "b": 2}',
    b'{"a": ":opens with a colon"}',
    b'{"a": 1e999}',
    b'{"a": [-1e999]}',
    b"1e999",
    b'{"a": NaN}',
    b'{"a": ' + b"9" * 5000 + b"}",
    b'{"a": "\\ud83d"}',
    b'{"a": "\xff"}',
    b'{"a": "\xed\xa0\x80"}',
    b'{"\xc0\xa0": 1}',
    b'\xef\xbb\xbf{"a": 1}',
    b'{"a": 1,}',
    b'{"a": "\t"}',
    b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    b"[" * 100_000,
]
PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        '"',
        "\\",
        '"a"',
        '"b":',
        '"a" :',
        '\\":',
        "1",
        "-0.5e2",
        "1e999",
        "null",
        "é",
        "\\ud83d",
        "\x00",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(':"\\ ab\u00e9\U0001fab2', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(':"\\ ab\u00e9', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def strictly(raw: bytes) -> object:
    """Return what the strict reader gives, or None where it refuses."""
    try:
        return read_json(raw.decode("utf-8"))
    except (TextError, UnicodeDecodeError):
        return None


@pytest.mark.parametrize("raw", SURE)
def test_sure(raw: bytes) -> None:
    value = read_json_fast(raw)
    assert value is not None
    assert repr(value) == repr(strictly(raw))


@pytest.mark.parametrize("raw", UNSURE)
def test_left_to_the_strict_reader(raw: bytes) -> None:
    assert read_json_fast(raw) is None


@given(st.lists(PIECES, max_size=12).map("".join))
def test_accepts_nothing_more(text: str) -> None:
    raw = text.encode()
    value = read_json_fast(raw)
    assert value is None or repr(value) == repr(strictly(raw))


@given(VALUES, st.booleans(), st.sampled_from([(",", ":"), (" , ", " : ")]))
def test_reads_the_same_value(value: object, ascii_only: bool, separators: tuple[str, str]) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only, separators=separators).encode()
    fast = read_json_fast(raw)
    assert fast is None or repr(fast) == repr(value) == repr(strictly(raw))


def test_string_that_opens_with_a_colon_is_read_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": ":smile:"}', "utf-8")
    loaded = load_document(tmp_path / "a.json").value
    assert loaded is not None
    assert loaded.value == {"a": ":smile:"}


def test_place_behind_characters_of_many_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        '{"ä\U0001fab2": 1, "\\u00e4": {\n "ü": "ß", "b": 2}}', "utf-8"
    )
    loaded = load_document(tmp_path / "a.json").value
    assert loaded is not None
    assert [
        (o.line, o.column) for o in map(loaded.origin, ("/ä\U0001fab2", "/ä", "/ä/ü", "/ä/b"))
    ] == [(1, 2), (1, 11), (2, 2), (2, 12)]


def test_extent() -> None:
    assert survey({"a": [1, {"b": 2, "c": 3}], "d": 1.5}) == Extent(
        levels=3, members=4, is_finite=True
    )
    assert survey([float("inf")]) == Extent(levels=1, members=0, is_finite=False)
