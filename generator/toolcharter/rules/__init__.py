"""The rules: is what was resolved fit to be a catalog? And the registry of every code that can be printed.

Three entry points, each one pass over frozen values: `check_charter` before the description is looked at, `check_api`
after resolving, and `settle_silences` over all that was found.
"""

from __future__ import annotations

from toolcharter.charter import Charter
from toolcharter.diagnostics import Diagnostic
from toolcharter.resolve import ResolvedApi

from ._base import ApiRule, CharterRule, Explanation, Finding, ReportedRule, Rule, ToolRule
from ._secrets import names_secret
from .silences import Silenced, settle_silences, silenced_findings
from .table import RULES, find_rule

__all__ = [
    "RULES",
    "ApiRule",
    "CharterRule",
    "Explanation",
    "Finding",
    "ReportedRule",
    "Rule",
    "Silenced",
    "ToolRule",
    "check_api",
    "check_charter",
    "find_rule",
    "names_secret",
    "settle_silences",
    "silenced_findings",
    "without_echoes",
]


def check_charter(charter: Charter) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a charter taken alone, in the order of the file."""
    found = [
        rule.diagnostic(finding)
        for rule in RULES
        if isinstance(rule, CharterRule)
        for finding in rule.check(charter)
    ]
    return tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key))


def check_api(api: ResolvedApi) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the resolved tools, in the order of the files."""
    found: set[Diagnostic] = set()
    for rule in RULES:
        if isinstance(rule, ToolRule):
            found |= {rule.diagnostic(f) for tool in api.tools for f in rule.check(tool, api)}
        elif isinstance(rule, ApiRule):
            found |= {rule.diagnostic(f) for f in rule.check(api)}
    return tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key))


def without_echoes(
    said: tuple[Diagnostic, ...], later: tuple[Diagnostic, ...]
) -> tuple[Diagnostic, ...]:
    """Return what a later stage found, without what says a code again at a place where it is said already."""
    places = {(d.code, d.origin.file, d.origin.line, d.origin.column) for d in said}
    return tuple(
        d for d in later if (d.code, d.origin.file, d.origin.line, d.origin.column) not in places
    )
