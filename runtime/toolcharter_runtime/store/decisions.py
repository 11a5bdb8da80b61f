"""Decisions: what the desk says of a proposal, once, on the digest that it showed (P5 to P7, P10)."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from toolcharter_runtime.records import (
    Cause,
    DecisionRow,
    ProposalRow,
    ProposalState,
    Reason,
    Refused,
)
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.engine import Transaction
from toolcharter_runtime.store.outbox import notify
from toolcharter_runtime.store.part import Part, RolledBackError, there
from toolcharter_runtime.store.proposal_rows import add_decision, expire, find_proposal
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["DecisionPart"]

_p: Final = schema.proposals.c
_decided: Final = (
    sa.update(schema.proposals)
    .where(
        _p.tenant == given("tenant_"),
        _p.proposal_id == given("proposal"),
        _p.sha256 == given("digest"),
        _p.expires_at > given("now"),
    )
)  # fmt: skip
_enough: Final = _p.approvals + 1 >= _p.quorum
_state_then: Final[Any] = sa.case((_enough, sa.text("'approved'")), else_=_p.state)
_APPROVE: Final = Statement(
    _decided.where(_p.state == "pending").values(approvals=_p.approvals + 1, state=_state_then)
)
_closing: Final = {"refusal": given("refusal_"), "final": given("final_")}
_DENY: Final = Statement(_decided.where(_p.state == "pending").values(state="denied", **_closing))
_WITHDRAW: Final = Statement(
    _decided.where(_p.state == "approved").values(state="withdrawn", **_closing)
)


class DecisionPart(Part):
    """Deciding and withdrawing."""

    async def decide(self, decision: DecisionRow, cause: Cause) -> ProposalState | Refused:
        """Record `approved` or `denied` on a pending proposal and return the state it has now.

        With a quorum above one it stays pending until enough persons approved; one denial denies. A denial without a
        reason is a ValueError (P7). Refusals: not_found, changed, expired, decided, repeated.
        """
        if decision.outcome not in ("approved", "denied"):
            raise ValueError("A decision is approved or denied")
        _need_reason(decision)
        statement = _APPROVE if decision.outcome == "approved" else _DENY
        return await self._apply(decision, cause, statement)

    async def withdraw(self, decision: DecisionRow, cause: Cause) -> ProposalState | Refused:
        """Take an approval back until it is consumed (P10); the reason is required.

        Refusals: not_found, changed, pending, expired, decided, consumed.
        """
        if decision.outcome != "withdrawn":
            raise ValueError("A withdrawal says withdrawn")
        _need_reason(decision)
        return await self._apply(decision, cause, _WITHDRAW)

    async def _apply(
        self, decision: DecisionRow, cause: Cause, statement: Statement
    ) -> ProposalState | Refused:
        def work(t: Transaction) -> ProposalState | Refused:
            return _apply(t, decision, cause, statement)

        return await self._write_or_refuse(work)


def _need_reason(decision: DecisionRow) -> None:
    if decision.outcome != "approved" and not (decision.reason or "").strip():
        raise ValueError("A denial and a withdrawal need a reason")


def _apply(
    t: Transaction, decision: DecisionRow, cause: Cause, statement: Statement
) -> ProposalState | Refused:
    changed = t.run(
        statement,
        tenant_=decision.tenant,
        proposal=decision.proposal_id,
        digest=decision.sha256,
        now=t.now,
        refusal_=decision.reason,
        final_=int(decision.final),
    )
    if not changed:
        return Refused(_why(t, decision))
    if not add_decision(t, decision):
        raise RolledBackError("repeated")
    row = there(find_proposal(t, decision.tenant, decision.proposal_id))
    done = row.state if row.state != "pending" else "voted"
    append(t, cause, f"proposal.{done}", about=About(decision.proposal_id))
    if row.state != "pending":
        notify(t, decision.tenant, f"proposal.{row.state}", decision.proposal_id)
    return row.state


def _why(t: Transaction, decision: DecisionRow) -> Reason:
    row = find_proposal(t, decision.tenant, decision.proposal_id)
    if row is None:
        return "not_found"
    if expire(t, decision.tenant, decision.proposal_id):
        return "expired"
    return _reason_of(row, decision)


def _reason_of(row: ProposalRow, decision: DecisionRow) -> Reason:
    is_withdrawal = decision.outcome == "withdrawn"
    if row.state == "expired":
        return "expired"
    if row.sha256 != decision.sha256:
        return "changed"
    if is_withdrawal and row.state in ("pending", "consumed"):
        return "pending" if row.state == "pending" else "consumed"
    return "decided"
