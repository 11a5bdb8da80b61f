"""TC801."""

from __future__ import annotations

from toolcharter.rules._base import ReportedRule

__all__ = ["BadSilence"]


class BadSilence(ReportedRule):
    """Finds silences without a reason or a last day, expired ones, ones of an error, and (a warning) unused ones.

    Why: a finding that is put aside for good is forgotten. Reason and day are in the snapshot, where a reviewer reads
    them; an error of a guard can only be mended.

    Bad:

        open_message:
          silence: {TC504: {because: ""}}

    Good:

        open_message:
          silence: {TC504: {because: Opening a message marks it as read, until: 2027-12-31}}
    """

    code = "TC801"
    name = "bad-silence"
    hint = "Mend what the rule finds, or write `{because: …, until: YYYY-MM-DD}`; take an unused silence out."
