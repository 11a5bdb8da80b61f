"""Silences: a rule put aside for one tool, with a reason and a last day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from toolcharter.charter import Charter
from toolcharter.charter.schema import Silence
from toolcharter.diagnostics import Diagnostic

from ._base import Finding, place, tools_of
from .charter.tc801_bad_silence import BadSilence
from .table import find_rule

__all__ = ["Silenced", "settle_silences", "silenced_findings"]


@dataclass(frozen=True, slots=True)
class Silenced:
    """A finding that a charter puts aside, and the charter's reason."""

    diagnostic: Diagnostic
    because: str


def settle_silences(
    charter: Charter,
    diagnostics: Iterable[Diagnostic],
    *,
    is_complete: bool = True,
    today: date | None = None,
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics without those that the charter silences, and with what is wrong with its silences.

    Where a stage stopped early (`is_complete` false), nobody knows whether a silence is unused, and none is called so.
    A silence holds through the day that it names; `today` is for tests.
    """
    day = today or datetime.now(tz=UTC).date()
    kept = list(diagnostics)
    for name, tool in tools_of(charter):
        for code, silence in sorted(tool.silence.items()):
            flaw = _flaw(code, silence, day)
            quieted = [d for d in kept if d.tool == name and d.code == code and _may_silence(d)]
            is_refused = not quieted and any(d.tool == name and d.code == code for d in kept)
            if flaw is None and quieted:
                kept = [d for d in kept if d not in quieted]
            elif flaw is not None or is_refused or is_complete:
                kept.append(
                    _finding(charter, name, code, flaw or _idle(code, is_refused=is_refused))
                )
    return tuple(sorted(set(kept), key=lambda diagnostic: diagnostic.sort_key))


def silenced_findings(
    charter: Charter, diagnostics: Iterable[Diagnostic], *, today: date | None = None
) -> tuple[Silenced, ...]:
    """Return the findings that the charter's silences put aside, in the order of their places."""
    day = today or datetime.now(tz=UTC).date()
    reasons = {
        (name, code): silence.because
        for name, tool in tools_of(charter)
        for code, silence in tool.silence.items()
        if _flaw(code, silence, day) is None
    }
    found = [
        Silenced(each, reasons[each.tool, each.code])
        for each in dict.fromkeys(diagnostics)
        if each.tool is not None and (each.tool, each.code) in reasons and _may_silence(each)
    ]
    return tuple(sorted(found, key=lambda silenced: silenced.diagnostic.sort_key))


def _may_silence(diagnostic: Diagnostic) -> bool:
    rule = find_rule(diagnostic.code)
    return rule is not None and rule.may_be_silenced(diagnostic.severity)


def _flaw(code: str, silence: Silence, day: date) -> str | None:
    if find_rule(code) is None:
        return f"silences {code}, which is not a rule"
    if not silence.because.strip():
        return f"silences {code} without a reason"
    if silence.until is None:
        return f"silences {code} without a last day"
    if silence.until < day:
        return f"silences {code} until {silence.until}, which is past"
    return None


def _idle(code: str, *, is_refused: bool) -> str:
    if is_refused:
        return f"silences {code}, an error that can only be mended"
    return f"silences {code}, which finds nothing here"


def _finding(charter: Charter, tool: str, code: str, flaw: str) -> Diagnostic:
    is_idle = flaw.endswith("finds nothing here")
    return BadSilence().diagnostic(
        Finding(
            f"{tool} {flaw}",
            place(charter, "tools", tool, "silence", code),
            tool,
            severity="warning" if is_idle else None,
        )
    )
