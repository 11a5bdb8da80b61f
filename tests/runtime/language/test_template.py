"""Templates of the little language (docs/charter.md)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter_runtime.language import (
    UNSET,
    LanguageError,
    Reference,
    Scope,
    parse_template,
    references,
    render,
)

SCOPE = Scope(
    {
        "amount": 1200,
        "due": True,
        "ratio": 2.5,
        "whole": 3.0,
        "labels": ["a", "b"],
        "none": None,
        "destination": {"kind": "new", "line1": "Via Roma {x}"},
    },
    {
        "key": "k-1",
        "version": '"7"',
        "before": {"currency": "EUR"},
        "run": {"tenant": "t1", "context": {"account": "acct"}},
    },
)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{amount}", 1200),
        ("{due}", True),
        ("{labels}", ["a", "b"]),
        ("{none}", None),
        ("{destination.line1}", "Via Roma {x}"),
        ("{destination.address}", UNSET),
        ("{other}", UNSET),
        ("{$key}", "k-1"),
        ("{$after.x}", UNSET),
        ("{$before.currency}", "EUR"),
        ("{$run.context.account}", "acct"),
        ("Refund {amount} ({due}), {ratio} and {whole}", "Refund 1200 (true), 2.5 and 3"),
        ("heads/{none}", UNSET),
        ("heads/{other}", UNSET),
        ('"{$version}"', '""7""'),
        ("{{{amount}}}", "{1200}"),
        ("{{}}", "{}"),
        ("plain", "plain"),
        ("", ""),
        (12, 12),
        (None, None),
        ({"a": "{other}", "b": ["{amount}", "{other}", 1], "c": {}}, {"b": [1200, 1], "c": {}}),
    ],
)
def test_a_template_is_rendered(template: object, expected: object) -> None:
    assert render(template, SCOPE) == expected  # type: ignore[arg-type]


def test_a_value_is_never_read_as_a_template() -> None:
    assert render("to {destination.line1}", SCOPE) == "to Via Roma {x}"


def test_one_brace_keeps_the_type() -> None:
    assert render("{due}", SCOPE) is True
    assert render("{due} ", SCOPE) == "true "


@pytest.mark.parametrize(
    "text",
    [
        "{", "}", "{}", "a } b", "{a", "{a b}", "{1a}", "{a..b}", "{$}", "{$nope}", "{$key.x}", "{$before}",
        "{$run}", "{$run.context}", "{$run.other}", "{$run.tenant.x}", "{a{b}}", "{a!r}", "{a:>10}", "{a[0]}",
        "{__import__('os')}",
    ],
)  # fmt: skip
def test_what_is_no_template_is_refused(text: str) -> None:
    with pytest.raises(LanguageError):
        parse_template(text)


def test_lists_cannot_be_joined() -> None:
    with pytest.raises(LanguageError, match="is a list or a map"):
        render("x {labels}", SCOPE)


def test_references_are_found_anywhere() -> None:
    template = {"a": ["{x.y}", {"b": "{$key}-{$run.context.c}"}], "c": 1}
    assert references(template) == (
        Reference(None, ("x", "y")),
        Reference("key", ()),
        Reference("run", ("context", "c")),
    )
    assert [str(item) for item in references(template)] == ["x.y", "$key", "$run.context.c"]


@given(st.text())
def test_escaped_text_renders_as_itself(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert render(escaped, SCOPE) == text


@given(st.text())
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        parts = parse_template(text)
    except LanguageError:
        return
    assert all(isinstance(part, Reference) or part for part in parts)


def test_an_element_sees_its_own_fields_only() -> None:
    inner = Scope({"a": 1, "b": 2}, {"key": "k"}).inside({"a": 3})
    assert render(["{a}", "{b}", "{$key}"], inner) == [3, "k"]
