"""The templates: no logic, and no text printed bare."""

from __future__ import annotations

import re
from types import SimpleNamespace

import jinja2
import pytest

from toolcharter._resources import templates_dir
from toolcharter.emit import _environment
from toolcharter.emit._environment import Code, identifier, remark

TAG = re.compile(r"{%-?\s*(.*?)\s*-?%}")
EXPRESSION = re.compile(r"{{\s*(.*?)\s*}}")
TEMPLATES = sorted(templates_dir().rglob("*.j2"))


def rendered(source: str, **view: object) -> str:
    template = _environment._environment().from_string(source)
    return template.render(view=SimpleNamespace(**view))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_template_has_no_logic(path: object) -> None:
    text = path.read_text("utf-8")  # type: ignore[attr-defined]
    name = r"[a-z_]+(\.[a-z_0-9]+)?"
    for tag in TAG.findall(text):
        assert re.fullmatch(
            rf'for [a-z]+ in {name}|endfor|if {name}|endif|include "_header\.py\.j2"', tag
        ), tag
    for expression in EXPRESSION.findall(text):
        assert re.fullmatch(rf"{name}( \| (literal|docstring|markdown))?", expression), expression


def test_bare_text_is_refused() -> None:
    with pytest.raises(TypeError, match="a template printed str without a filter"):
        rendered("{{ view.name }}", name="Invoice\nimport os")


def test_numbers_and_missing_names_are_refused() -> None:
    with pytest.raises(TypeError, match="printed int"):
        rendered("{{ view.n }}", n=1)
    with pytest.raises(TypeError, match="printed StrictUndefined"):
        rendered("{{ view.nothing }}")
    with pytest.raises(jinja2.UndefinedError):
        rendered("{% for one in view.nothing %}{% endfor %}")


def test_filtered_text_and_code_are_printed() -> None:
    assert rendered("{{ view.a | literal }} {{ view.b }}", a='"', b=Code("x")) == '"\\"" x'


def test_template_tags_in_text_stay_text() -> None:
    assert rendered("{{ view.a | literal }}", a="{{ 1 }}{% set x %}") == '"{{ 1 }}{% set x %}"'


@pytest.mark.parametrize("name", ["", "a b", "a\n", "a-b", "1a", "é", "a;import os", "a.b"])
def test_what_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not an identifier"):
        identifier(name)


def test_a_remark_is_one_line() -> None:
    assert remark("GET /x\nimport os\u2028") == "GET /x\\nimport os\\u2028"


def test_jinja_own_filters_globals_and_tests_are_gone() -> None:
    environment = _environment._environment()
    assert set(environment.filters) == {"docstring", "literal", "markdown"}
    assert environment.globals == {}
    assert environment.tests == {}
