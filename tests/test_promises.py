"""The page that maps promises to tests is fresh, and no test names a promise that there is not."""

from __future__ import annotations

from tests.promises import CASES, LATER, PAGE, PROMISES, named, naming_tests, render


def test_page_is_fresh() -> None:
    assert PAGE.read_text("utf-8") == render(), "run `python -m tests.promises`"


def test_every_name_is_a_promise() -> None:
    known = set(PROMISES) | {f"case {number}" for number in CASES}
    strangers = {test: promises - known for test, promises in naming_tests() if promises - known}
    assert strangers == {}


def test_what_is_left_for_later_says_so() -> None:
    page = PAGE.read_text("utf-8")
    for promise in ("P14", "P17", "P18"):
        assert promise in LATER
        assert f"| {promise} | {PROMISES[promise]} | open" in page


def test_names_are_read_from_docstrings() -> None:
    assert named("P9, I4 to I6: one. Case 4, cases 24 to 26, 30") >= {
        "P9",
        "I4",
        "I5",
        "I6",
        "case 4",
    }
    assert named("cases 3, 4 and 26") == {"case 3", "case 4", "case 26"}
