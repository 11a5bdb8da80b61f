"""The approver's page, on a terminal: from stored canonical values, whole, with the model's own words apart (P16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from toolcharter_runtime.desk.escape import plain, quoted, warnings_of
from toolcharter_runtime.policy import policies_of
from toolcharter_runtime.records import DecisionRow, Proposal, ProposalRow, instant_text

__all__ = ["decision_lines", "page_json", "page_lines", "short_line"]

_LONG: Final = 4000
"""Characters of one value that are shown unless all are asked for; a cut says how much it left out."""
_CHECKS: Final = {
    "atomic": "the service itself compares the version",
    "advisory": "the boundary reads and compares; a change at the same moment can slip in between",
    "none": "no version is compared",
}


def short_line(row: ProposalRow, now: datetime) -> str:
    """Return one line for the list of pending proposals."""
    proposal = row.proposal
    left = int((proposal.expires_at - now).total_seconds())
    soon = "  EXPIRES SOON" if _is_soon(proposal, now) else ""
    votes = f"  {row.approvals} of {proposal.quorum} approved" if proposal.quorum > 1 else ""
    return (
        f"{proposal.proposal_id}  {_span(left)} left{soon}{votes}  {plain(proposal.effect)}"
        f"  ({plain(proposal.agent)} for {plain(proposal.person or 'nobody')})"
    )


def page_lines(
    row: ProposalRow, decisions: Sequence[DecisionRow], now: datetime, *, whole: bool = False
) -> Iterator[str]:
    """Give the page line by line."""
    proposal = row.proposal
    yield f"Proposal {proposal.proposal_id}: {row.state.upper()}"
    yield ""
    yield f"  {plain(proposal.effect)}"
    yield ""
    yield from _facts(row, now)
    yield from _table(proposal, whole=whole)
    difference: Mapping[str, Any] = proposal.difference
    for title, key in (("Beside the change", "shown"), ("The service's own preview", "preview")):
        yield from _named(title, difference.get(key) or {}, whole=whole)
    untrusted: Mapping[str, Any] = difference.get("untrusted") or {}
    yield from _untrusted(untrusted, whole=whole)
    others = {name: value for name, value in proposal.arguments.items() if name not in untrusted}
    yield from _named("Other arguments" if untrusted else "Arguments", others, whole=whole)
    yield ""
    yield from decision_lines(decisions)
    yield f"Digest  {row.sha256}"


def decision_lines(decisions: Sequence[DecisionRow]) -> Iterator[str]:
    """Give what was decided so far."""
    for item in decisions:
        reason = f': "{plain(item.reason)}"' if item.reason else ""
        final = ", final" if item.final else ""
        who = f"{item.outcome} by {plain(item.principal)}{final}"
        yield f"Decision  {who} at {instant_text(item.decided_at)}{reason}"


def page_json(row: ProposalRow, decisions: Sequence[DecisionRow]) -> dict[str, Any]:
    """Return the page as JSON: what the digest covers, and where the proposal stands."""
    return {
        **row.proposal.covered(),
        "proposal_sha256": row.sha256,
        "state": row.state,
        "approvals": row.approvals,
        "quorum": row.proposal.quorum,
        "created_at": instant_text(row.proposal.created_at),
        "root_request_id": row.proposal.root_request_id,
        "conflict": row.conflict,
        "refusal": row.refusal,
        "decisions": [
            {
                "decision_id": item.decision_id,
                "outcome": item.outcome,
                "principal": item.principal,
                "decided_at": instant_text(item.decided_at),
                "reason": item.reason,
                "final": item.final,
                "key_id": item.key_id,
            }
            for item in decisions
        ],
    }


def _facts(row: ProposalRow, now: datetime) -> Iterator[str]:
    proposal, difference = row.proposal, row.proposal.difference
    target, upstream = proposal.target, proposal.upstream
    left = int((proposal.expires_at - now).total_seconds())
    soon = " (most of the time is over)" if _is_soon(proposal, now) else ""
    check = _CHECKS.get(target.get("check"), "unknown")
    facts: list[tuple[str, str]] = [
        ("Environment", f"{quoted(upstream['environment'])} of {plain(upstream['name'] or '-')}"),
        ("Service", plain(upstream["origin"])),
        ("Tenant", plain(proposal.tenant)),
        ("Asked by", _chain(proposal)),
        ("Target", f"{plain(target['type'])} {quoted(target['id'])}"),
        ("Version", f"{quoted(target.get('version'))}: {target.get('check')}, {check}"),
        ("Records", str(difference.get("records", 1))),
        ("Approval", "; ".join(_policies(proposal))),
        ("Expires", f"{instant_text(proposal.expires_at)}, in {_span(left)}{soon}"),
        ("Tool", plain(proposal.tool)),
    ]
    for label, key in (
        ("Consequences", "consequences"),
        ("Cannot be undone", "irreversible"),
        ("Not guaranteed", "not_guaranteed"),
    ):
        facts += [(label, plain(str(item))) for item in difference.get(key) or ()]
    if proposal.supersedes:
        facts.append(("In place of", proposal.supersedes))
    if row.conflict is not None:
        facts.append(("IN CONFLICT", f"the target moved: {quoted(dict(row.conflict))}"))
    facts += [("CAREFUL", f"a text {warning}") for warning in _warnings(proposal)]
    width = max(len(label) for label, _ in facts)
    for label, text in facts:
        yield f"{label:<{width}}  {text}"


def _chain(proposal: Proposal) -> str:
    return (
        f"agent {plain(proposal.agent)} for {plain(proposal.person or 'nobody')}, "
        f"run {plain(proposal.run_id)}"
    )


def _policies(proposal: Proposal) -> Iterator[str]:
    for policy in policies_of(proposal.policy_rows):
        if policy.none is not None:
            yield f"{plain(policy.name)}: by itself, {plain(policy.none)}"
            continue
        persons = "one person" if policy.quorum == 1 else f"{policy.quorum} persons"
        own = "the requester too" if policy.self_approval else "not the requester"
        yield f"{plain(policy.name)}: {persons} of {plain(policy.approvers or '-')}, {own}"


def _table(proposal: Proposal, *, whole: bool) -> Iterator[str]:
    changes: list[dict[str, Any]] = proposal.difference.get("changes") or []
    if not changes:
        return
    head = ("", "before", "after")
    rows = [head, *(_change(change, whole=whole) for change in changes)]
    widths = [min(max(len(row[i]) for row in rows), 40) for i in range(3)]
    yield ""
    yield "Change"
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield "  " + "  ".join(cells).rstrip()


def _change(change: Mapping[str, Any], *, whole: bool) -> tuple[str, str, str]:
    before, after = (
        _value(change[side], whole) if side in change else "(absent)"
        for side in ("before", "after")
    )
    return plain(str(change.get("label", ""))), before, after


def _named(title: str, values: Mapping[str, Any], *, whole: bool) -> Iterator[str]:
    if not values:
        return
    yield ""
    yield title
    for name, value in values.items():
        yield f"  {plain(name)}: {_value(value, whole)}"


def _untrusted(texts: Mapping[str, Any], *, whole: bool) -> Iterator[str]:
    if not texts:
        return
    yield ""
    yield "UNTRUSTED: written by the model. It is part of what would be done; nothing in it is an instruction to you."
    for name, text in texts.items():
        yield f"  {plain(name)}:"
        lines = text.split("\n") if isinstance(text, str) else [quoted(text)]
        shown = _cut("\n".join(map(plain, lines)), whole)
        yield from (f"    | {line}" for line in shown.split("\n"))


def _value(value: Any, whole: bool) -> str:
    return _cut(quoted(value), whole)


def _cut(text: str, whole: bool) -> str:
    if whole or len(text) <= _LONG:
        return text
    return f"{text[:_LONG]} … CUT HERE: {len(text) - _LONG} more characters; --whole shows them"


def _warnings(proposal: Proposal) -> tuple[str, ...]:
    shown = [proposal.effect, proposal.arguments, proposal.difference, proposal.target["id"]]
    return warnings_of(shown)


def _is_soon(proposal: Proposal, now: datetime) -> bool:
    """Whether 80 % of the window is used (P14)."""
    window = proposal.expires_at - proposal.created_at
    return now < proposal.expires_at and now - proposal.created_at >= window * 0.8


def _span(seconds: int) -> str:
    if seconds < 0:
        return "0 s"
    hours, rest = divmod(seconds, 3600)
    minutes = rest // 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes >= 2 else f"{rest} s"
