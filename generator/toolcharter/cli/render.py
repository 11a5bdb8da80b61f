"""Findings as text, one line each, JSON, GitHub annotations or SARIF.

Whatever came from a description or a charter is data: every string printed here has its unseen characters escaped.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import click

from toolcharter.diagnostics import Diagnostic
from toolcharter.rules import find_rule
from toolcharter.wording import visible

from ._formats import Format
from ._frame import Lines, frame, read_lines
from ._sarif import sarif_log

__all__ = ["Look", "has_failed", "print_findings", "render", "summarize"]

_PLAIN_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Look:
    """How text is laid out: with color or without, and how wide a terminal is (none: lines are not wrapped)."""

    color: bool = False
    width: int | None = None

    @classmethod
    def of_stream(cls, *, err: bool) -> Look:
        """Return what fits the standard stream: color and width of a terminal, neither of a pipe or under `NO_COLOR`."""
        stream = sys.stderr if err else sys.stdout
        if not stream.isatty():
            return cls()
        width = shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns
        return cls(color="NO_COLOR" not in os.environ, width=max(width, 40))


def print_findings(
    diagnostics: Iterable[Diagnostic], output_format: Format = "text", *, err: bool = False
) -> None:
    """Print findings to standard output or error; nothing at all where there is nothing to say in text."""
    text = render(diagnostics, output_format, look=Look.of_stream(err=err))
    if text:
        click.echo(text, err=err, color=True)


def has_failed(diagnostics: Iterable[Diagnostic], *, strict: bool = False) -> bool:
    """Say whether the findings stop a run: any error, or under `strict` anything."""
    return any(strict or diagnostic.severity == "error" for diagnostic in diagnostics)


def summarize(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the last line, e.g. `Found 2 errors and 1 warning.`; empty where there is nothing."""
    found = list(diagnostics)
    errors = sum(diagnostic.severity == "error" for diagnostic in found)
    counts = ((errors, "error"), (len(found) - errors, "warning"))
    parts = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    return f"Found {' and '.join(parts)}." if parts else ""


def render(
    diagnostics: Iterable[Diagnostic],
    output_format: Format = "text",
    *,
    look: Look | None = None,
    lines: Lines = read_lines,
) -> str:
    """Return the findings in one format, in the order of their places; `lines` gives the lines of a file, or None."""
    found = sorted(set(diagnostics), key=lambda diagnostic: diagnostic.sort_key)
    if output_format == "json":
        return _json(found)
    if output_format == "sarif":
        return json.dumps(sarif_log(found), indent=2)
    if output_format == "github":
        worst_first = sorted(found, key=lambda diagnostic: diagnostic.severity)
        return "\n".join(_annotation(diagnostic) for diagnostic in worst_first)
    chosen = look or Look()
    blocks = [_block(diagnostic, output_format, chosen, lines) for diagnostic in found]
    separator = "\n\n" if output_format == "text" else "\n"
    return separator.join([*blocks, summarize(found)] if blocks else [])


def _block(diagnostic: Diagnostic, output_format: Format, look: Look, lines: Lines) -> str:
    paint = _painter(look)
    code = paint(diagnostic.code, "red" if diagnostic.severity == "error" else "yellow")
    place = paint(visible(str(diagnostic.origin)), None)
    word = "" if diagnostic.severity == "error" else "warning: "
    head = f"{place}: {code} {word}{visible(diagnostic.message)}"
    if output_format == "concise":
        return head
    parts = [head, *frame(diagnostic.origin, lines, look.width or _PLAIN_WIDTH)]
    if diagnostic.hint:
        parts.append(_wrapped(f"  hint: {visible(diagnostic.hint)}", look.width))
    return "\n".join(parts)


def _painter(look: Look) -> Callable[[str, str | None], str]:
    def paint(text: str, color: str | None) -> str:
        return click.style(text, fg=color, bold=True) if look.color else text

    return paint


def _wrapped(text: str, width: int | None) -> str:
    """Wrap for a terminal; in a pipe a hint stays one line, so that what it says to paste can be pasted."""
    if width is None or len(text) <= width:
        return text
    return click.wrap_text(text.strip(), width, initial_indent="  ", subsequent_indent="        ")


def _json(diagnostics: Sequence[Diagnostic]) -> str:
    rows = [
        {
            "code": diagnostic.code,
            "name": _name(diagnostic.code),
            "severity": diagnostic.severity,
            "message": visible(diagnostic.message),
            "hint": visible(diagnostic.hint) or None,
            "tool": diagnostic.tool and visible(diagnostic.tool),
            "file": diagnostic.origin.file,
            "line": diagnostic.origin.line,
            "column": diagnostic.origin.column,
            "pointer": diagnostic.origin.pointer,
        }
        for diagnostic in diagnostics
    ]
    errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    counts = {"errors": errors, "warnings": len(rows) - errors}
    return json.dumps({"diagnostics": rows, "summary": counts}, indent=2)


def _name(code: str) -> str | None:
    rule = find_rule(code)
    return rule.name if rule else None


def _annotation(diagnostic: Diagnostic) -> str:
    """Return a workflow command; its escapes are GitHub's own: `%`, line ends, and in properties `:` and `,`."""
    origin = diagnostic.origin
    title = f"{diagnostic.code} {_name(diagnostic.code) or ''}".strip()
    properties = {
        "title": title,
        "file": origin.file,
        "line": str(origin.line),
        "col": str(origin.column),
    }
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = visible(diagnostic.message)
    if diagnostic.hint:
        text += f"\n  hint: {visible(diagnostic.hint)}"
    return f"::{diagnostic.severity} {listed}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(visible(text)).replace(":", "%3A").replace(",", "%2C")
