"""Proposals inside a transaction: found, voiced upon, and expired when they are due (P7)."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from toolcharter_runtime.records import Cause, DecisionRow, ProposalRow, mint_id
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.engine import Transaction, micros, moment
from toolcharter_runtime.store.outbox import notify
from toolcharter_runtime.store.part import there
from toolcharter_runtime.store.rows import proposal_row
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["IS_OPEN", "IS_PROPOSAL", "JOINED", "add_decision", "expire", "find_proposal"]

_p: Final = schema.proposals.c
_x: Final = schema.proposal_texts.c
_d: Final = schema.decisions.c

_columns: Final = (
    _p.tenant, _p.proposal_id, _p.state, _p.approvals, _p.quorum, _p.sha256, _p.created_at,
    _p.expires_at, _p.conflict, _p.refusal, _p.final, _x.canonical, _x.operation,
    _x.idempotency_key, _x.arguments_sha256, _x.root_request_id, _x.resources, _x.supersedes,
)  # fmt: skip
JOINED: Final = sa.select(*_columns).join_from(
    schema.proposals,
    schema.proposal_texts,
    sa.and_(_x.tenant == _p.tenant, _x.proposal_id == _p.proposal_id),
)
IS_PROPOSAL: Final = (_p.tenant == given("tenant"), _p.proposal_id == given("proposal_id"))

_INSERT_DECISION: Final = Statement.upsert(
    schema.decisions, lambda insert: insert.on_conflict_do_nothing()
)
_SAID: Final = Statement(
    sa.select(_d.principal)
    .where(
        _d.tenant == given("tenant"),
        _d.proposal_id == given("proposal_id"),
        _d.outcome == given("outcome_"),
        sa.func.coalesce(_d.subject, _d.principal) == given("identity"),
    )
    .limit(1)
)
_LOAD: Final = Statement(JOINED.where(*IS_PROPOSAL))
IS_OPEN: Final = sa.or_(
    _p.state == sa.literal_column("'pending'"), _p.state == sa.literal_column("'approved'")
)
_EXPIRE: Final = Statement(
    sa.update(schema.proposals)
    .where(*IS_PROPOSAL, IS_OPEN, _p.expires_at <= given("now"))
    .values(state="expired")
)


def find_proposal(t: Transaction, tenant: str, proposal_id: str) -> ProposalRow | None:
    """Return a proposal of this tenant."""
    row = t.one(_LOAD, tenant=tenant, proposal_id=proposal_id)
    return None if row is None else proposal_row(row)


def add_decision(t: Transaction, decision: DecisionRow) -> bool:
    """Store a decision; false if this person, under whatever name, has said this before (one voice of each kind)."""
    if t.one(
        _SAID,
        tenant=decision.tenant,
        proposal_id=decision.proposal_id,
        outcome_=decision.outcome,
        identity=decision.subject or decision.principal,
    ):
        return False
    return bool(
        t.run(
            _INSERT_DECISION,
            tenant=decision.tenant,
            proposal_id=decision.proposal_id,
            principal=decision.principal,
            outcome=decision.outcome,
            decision_id=decision.decision_id,
            subject=decision.subject,
            sha256=decision.sha256,
            method=decision.method,
            session=decision.session,
            decided_at=micros(decision.decided_at),
            until=micros(decision.until),
            reason=decision.reason,
            final=int(decision.final),
            key_id=decision.key_id,
            signature=decision.signature,
        )
    )


def expire(t: Transaction, tenant: str, proposal_id: str) -> bool:
    """Move a proposal that is due to `expired`, with a decision row that says so (P7); false if it is not due."""
    if not t.run(_EXPIRE, tenant=tenant, proposal_id=proposal_id, now=t.now):
        return False
    row = there(find_proposal(t, tenant, proposal_id))
    proposal = row.proposal
    now = moment(t.now)
    add_decision(
        t,
        DecisionRow(
            decision_id=mint_id("dec"),
            tenant=tenant,
            proposal_id=proposal_id,
            sha256=row.sha256,
            outcome="expired",
            principal="store",
            method="clock",
            session="store",
            decided_at=now,
            until=now,
        ),
    )
    cause = Cause(
        tenant=tenant,
        request_id=mint_id("rq"),
        root_request_id=proposal.root_request_id,
        actor="store",
        run_id=proposal.run_id,
        tool=proposal.tool,
    )
    append(t, cause, "proposal.expired", about=About(proposal_id), code="APPROVAL_EXPIRED")
    notify(t, tenant, "proposal.expired", proposal_id)
    return True
