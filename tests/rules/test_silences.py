"""Silences: when one holds, and what is wrong with one that does not."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.rules.ground import build
from toolcharter.diagnostics import Diagnostic, Origin
from toolcharter.rules import settle_silences, silenced_findings

DAY = date(2027, 3, 1)


def found(code: str, severity: Any = "warning", tool: str = "rename", line: int = 1) -> Diagnostic:
    origin = Origin("charter.yaml", line, 1)
    return Diagnostic(code=code, severity=severity, message="m", origin=origin, tool=tool)


def settled(
    silences: dict[str, Any], *diagnostics: Diagnostic, today: date = DAY, is_complete: bool = True
) -> list[str]:
    """Return what is left, and the reasons of what is put aside."""
    charter, _ = build({"charter": {"tools": {"rename": {"silence": silences}}}})
    kept = settle_silences(charter, diagnostics, is_complete=is_complete, today=today)
    aside = silenced_findings(charter, diagnostics, today=today)
    assert {each.diagnostic for each in aside} == set(diagnostics) - set(kept)
    shown = [f"{d.code} {d.severity}: {d.message}" for d in kept]
    return shown + [f"({each.diagnostic.code}: {each.because})" for each in aside]


def until(day: str, because: str = "so it is") -> dict[str, Any]:
    return {"because": because, "until": day}


def test_a_silence_holds_through_its_last_day_and_not_a_day_longer() -> None:
    silence = {"TC504": until("2027-03-01")}
    assert settled(silence, found("TC504")) == ["(TC504: so it is)"]
    assert settled(silence, found("TC504"), today=date(2027, 3, 2)) == [
        "TC504 warning: m",
        "TC801 error: rename silences TC504 until 2027-03-01, which is past",
    ]


def test_it_holds_for_every_finding_of_its_code_on_its_tool_and_no_other() -> None:
    both = (found("TC504"), found("TC504", line=2))
    assert settled({"TC504": until("2027-03-01")}, *both, found("TC504", tool="get_customer")) == [
        "TC504 warning: m",
        "(TC504: so it is)",
        "(TC504: so it is)",
    ]


@pytest.mark.parametrize(
    ("silence", "flaw"),
    [
        ({"because": "x"}, "silences TC504 without a last day"),
        (until("2027-03-01", because=" "), "silences TC504 without a reason"),
        (until("2027-02-28"), "silences TC504 until 2027-02-28, which is past"),
    ],
)
def test_a_silence_that_does_not_hold_is_an_error_beside_what_it_silences(
    silence: dict[str, Any], flaw: str
) -> None:
    assert settled({"TC504": silence}, found("TC504")) == [
        "TC504 warning: m",
        f"TC801 error: rename {flaw}",
    ]
    assert settled({"TC504": silence}) == [f"TC801 error: rename {flaw}"]


def test_an_unused_silence_is_a_warning_where_every_stage_has_run() -> None:
    silence = {"TC504": until("2027-03-01")}
    assert settled(silence) == ["TC801 warning: rename silences TC504, which finds nothing here"]
    assert settled(silence, is_complete=False) == []


def test_an_error_is_silenced_only_where_its_rule_says_so() -> None:
    assert settled({"TC501": until("2027-03-01")}, found("TC501", "error")) == [
        "TC501 error: m",
        "TC801 error: rename silences TC501, an error that can only be mended",
    ]
    assert settled({"TC108": until("2027-03-01")}, found("TC108", "error")) == ["(TC108: so it is)"]


def test_a_code_that_is_no_rule_is_named() -> None:
    assert settled({"TC998": until("2027-03-01")}) == [
        "TC801 error: rename silences TC998, which is not a rule"
    ]
