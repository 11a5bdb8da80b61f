"""Findings as text, one line each, JSON, GitHub annotations, SARIF or GitLab's code quality report.

Whatever came from a description or a charter is data: every string printed here has its unseen characters escaped.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from toolcharter.diagnostics import Diagnostic, Origin
from toolcharter.rules import Silenced, find_rule
from toolcharter.wording import visible

from ._counting import counted
from ._formats import Format
from ._frame import Lines, frame, read_lines
from ._github import annotation, remarks, write_summary
from ._gitlab import gitlab_report
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
    diagnostics: Iterable[Diagnostic],
    output_format: Format = "text",
    *,
    err: bool = False,
    silenced: Iterable[Silenced] = (),
) -> None:
    """Print findings to standard output or error; nothing at all where there is nothing to say in text.

    Under `github` the job's summary gets a table, too.
    """
    found, aside = tuple(diagnostics), tuple(silenced)
    text = render(found, output_format, look=Look.of_stream(err=err), silenced=aside)
    if text:
        click.echo(text, err=err, color=True)
    if output_format == "github":
        write_summary(_worst_first(found), summarize(found, silenced=len(aside)))


def has_failed(diagnostics: Iterable[Diagnostic], *, strict: bool = False) -> bool:
    """Say whether the findings stop a run: any error, or under `strict` anything."""
    return any(strict or diagnostic.severity == "error" for diagnostic in diagnostics)


def summarize(diagnostics: Iterable[Diagnostic], *, silenced: int = 0) -> str:
    """Return the last line, e.g. `Found 2 errors and 1 warning.`; empty where there is nothing.

    Nearly every finding has a hint how to mend it; where some have none, the line says how many have.
    """
    found = list(diagnostics)
    if not found:
        return ""
    errors = sum(diagnostic.severity == "error" for diagnostic in found)
    counts = ((errors, "error"), (len(found) - errors, "warning"))
    parts = [counted(count, word) for count, word in counts if count]
    hints = sum(bool(diagnostic.hint) for diagnostic in found)
    notes = [f"{hints} with a hint"] if hints < len(found) else []
    notes += [f"{silenced} silenced"] if silenced else []
    beside = f" ({', '.join(notes)})" if notes else ""
    return f"Found {' and '.join(parts)}{beside}."


def render(
    diagnostics: Iterable[Diagnostic],
    output_format: Format = "text",
    *,
    look: Look | None = None,
    lines: Lines = read_lines,
    silenced: Iterable[Silenced] = (),
) -> str:
    """Return the findings in one format: for people errors first, for machines in the order of their places.

    `lines` gives the lines of a file, or None.
    """
    found = sorted(set(diagnostics), key=lambda diagnostic: diagnostic.sort_key)
    aside = tuple(silenced)
    if output_format == "json":
        return _json(found, aside)
    if output_format == "sarif":
        return json.dumps(sarif_log(found, aside), indent=2)
    if output_format == "gitlab":
        return json.dumps(gitlab_report(found), indent=2)
    worst_first = _worst_first(found)
    if output_format == "github":
        return "\n".join(map(annotation, worst_first))
    chosen = look or Look()
    blocks = [_block(diagnostic, output_format, chosen, lines) for diagnostic in worst_first]
    separator = "\n\n" if output_format == "text" else "\n"
    last = summarize(found, silenced=len(aside))
    return separator.join([*blocks, last] if blocks else [])


def _worst_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return sorted(set(diagnostics), key=lambda each: (each.severity, each.sort_key))


def _block(diagnostic: Diagnostic, output_format: Format, look: Look, lines: Lines) -> str:
    paint = _painter(look)
    code = paint(diagnostic.code, "red" if diagnostic.severity == "error" else "yellow")
    place = paint(visible(str(diagnostic.origin)), None)
    word = "" if diagnostic.severity == "error" else "warning: "
    head = f"{place}: {code} {word}{visible(diagnostic.message)}"
    if output_format == "concise":
        return head
    parts = [head, *frame(diagnostic.origin, lines, look.width or _PLAIN_WIDTH)]
    parts += [_wrapped(row, look.width) for row in remarks(diagnostic)]
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


def _json(diagnostics: Sequence[Diagnostic], silenced: Sequence[Silenced]) -> str:
    rows = [_row(diagnostic) for diagnostic in diagnostics]
    errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    counts = {
        "errors": errors,
        "warnings": len(rows) - errors,
        "with_hint": sum(bool(diagnostic.hint) for diagnostic in diagnostics),
        "silenced": len(silenced),
    }
    aside = [{**_row(each.diagnostic), "because": visible(each.because)} for each in silenced]
    return json.dumps({"diagnostics": rows, "silenced": aside, "summary": counts}, indent=2)


def _row(diagnostic: Diagnostic) -> dict[str, Any]:
    rule = find_rule(diagnostic.code)
    return {
        "code": diagnostic.code,
        "name": rule.name if rule else None,
        "severity": diagnostic.severity,
        "message": visible(diagnostic.message),
        "hint": visible(diagnostic.hint) or None,
        "tool": diagnostic.tool and visible(diagnostic.tool),
        **_place(diagnostic.origin),
        "related": [
            {"text": visible(each.text), **_place(each.origin)} for each in diagnostic.related
        ],
    }


def _place(origin: Origin) -> dict[str, Any]:
    return {
        "file": origin.file,
        "line": origin.line,
        "column": origin.column,
        "pointer": origin.pointer,
    }
