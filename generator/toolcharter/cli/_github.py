"""GitHub's workflow commands, and the table of a job's summary."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolcharter.diagnostics import Diagnostic
from toolcharter.rules import find_rule
from toolcharter.wording import visible

__all__ = ["annotation", "remarks", "summary_table", "titled", "write_summary"]

_MOST_ROWS = 500
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~@$-])")


def annotation(diagnostic: Diagnostic) -> str:
    """Return a workflow command; its escapes are GitHub's own: `%`, line ends, and in properties `:` and `,`."""
    origin = diagnostic.origin
    properties = {
        "title": titled(diagnostic.code),
        "file": origin.file,
        "line": str(origin.line),
        "col": str(origin.column),
    }
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    rows = [visible(diagnostic.message), *remarks(diagnostic)]
    return f"::{diagnostic.severity} {listed}::{_escaped(chr(10).join(rows))}"


def titled(code: str) -> str:
    """Return a code with its rule's name."""
    rule = find_rule(code)
    return f"{code} {rule.name}" if rule else code


def remarks(diagnostic: Diagnostic) -> Iterator[str]:
    """Yield the rows below a message: the other places that it is about, and the hint."""
    for each in diagnostic.related:
        yield f"  note: {visible(each.text)}: {visible(str(each.origin))}"
    if diagnostic.hint:
        yield f"  hint: {visible(diagnostic.hint)}"


def write_summary(diagnostics: Sequence[Diagnostic], last: str) -> None:
    """Add a table of the findings to the job's summary, where GitHub says that there is one.

    An annotation is shown for ten findings of a level and step; the table has the rest. A summary that cannot be
    written fails nothing.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path or not diagnostics:
        return
    try:
        with Path(path).open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(summary_table(diagnostics, last))
    except OSError:
        return


def summary_table(diagnostics: Sequence[Diagnostic], last: str) -> str:
    """Return the findings as a Markdown table; whatever a description says in it stays text."""
    rows = [
        "### toolcharter",
        "",
        _markdown(last),
        "",
        "| | code | place | finding |",
        "|---|---|---|---|",
    ]
    for each in diagnostics[:_MOST_ROWS]:
        cells = (each.severity, each.code, str(each.origin), each.message)
        rows.append("| " + " | ".join(map(_markdown, cells)) + " |")
    if len(diagnostics) > _MOST_ROWS:
        rows += ["", f"and {len(diagnostics) - _MOST_ROWS} more."]
    return "\n".join([*rows, "", ""])


def _markdown(text: str) -> str:
    return html.escape(_MARKUP.sub(r"\\\1", visible(text)), quote=False)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(visible(text)).replace(":", "%3A").replace(",", "%2C")
