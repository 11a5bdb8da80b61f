"""What a rule is: its facts, and a check that yields findings.

A rule's docstring has fixed parts, which `toolcharter explain` and `docs/rules/` print: a first paragraph that says what
it finds, `Why:`, and the indented snippets `Bad:` and `Good:`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import Literal

from toolcharter.charter import Charter
from toolcharter.charter.places import escape
from toolcharter.charter.schema import ToolSpec
from toolcharter.diagnostics import Diagnostic, Origin, Related
from toolcharter.resolve import ResolvedApi, ResolvedTool

__all__ = [
    "ApiRule",
    "CharterRule",
    "Explanation",
    "Finding",
    "ReportedRule",
    "Rule",
    "Severity",
    "ToolRule",
    "place",
    "tools_of",
]

Severity = Literal["error", "warning"]
_PARTS = re.compile(r"\A(.+?)\n\nWhy: (.+?)\n\nBad:\n\n(.+?)\n\nGood:\n\n(.+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule found; severity and hint are the rule's own unless it says otherwise."""

    message: str
    origin: Origin
    tool: str | None = None
    hint: str | None = None
    severity: Severity | None = None
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of a rule's docstring, without indentation."""

    what: str
    why: str
    bad: str
    good: str


class Rule:
    """One rule. `code` never changes once released; `name` reads well after "allow" and says what is wrong."""

    code: str
    name: str
    severity: Severity = "error"
    hint: str = ""
    silenceable: bool = False
    """Whether an error may be silenced; a warning always may."""

    def diagnostic(self, finding: Finding) -> Diagnostic:
        """Return the finding as what every stage reports."""
        return Diagnostic(
            code=self.code,
            severity=finding.severity or self.severity,
            message=finding.message,
            origin=finding.origin,
            hint=self.hint if finding.hint is None else finding.hint,
            tool=finding.tool,
            related=finding.related,
        )

    def may_be_silenced(self, severity: Severity | None = None) -> bool:
        """Say whether a charter may put aside a finding of the severity, or of the rule's own."""
        return self.silenceable or (severity or self.severity) == "warning"

    def explanation(self) -> Explanation:
        """Return what the docstring says; a rule without all its parts is a bug, and a ValueError."""
        parts = _PARTS.match(inspect.cleandoc(type(self).__doc__ or ""))
        if parts is None:
            message = f"{type(self).__name__}: the docstring lacks one of its parts"
            raise ValueError(message)
        what, why, bad, good = parts.groups()
        return Explanation(_one_line(what), _one_line(why), dedent(bad), dedent(good))


def _one_line(text: str) -> str:
    return " ".join(text.split())


class CharterRule(Rule):
    """A rule on the charter alone; it runs before the description is looked at."""

    def check(self, charter: Charter) -> Iterator[Finding]:
        """Yield what is wrong."""
        raise NotImplementedError


class ToolRule(Rule):
    """A rule on one resolved tool."""

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        """Yield what is wrong with the tool; `api` is for what it refers to."""
        raise NotImplementedError


class ApiRule(Rule):
    """A rule on all resolved tools together."""

    def check(self, api: ResolvedApi) -> Iterator[Finding]:
        """Yield what is wrong."""
        raise NotImplementedError


class ReportedRule(Rule):
    """A code that an earlier or later stage reports itself; here only so that it can be explained."""


def tools_of(charter: Charter, effect: str | None = None) -> Iterator[tuple[str, ToolSpec]]:
    """Yield the charter's tools in the order of their names, or those of one effect."""
    for name in sorted(charter.tools):
        if effect is None or charter.tools[name].effect == effect:
            yield name, charter.tools[name]


def place(charter: Charter, *segments: str | int) -> Origin:
    """Return where a part of the charter stands, or its nearest parent, e.g. `place(charter, "tools", name)`."""
    return charter.origin("".join("/" + escape(str(segment)) for segment in segments))
