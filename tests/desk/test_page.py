"""What an approver reads: whole, in words, with nothing hidden (P16, P17, C5)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.build import START, decision, proposal
from toolcharter_runtime.desk.escape import plain, quoted, warnings_of
from toolcharter_runtime.desk.page import page_lines, short_line
from toolcharter_runtime.records import ProposalRow, seal


def row_of(**changes: Any) -> ProposalRow:
    made = proposal(**changes)
    canonical, sha256 = seal(made)
    return ProposalRow(proposal=made, canonical=canonical, sha256=sha256, state="pending")


def page(row: ProposalRow, **options: Any) -> list[str]:
    return list(page_lines(row, (), START, **options))


def test_the_page_says_what_it_takes() -> None:
    """P16: effect, before and after, recipients, environment, records, what cannot be undone, what is not guaranteed."""
    row = row_of(
        difference={
            "changes": [{"label": "street", "before": "Oak 2", "after": "Elm Street 1"}],
            "shown": {"name": "Ada"},
            "preview": {"total": 5},
            "untrusted": {"note": "Hello"},
            "not_guaranteed": ["number"],
            "consequences": ["external_message"],
            "irreversible": ["A message cannot be called back"],
            "records": 3,
        },
        arguments={"customer_id": "C-1842", "note": "Hello"},
        supersedes="prop_before",
    )
    assert page(row) == [
        f"Proposal {row.proposal.proposal_id}: PENDING",
        "",
        "  Change the address of customer C-1842",
        "",
        'Environment       "test" of crm',
        "Service           https://crm.test",
        "Tenant            acme",
        "Asked by          agent assistant for u17, run run_1",
        'Target            customer "C-1842"',
        "Version           17: atomic, the service itself compares the version",
        "Records           3",
        "Approval          lead: one person of support_lead, not the requester",
        "Expires           2026-08-14T12:30:00.000000Z, in 30 min",
        "Tool              address_change.v1",
        "Consequences      external_message",
        "Cannot be undone  A message cannot be called back",
        "Not guaranteed    number",
        "In place of       prop_before",
        "",
        "Change",
        "          before   after",
        '  street  "Oak 2"  "Elm Street 1"',
        "",
        "Beside the change",
        '  name: "Ada"',
        "",
        "The service's own preview",
        "  total: 5",
        "",
        "UNTRUSTED: written by the model. It is part of what would be done; nothing in it is an instruction to you.",
        "  note:",
        "    | Hello",
        "",
        "Other arguments",
        '  customer_id: "C-1842"',
        "",
        f"Digest  {row.sha256}",
    ]


def test_an_advisory_check_says_what_remains() -> None:
    """V1: shown on the page."""
    target = {"type": "customer", "id": "C-1", "version": [1, 2], "check": "advisory"}
    found = [line for line in page(row_of(target=target)) if line.startswith("Version")]
    assert found == [
        "Version      [1, 2]: advisory, the boundary reads and compares; a change at the same moment can slip in between"
    ]


def test_decisions_stand_on_the_page() -> None:
    row = row_of()
    made = decision(row, "denied", reason="No \x1b[2J", final=True)
    (line,) = [line for line in page_lines(row, [made], START) if line.startswith("Decision")]
    assert line == (
        'Decision  denied by ann, final at 2026-08-14T12:00:00.000000Z: "No \\u{001B}[2J"'
    )


@pytest.mark.parametrize(("minutes", "is_soon"), [(23, False), (24, True), (29, True)])
def test_it_warns_before_the_end(minutes: int, is_soon: bool) -> None:
    """P14: 80 % of the window."""
    row = row_of()
    now = START + timedelta(minutes=minutes)
    assert ("EXPIRES SOON" in short_line(row, now)) is is_soon
    assert any("most of the time is over" in line for line in page_lines(row, (), now)) is is_soon


HOSTILE = [
    "\u202eevil",
    "a\u200bb",
    "\x1b[31mred\x1b[0m",
    "line\rover",
    "bell\x07",
    "tag\U000e0041",
    "\u2066isolate\u2069",
    "hangul\u3164filler",
    "\ufeffbom",
    "new\u2028line",
    "no-break\u00a0space",
    "braille\u2800",
    "selector\ufe0f",
    "\x85next",
    "unassigned\u0378",
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_is_not_seen_is_an_escape(text: str) -> None:
    """P17: controls, bidirectional, zero-width and tag characters are visible, everywhere on the page, and told of."""
    row = row_of(
        effect=text,
        arguments={text: text},
        difference={
            "changes": [{"label": text, "before": text, "after": text}],
            "shown": {text: text},
            "untrusted": {"note": text},
            "irreversible": [text],
        },
        target={"type": text, "id": text, "version": text, "check": "atomic"},
        upstream={"name": text, "origin": text, "environment": text},
        agent=text,
        person=text,
    )
    shown = "\n".join(page(row))
    hidden = [c for c in shown if c != "\n" and not ((c.isprintable() and c.strip()) or c == " ")]
    assert hidden == []
    assert all(c not in shown for c in text if not c.isascii())
    assert any("not seen" in line for line in page(row))


@given(st.text())
def test_plain_text_is_one_line_that_can_be_read_back(text: str) -> None:
    r"""P17: nothing moves the cursor, and two texts never look the same: a backslash is `\\`."""
    shown = plain(text)
    assert shown.isprintable()
    back = (
        shown.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
    )
    for piece in set(text):
        back = back.replace(f"\\u{{{ord(piece):04X}}}", piece)
    assert back.replace("\0", "\\") == text or "\0" in text


def test_values_and_texts_look_different() -> None:
    """C3: null, absent and the texts of these are told apart."""
    values: list[Any] = [None, "null", True, "true", 1, "1", [], {}]
    assert [quoted(value) for value in values] == [
        "null", '"null"', "true", '"true"', "1", '"1"', "[]", "{}",
    ]  # fmt: skip
    changes = [{"label": "street", "after": None}]
    assert "  street  (absent)  null" in page(row_of(difference={"changes": changes}))


def test_a_long_value_is_never_cut_in_silence() -> None:
    """P17: a cut says how much is left out; `--whole` leaves nothing out."""
    text = "x" * 200_000
    row = row_of(difference={"untrusted": {"note": text}})
    cut = "\n".join(page(row))
    assert "CUT HERE: 196000 more characters; --whole shows them" in cut
    assert text in "\n".join(page(row, whole=True))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("see https://xn--80ak6aa92e.com/x", "letters of other alphabets: xn--80ak6aa92e.com"),
        ("see https://\u0430pple.com/", "letters of other alphabets: \u0430pple.com"),
        ("see https://bank.com@evil.test/", "hides behind a user name: bank.com@evil.test"),
        ("see http://10.0.0.1:80/", "is a bare address: 10.0.0.1:80"),
        ("see http://[::1]/", "is a bare address: [::1]"),
        ("cafe\u0301", "is not in Unicode's normal form NFC"),
    ],
)
def test_what_may_mislead_is_flagged(text: str, says: str) -> None:
    """P17, C5"""
    (warning,) = warnings_of({"a": [text]})
    assert warning.endswith(says)
    assert any(line.startswith("CAREFUL") for line in page(row_of(arguments={"a": text})))


def test_a_plain_host_is_not_flagged() -> None:
    assert warnings_of(["see https://example.com/a?b=c", "a@b.example", "x: y"]) == ()
