"""Text as source: how a value is spelled in Python, in a docstring, in a comment, in Markdown.

Text of a description is data. Each function here gives source that reads back as that data and as nothing else, of
printable characters only. What counts as printable is asked of Unicode 3.2, the one version that every Python carries,
so that the bytes do not depend on the interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast
from unicodedata import ucd_3_2_0

__all__ = ["code", "code_cell", "comment", "docstring", "literal", "markdown", "visible"]

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_FILLERS = frozenset("\xad\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f")
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")
_TICKS = re.compile("`+")
_BULLET = re.compile(r"^(\s*)([-=]|\d+[.)])")


def _is_plain(character: str) -> bool:
    if character < "\x7f":
        return character >= " "
    return ucd_3_2_0.category(character)[0] not in "CZ" and character not in _FILLERS


def _escape(character: str) -> str:
    point = ord(character)
    if point <= 0xFF:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def visible(text: str) -> str:
    """Return the text with each character that does not print as its escape; backslashes stay alone."""
    return "".join(
        character if _is_plain(character) else _SHORT.get(character) or _escape(character)
        for character in text
    )


def literal(value: object) -> str:
    """Return Python source of a JSON value or a tuple; double quotes, maps in their own order."""
    if value is None or isinstance(value, bool | int | float):
        return _number(value)
    if isinstance(value, str):
        return f'"{_quoted(value)}"'
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value).items()
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in entries)}}}"
    if isinstance(value, tuple):
        inside = [literal(one) for one in cast("tuple[object, ...]", value)]
        return f"({inside[0]},)" if len(inside) == 1 else f"({', '.join(inside)})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, cast('list[object]', value)))}]"
    raise TypeError(f"no literal for {type(value).__name__}")


def _number(value: bool | float | None) -> str:
    if isinstance(value, float) and not float("-inf") < value < float("inf"):
        raise ValueError("not a number of JSON")
    return repr(value)


def _quoted(text: str) -> str:
    return "".join(
        "\\" + character
        if character in '"\\'
        else character
        if _is_plain(character)
        else _SHORT.get(character) or _escape(character)
        for character in text
    )


def docstring(text: str) -> str:
    """Return a docstring that parses back to the text; line breaks stay line breaks."""
    body = "".join(
        '\\"'
        if character == '"' and following in ("", '"')
        else character
        if character in '"\n'
        else _quoted(character)
        for character, following in zip(text, [*text[1:], ""], strict=False)
    )
    return f'"""{body}"""'


def comment(text: str) -> str:
    """Return one line for a comment."""
    return visible(text)


def code(text: str) -> str:
    """Return a code span of Markdown, where nothing is markup, a link or a mention; empty for no text."""
    shown = visible(" ".join(text.split()))
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence, pad = "`" * (longest + 1), " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown else ""


def code_cell(text: str) -> str:
    """Return a code span for a table, where a bar ends the cell in code as well (GFM, "Tables")."""
    return code(text).replace("|", "\\|")


def markdown(text: str) -> str:
    """Return one line of Markdown that shows the text as it is: no link, no markup, no table cell of its own."""
    shown = visible(" ".join(text.split()))
    escaped = _MARKS.sub(r"\\\1", shown)
    return (
        _BULLET.sub(r"\1\\\2", escaped)
        .replace("://", ":&#47;&#47;")
        .replace("www.", "www&#46;")
        .replace("@", "&#64;")
    )
