"""Whether an approval stands: signed, of this digest, by enough persons with authority now (P8, P10, P12 a, P19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from toolcharter_runtime.approvers import OPERATORS, Directory, Person
from toolcharter_runtime.codes import ErrorCode
from toolcharter_runtime.frozen import Policy
from toolcharter_runtime.policy import Verdict, policies_of, policy_principal
from toolcharter_runtime.records import (
    OPERATOR_PREFIX,
    SETTLED_STATES,
    CommitRows,
    DecisionRow,
    ExecutionRow,
    Proposal,
    ProposalRow,
    ProposalState,
    seal,
)
from toolcharter_runtime.signing import DeskKeys

__all__ = [
    "Standing",
    "may_decide",
    "may_settle",
    "outcome_counts",
    "standing",
]

_CODES: Final[dict[ProposalState, ErrorCode]] = {
    "pending": "APPROVAL_PENDING",
    "denied": "APPROVAL_DENIED",
    "expired": "APPROVAL_EXPIRED",
    "withdrawn": "APPROVAL_WITHDRAWN",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a commit may go on, and for the evidence who approved."""

    code: ErrorCode | None
    approved_by: tuple[str, ...] = ()
    self_approved: bool = False
    ignored: tuple[str, ...] = field(default=())
    """Decision ids that do not count: unsigned, altered, of another digest. For an alert in the audit."""


def may_decide(person: Person, proposal: Proposal, policies: Sequence[Policy] = ()) -> str | None:
    """Return why this person may not decide: `group` or `requester`; none if they may.

    Asked of the proposal's own policies, and of further ones.
    """
    guarded = [p for p in (*policies_of(proposal.policy_rows), *policies) if p.none is None]
    if not guarded or not all(p.approvers in person.groups for p in guarded):
        return "group"
    is_requester = person.is_in(proposal.agent, proposal.person)
    if is_requester and not all(p.self_approval for p in guarded):
        return "requester"
    return None


def may_settle(person: Person, proposal: Proposal) -> str | None:
    """Return why this person may not settle an unknown outcome: `group` or `requester`; none if they may (I7)."""
    if OPERATORS not in person.groups:
        return "group"
    return "requester" if person.is_in(proposal.agent, proposal.person) else None


def outcome_counts(execution: ExecutionRow, proposal: Proposal, keys: DeskKeys) -> bool:
    """Return whether a stored outcome may be answered from: one that an operator gave counts only signed (I7, P19).

    Where it does not count, the outcome is as unknown as it was.
    """
    if not (execution.resolved_by or "").startswith(OPERATOR_PREFIX):
        return True
    settlement = execution.settlement
    return (
        settlement is not None
        and settlement.tenant == execution.tenant == proposal.tenant
        and settlement.execution_id == execution.execution_id
        and settlement.proposal_id == execution.proposal_id == proposal.proposal_id
        and settlement.sha256 == seal(proposal)[1]
        and SETTLED_STATES[settlement.outcome] == execution.state
        and keys.holds(settlement)
    )


def standing(
    rows: CommitRows,
    today: Verdict,
    directory: Directory,
    keys: DeskKeys,
    now: datetime,
) -> Standing:
    """Judge the approval of a proposal as P12 (a) asks, with the policy of its preview and the one of today (PL5).

    Only rows count that a desk key signed over this digest; a policy's own row counts only while the policy of today
    is the same one (PL5). A signed denial or withdrawal counts whatever the state column says.
    """
    row = rows.row
    code = _CODES.get(row.state)
    if code is not None:
        return Standing(code)
    if row.conflict is not None:
        return Standing("VERSION_CONFLICT")
    signed = [item for item in rows.decisions if _is_of(item, row) and keys.holds(item)]
    ignored = tuple(d.decision_id for d in rows.decisions if d not in signed and d.key_id)
    for item in signed:
        if item.outcome in ("denied", "withdrawn"):
            return Standing(_CODES[item.outcome], ignored=ignored)
    if now >= row.proposal.expires_at:
        return Standing("APPROVAL_EXPIRED", ignored=ignored)
    own = policies_of(row.proposal.policy_rows)
    if all(policy.none is not None for policy in own):
        return _by_policy(rows, today, ignored)
    policies = (*own, *today.policies)
    voices = [d for d in signed if d.outcome == "approved" and now < d.until]
    found = _by_persons(voices, policies, row.proposal, directory, ignored)
    if found.code is None and not today.is_allowed:
        return Standing("POLICY_DENIED", ignored=ignored)
    return found


def _is_of(decision: DecisionRow, row: ProposalRow) -> bool:
    return (
        decision.sha256 == row.sha256
        and decision.tenant == row.proposal.tenant
        and decision.proposal_id == row.proposal.proposal_id
    )


def _by_policy(rows: CommitRows, today: Verdict, ignored: tuple[str, ...]) -> Standing:
    """Nobody was asked: that holds only while the policy of today asks nobody either (PL5)."""
    if not today.approves_itself:
        return Standing("POLICY_DENIED", ignored=ignored)
    principals = {policy_principal(policy) for policy in today.policies}
    made = {d.principal for d in rows.decisions if d.outcome == "approved" and _is_of(d, rows.row)}
    if not principals & made:
        return Standing("APPROVAL_PENDING", ignored=ignored)
    return Standing(None, tuple(sorted(principals & made)), ignored=ignored)


def _by_persons(
    voices: Sequence[DecisionRow],
    policies: Sequence[Policy],
    proposal: Proposal,
    directory: Directory,
    ignored: tuple[str, ...],
) -> Standing:
    """Count distinct persons who may approve now; each guarded policy wants its quorum of its own group."""
    guarded = [policy for policy in policies if policy.none is None]
    wanted = max(policy.quorum for policy in guarded)
    if len({d.subject or d.principal for d in voices}) < wanted:
        return Standing("APPROVAL_PENDING", ignored=ignored)
    people: dict[str, Person] = {}
    for voice in voices:
        person = _person(directory, voice.principal)
        if person is not None and may_decide(person, proposal, guarded) is None:
            people.setdefault(person.identity, person)
    if len(people) < wanted:
        return Standing("APPROVER_NOT_AUTHORIZED", ignored=ignored)
    is_self = any(p.is_in(proposal.agent, proposal.person) for p in people.values())
    return Standing(None, tuple(sorted(p.name for p in people.values())), is_self, ignored)


def _person(directory: Directory, name: str) -> Person | None:
    try:
        return directory.person(name)
    except Exception:
        return None
