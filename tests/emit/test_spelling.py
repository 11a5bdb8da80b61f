"""How text becomes source: what reads back is the text, and only printable characters are written."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter.emit.spelling import (
    code,
    code_cell,
    comment,
    docstring,
    literal,
    markdown,
    visible,
)

TEXT = st.text(
    st.characters(exclude_categories=("Cs",)) | st.sampled_from('"\\\n\r\t{}%#\u202e\u2028\x00\x85')
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(TEXT, below, max_size=3) | st.tuples(below)
    ),
    max_leaves=8,
)


def is_printable(source: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in source)


@given(JSON)
def test_literal_reads_back(value: object) -> None:
    assert ast.literal_eval(literal(value)) == value


@given(TEXT)
def test_literal_is_one_printable_line(text: str) -> None:
    source = literal(text)
    assert is_printable(source)
    assert "\n" not in source


@given(TEXT)
def test_docstring_parses_back_to_the_text(text: str) -> None:
    source = docstring(text)
    module = ast.parse(f"{source}\nx = 1\n")
    assert ast.get_docstring(module, clean=False) == text
    assert len(module.body) == 2
    assert is_printable(source)


@pytest.mark.parametrize(
    "text", ['"', '""', '"""', "\\", '\\"', 'a"\\', '"""\\"""', '\\\\"""x', "\\N{DASH}", "\r\n", ""]
)
def test_docstring_of_awkward_ends(text: str) -> None:
    assert ast.literal_eval(docstring(text)) == text


@given(TEXT)
def test_comment_stays_one_line(text: str) -> None:
    assert ast.parse(f"# {comment(text)}\nx = 1\n").body[0].lineno == 2


@given(TEXT)
def test_markdown_stays_one_line_without_markup(text: str) -> None:
    shown = markdown(text)
    assert is_printable(shown)
    assert "\n" not in shown
    assert "](" not in shown
    assert "<" not in shown.replace("\\<", "")
    assert "|" not in shown.replace("\\|", "")
    assert "://" not in shown


@given(TEXT)
def test_code_span_holds_the_text_between_fences_that_are_not_in_it(text: str) -> None:
    shown = visible(" ".join(text.split()))
    span = code(text)
    fence = re.match("`*", span).group()  # type: ignore[union-attr]
    assert span == code_cell(text).replace("\\|", "|") or "\\|" in text
    assert (span == "") == (shown == "")
    assert not shown or (span.startswith(fence) and span.endswith(fence))
    assert not shown or fence not in re.findall("`+", span[len(fence) : -len(fence)])
    assert span[len(fence) : len(span) - len(fence)].strip(" ") == shown.strip(" ")
    assert "|" not in code_cell(text).replace("\\|", "")


def test_characters_newer_than_the_fixed_unicode_are_escaped() -> None:
    """The same on every Python: what prints is asked of a Unicode version that all of them carry."""
    assert literal("é\U0001f600") == '"é\\U0001f600"'
    assert visible("a\u202eb\u200bc") == "a\\u202eb\\u200bc"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_has_no_literal(value: float) -> None:
    with pytest.raises(ValueError, match="not a number of JSON"):
        literal(value)
