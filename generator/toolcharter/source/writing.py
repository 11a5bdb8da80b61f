"""Writes a JSON value as the text of a description: the same bytes everywhere, and read back as the same value."""

from __future__ import annotations

import json
from typing import Any

import yaml

from .refusal import TextError
from .scalars import is_ambiguous, read_scalar

_UNTYPED: Any = yaml  # the stubs leave parts of `dump` untyped

__all__ = ["plain_or_quoted", "write_json", "write_yaml"]


def write_json(value: Any) -> str:
    """Return JSON, two spaces a level; characters stay as they are."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_yaml(value: Any) -> str:
    """Return YAML in block style that YAML 1.1 and 1.2 read alike; keys keep their order."""
    text: str = _UNTYPED.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, line_break="\n"
    )
    return text


def plain_or_quoted(text: str) -> str:
    """Return a string as a YAML scalar on one line: unquoted where that is surely a string."""
    is_plain = text[:1].isalpha() or text[:1] in "/_"
    is_plain = is_plain and all((c.isalnum() and c.isascii()) or c in "/_.-$" for c in text)
    if is_plain and _is_string(text):
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


class _Dumper(yaml.SafeDumper):
    """Quotes what either version of YAML would not read as a string, and never writes an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None if _is_string(text) else '"'
    node: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)
    return node


_Dumper.add_representer(str, _represent_text)


def _is_string(text: str) -> bool:
    try:
        return read_scalar(text) == text and not is_ambiguous(text, text)
    except TextError:
        return False
