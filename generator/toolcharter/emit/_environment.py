"""The one door to Jinja for generated files: strict, without logic, and nothing printed that the emitter did not vouch for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolcharter._resources import templates_dir

from .spelling import comment, docstring, literal, markdown

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Code", "identifier", "remark", "render"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Code(str):
    """Source that the emitter itself has made: the only text that a template may print bare."""

    __slots__ = ()


def identifier(name: str) -> Code:
    """Return the name as code; `ValueError` if it is not a plain ASCII identifier."""
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"not an identifier: {name!r}")
    return Code(name)


def remark(text: str) -> Code:
    """Return the text as what may stand behind a `#`: one line of printable characters."""
    return Code(comment(text))


def render(template: str, view: object) -> str:
    """Return the template's text for one frozen view (in the template: `view`)."""
    return _environment().get_template(template).render(view=view)


def _refuse_bare_text(value: Any) -> Any:
    if isinstance(value, Code):
        return value
    raise TypeError(f"a template printed {type(value).__name__} without a filter")


def _spelled(spell: Callable[[Any], str]) -> Callable[[Any], Code]:
    """Return a filter: what a spelling gives is code."""
    return lambda value: Code(spell(value))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - Python source, not HTML: each text passes a filter of ours
        loader=FileSystemLoader(templates_dir()),
        undefined=StrictUndefined,
        finalize=_refuse_bare_text,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
    )
    environment.filters.clear()
    environment.filters["docstring"] = _spelled(docstring)
    environment.filters["literal"] = _spelled(literal)
    environment.filters["markdown"] = _spelled(markdown)
    environment.globals.clear()
    environment.tests.clear()
    return environment
