"""Places and pointers of the little language (docs/charter.md)."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter_runtime.language import (
    ABSENT,
    Every,
    LanguageError,
    Place,
    parse_place,
    pointer_of,
    read_pointer,
    tokens_of,
)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("path.customer_id", Place("path", "customer_id", "")),
        ("query.created/gte", Place("query", "created", "/gte")),
        ("cookie.theme", Place("cookie", "theme", "")),
        ("query.filter[email]", Place("query", "filter[email]", "")),
        ("header.If-Match", Place("header", "If-Match", "")),
        ("header.X.Y", Place("header", "X.Y", "")),
        ("query.a~1b/c", Place("query", "a/b", "/c")),
        ("/data/0/id", Place("body", "", "/data/0/id")),
        ("body", Place("body", "", "")),
        ("", Place("body", "", "")),
        ("http", Place("http", "", "")),
    ],
)
def test_a_place_is_read(text: str, place: Place) -> None:
    assert parse_place(text) == place
    assert parse_place(str(place)) == place


@pytest.mark.parametrize(
    "text",
    [
        "query.",
        "path",
        "header. X",
        "a/b",
        "/a~2",
        "query.a/b~",
        "http.status",
        "header.a\nb",
    ],
)
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_place(text)
    assert caught.value.reason


@given(st.lists(st.text(max_size=8), max_size=5))
def test_pointers_round_trip(tokens: list[str]) -> None:
    assert tokens_of(pointer_of(*tokens)) == tuple(tokens)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_every_value_is_found_where_it_stands(value: object) -> None:
    for pointer, expected in _places(value, ""):
        if "*" not in tokens_of(pointer):
            assert read_pointer(value, pointer) is expected  # type: ignore[arg-type]


def _places(value: object, pointer: str) -> list[tuple[str, object]]:
    found = [(pointer, value)]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += _places(inner, pointer + pointer_of(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _places(inner, pointer + pointer_of(index))
    return found


@pytest.mark.parametrize(
    "pointer", ["/a/01", "/a/-", "/a/3", "/a/-1", "/b", "/a/0/x", "/a/٣", "/a/99999999999"]
)
def test_nothing_is_absent_rather_than_null(pointer: str) -> None:
    """C3: absent is not null."""
    value = {"a": [1, None, 2]}
    assert read_pointer(value, pointer) is ABSENT
    assert read_pointer(value, "/a/1") is None


def test_a_star_reads_every_element_and_counts_the_missing() -> None:
    found = read_pointer({"r": [{"s": "A"}, {}, {"s": "B"}]}, "/r/*/s")
    assert isinstance(found, Every)
    assert (list(found), found.missing) == (["A", "B"], 1)
    nested = read_pointer([[{"x": 1}], [{"x": 2}, {}]], "/*/*/x")
    assert (list(nested), nested.missing) == ([1, 2], 1)
    assert read_pointer({"r": "text"}, "/r/*") is ABSENT


def test_absent_is_one() -> None:
    assert copy.deepcopy(ABSENT) is ABSENT
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT
    assert not ABSENT
