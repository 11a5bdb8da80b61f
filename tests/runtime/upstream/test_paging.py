"""Pages and their sealed cursors."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.upstream.contracts import contract, listing
from toolcharter_runtime.canonical import Rejected
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.upstream import (
    Answer,
    Violation,
    next_cursor,
    open_cursor,
    project,
    seal_cursor,
)

KEY = b"k" * 32
FULL = [{"id": 1}, {"id": 2}]


def following(tool: Contract, body: Any, position: Any = None, **headers: str) -> Any:
    got = Answer(200, {name.replace("_", "-"): value for name, value in headers.items()}, body)
    return next_cursor(tool, got, project(tool.view.fields, got), position)


def test_the_answer_names_the_next_page() -> None:
    tool = listing(kind="answer", next="/next")
    assert following(tool, {"items": FULL, "next": "c2"}) == "c2"
    assert following(tool, {"items": FULL[:1], "next": "c2"}) == "c2"
    assert following(tool, {"items": FULL, "next": 7}) == 7
    for end in ({"next": None}, {"next": ""}, {}):
        assert following(tool, {"items": FULL, **end}) is None
    assert following(tool, {"items": FULL, "next": "c2"}, "c2") is None
    for wrong in (True, 1.5, ["c"], {"c": 1}, "x" * 3000):
        with pytest.raises(Violation):
            following(tool, {"items": FULL, "next": wrong})


def test_until_ends_a_list_whose_cursor_is_always_there() -> None:
    """Svix: `iterator` is there on the last page too."""
    tool = listing(kind="answer", next="/iterator", until={"/done": True})
    assert following(tool, {"items": FULL, "iterator": "i", "done": False}) == "i"
    assert following(tool, {"items": FULL, "iterator": "i", "done": True}) is None


def test_the_last_item_names_the_next_page() -> None:
    """Stripe: the next cursor is the last item's id, `has_more` ends."""
    tool = listing(kind="last", next="/id", until={"/has_more": False})
    assert following(tool, {"items": FULL, "has_more": True}) == 2
    assert following(tool, {"items": FULL[:1], "has_more": True}) == 1
    assert following(tool, {"items": FULL, "has_more": False}) is None
    assert following(tool, {"items": [], "has_more": True}) is None
    without = listing(kind="last", next="/id")
    assert following(without, {"items": FULL[:1]}) is None
    assert following(without, {"items": FULL}) == 2
    with pytest.raises(Violation):
        following(listing(kind="last", next="/token"), {"items": FULL})


@pytest.mark.parametrize(
    ("header", "cursor"),
    [
        (
            '<https://api.test/x?page=3&per_page=2>; rel="next", <https://api.test/x?page=9>; rel="last"',
            "3",
        ),
        (
            '<https://api.test/x?page=1>; rel="prev", </x?per_page=2&page=3>; title="a, b"; rel=next',
            "3",
        ),
        ('<https://evil.test/x?page=a%26b>; rel="other NEXT"', "a&b"),
        ('<https://api.test/x?page=9>; rel="last"', None),
        ("", None),
        ("garbage", None),
    ],
)
def test_a_link_header(header: str, cursor: str | None) -> None:
    """GitHub. Only the one parameter is taken, whatever host the URL names (X2)."""
    assert following(listing(kind="link", take="page"), {"items": FULL}, link=header) == cursor


def test_a_link_without_its_parameter_is_a_violation() -> None:
    for url in ("https://api.test/x", "https://api.test/x?page=1&page=2"):
        with pytest.raises(Violation):
            following(
                listing(kind="link", take="page"), {"items": FULL}, link=f'<{url}>; rel="next"'
            )


def test_a_url_in_a_header_or_body() -> None:
    """Kinto: a full URL in an undeclared header."""
    tool = listing(kind="url", next="header.Next-Page", take="_token")
    url = "http://host.test/v1/records?_limit=2&_token=eyJ%3D"
    assert following(tool, {"items": FULL}, next_page=url) == "eyJ="
    assert following(tool, {"items": FULL}) is None
    with pytest.raises(Violation):
        following(listing(kind="url", next="/n", take="t"), {"items": FULL, "n": 5})


def test_offsets_and_numbers_end_with_a_short_page() -> None:
    offset, number = listing(kind="offset"), listing(kind="number")
    assert [following(offset, {"items": FULL}), following(offset, {"items": FULL}, 2)] == [2, 4]
    assert [following(number, {"items": FULL}), following(number, {"items": FULL}, 2)] == [2, 3]
    for tool in (offset, number):
        assert following(tool, {"items": FULL[:1]}, 2) is None
        assert following(tool, {"items": []}) is None


def test_what_has_no_pages_has_no_next_one() -> None:
    assert (
        next_cursor(contract(), Answer(200, {}, {"id": "1"}), project((), Answer(200, {})), None)
        is None
    )


@given(st.text(max_size=60) | st.integers(-(2**53) + 1, 2**53 - 1))
def test_a_sealed_cursor_opens_for_its_call_only(cursor: str | int) -> None:
    """The model sees one opaque cursor, bound to tenant, tool and arguments."""
    sealed = seal_cursor(KEY, "tenant-1 list.v1 sha256:a", cursor)
    assert open_cursor(KEY, "tenant-1 list.v1 sha256:a", sealed) == cursor
    for key, binding in (
        (KEY, "tenant-2 list.v1 sha256:a"),
        (b"x" * 32, "tenant-1 list.v1 sha256:a"),
    ):
        with pytest.raises(Rejected) as caught:
            open_cursor(key, binding, sealed)
        assert caught.value.pointer == "/cursor"


def test_a_sealed_cursor_hides_what_it_holds_and_fits_its_bound() -> None:
    sealed = seal_cursor(KEY, "b", "canary")
    assert "canary" not in sealed
    assert sealed != seal_cursor(KEY, "b", "canary")
    assert len(seal_cursor(KEY, "b", "x" * 2900)) <= 4096


@pytest.mark.parametrize("text", ["", "a", "!!!!", "AAAA", "A" * 50, "é", "=" * 40, "A" * 100_000])
def test_a_made_up_cursor_is_refused(text: str) -> None:
    with pytest.raises(Rejected):
        open_cursor(KEY, "b", text)


def test_a_changed_cursor_is_refused() -> None:
    sealed = seal_cursor(KEY, "b", "c")
    changed = sealed[:-2] + ("A" if sealed[-2] != "A" else "B") + sealed[-1]
    with pytest.raises(Rejected):
        open_cursor(KEY, "b", changed)


def test_another_spelling_of_a_cursor_is_refused() -> None:
    """X5: padding, or bits that base64 does not need, make another text of the same bytes."""
    sealed = seal_cursor(KEY, "b", "c" * 4)
    last = sealed[:-1] + chr(ord(sealed[-1]) + 1)
    for text in (sealed + "=", sealed + "==", sealed + "\n", last):
        with pytest.raises(Rejected):
            open_cursor(KEY, "b", text)
    assert open_cursor(KEY, "b", sealed) == "c" * 4
