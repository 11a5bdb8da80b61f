"""Proposals: stored once, never changed but in state (P2, P13)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, get_args

import sqlalchemy as sa

from toolcharter_runtime.records import (
    Cause,
    CommitRows,
    DecisionRow,
    Proposal,
    ProposalRow,
    ProposalState,
    seal,
)
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.engine import Transaction, micros
from toolcharter_runtime.store.limits import spent
from toolcharter_runtime.store.outbox import notify
from toolcharter_runtime.store.part import Part
from toolcharter_runtime.store.proposal_rows import (
    IS_OPEN,
    IS_PROPOSAL,
    JOINED,
    add_decision,
    expire,
    find_proposal,
)
from toolcharter_runtime.store.rows import (
    decision_row,
    proposal_row,
    write_json,
)
from toolcharter_runtime.store.settlements import with_settlement
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["ProposalPart"]

_p: Final = schema.proposals.c
_x: Final = schema.proposal_texts.c
_d: Final = schema.decisions.c
_e: Final = schema.executions.c
_c: Final = schema.claims.c

_INSERT: Final = Statement(sa.insert(schema.proposals))
_INSERT_TEXTS: Final = Statement(sa.insert(schema.proposal_texts))
_DENIED_BEFORE: Final = Statement(
    sa.select(_p.proposal_id)
    .join_from(
        schema.proposals,
        schema.proposal_texts,
        sa.and_(_x.tenant == _p.tenant, _x.proposal_id == _p.proposal_id),
    )
    .where(
        _p.tenant == given("tenant"),
        _p.run_id == given("run_id"),
        _p.state == sa.literal_column("'denied'"),
        _x.operation == given("operation"),
        _x.resources == given("resources"),
    )
    .order_by(_p.created_at.desc())
    .limit(sa.literal_column("1"))
)
_paused_by: Final = (
    sa.select(_c.execution_id)
    .where(_c.tenant == _p.tenant, _c.run_id == _p.run_id, _c.is_unknown == 1)
    .limit(1)
    .scalar_subquery()
)
_LOAD_COMMIT: Final = Statement(
    JOINED.add_columns(_paused_by.label("paused_by")).where(*IS_PROPOSAL)
)
_states: Final = get_args(ProposalState)
_in_state: Final = {
    state: JOINED.where(_p.state == sa.literal_column(f"'{state}'")).order_by(_p.created_at)
    for state in _states
}
_IN_STATE: Final = {
    state: Statement(clause.where(_p.tenant == given("tenant")))
    for state, clause in _in_state.items()
}
_IN_STATE_OF_ALL: Final = {state: Statement(clause) for state, clause in _in_state.items()}
_DECISIONS: Final = Statement(
    sa.select(schema.decisions)
    .where(_d.tenant == given("tenant"), _d.proposal_id == given("proposal_id"))
    .order_by(_d.decided_at)
)
_ANSWERS: Final = Statement(
    sa.select(schema.executions).where(
        _e.tenant == given("tenant"),
        _e.operation == given("operation"),
        _e.idempotency_key == given("key"),
        _e.returned == sa.literal_column("0"),
    )
)

_DUE: Final = Statement(
    sa.select(_p.tenant, _p.proposal_id).where(IS_OPEN, _p.expires_at <= given("now"))
)
_TO_WARN: Final = Statement(
    sa.select(_p.tenant, _p.proposal_id).where(
        _p.state == "pending", IS_OPEN, _p.warned == 0,
        _p.created_at * 2 + _p.expires_at * 8 <= given("now") * 10,
    )
)  # fmt: skip
_WARN: Final = Statement(
    sa.update(schema.proposals).where(*IS_PROPOSAL, _p.warned == 0).values(warned=1)
)


class ProposalPart(Part):
    """Adding, loading and expiring proposals."""

    async def add_proposal(
        self, proposal: Proposal, cause: Cause, *, decision: DecisionRow | None = None
    ) -> ProposalRow:
        """Store a proposal as pending; with a policy's own decision (PL3) as approved, in the same transaction.

        It names the last denied one of its run, operation and resources as superseded (P4).
        """
        canonical, sha256 = seal(proposal)

        def work(t: Transaction) -> ProposalRow:
            row = ProposalRow(
                proposal=replace(proposal, supersedes=_denied_before(t, proposal)),
                canonical=canonical,
                sha256=sha256,
                state="pending" if decision is None else "approved",
                approvals=0 if decision is None else 1,
            )
            _insert(t, row)
            name = proposal.proposal_id
            append(t, cause, "proposal.created", about=About(name))
            if decision is None:
                notify(t, proposal.tenant, "proposal.pending", name)
                return row
            add_decision(t, decision)
            append(t, cause, "proposal.approved", about=About(name), note="policy")
            return row

        return await self._engine.write(work)

    async def load_proposal(self, tenant: str, proposal_id: str) -> ProposalRow | None:
        """Return the proposal as it stands now: one that is due is expired first."""
        row = await self._engine.read(lambda t: find_proposal(t, tenant, proposal_id))
        if row is None or not self._is_due(row):
            return row
        await self._engine.write(lambda t: expire(t, tenant, proposal_id))
        return await self._engine.read(lambda t: find_proposal(t, tenant, proposal_id))

    async def load_commit(self, tenant: str, proposal_id: str) -> CommitRows | None:
        """Return all that P12 (a) judges, from one snapshot; a proposal that is due is expired first."""
        rows = await self._engine.read(lambda t: _commit_rows(t, tenant, proposal_id))
        if rows is None or not self._is_due(rows.row):
            return rows
        await self._engine.write(lambda t: expire(t, tenant, proposal_id))
        return await self._engine.read(lambda t: _commit_rows(t, tenant, proposal_id))

    async def proposals(self, tenant: str | None, state: ProposalState) -> tuple[ProposalRow, ...]:
        """Return the proposals in a state, oldest first; of all tenants only where the desk lists them all."""
        statement = (_IN_STATE_OF_ALL if tenant is None else _IN_STATE)[state]
        rows = await self._engine.read(lambda t: t.all(statement, tenant=tenant))
        return tuple(proposal_row(row) for row in rows)

    async def decisions(self, tenant: str, proposal_id: str) -> tuple[DecisionRow, ...]:
        """Return the decisions on a proposal, oldest first."""
        rows = await self._engine.read(
            lambda t: t.all(_DECISIONS, tenant=tenant, proposal_id=proposal_id)
        )
        return tuple(decision_row(row) for row in rows)

    async def expire_due(self) -> int:
        """Expire what is due and warn once of what has used 80 % of its window (P14); return how many expired."""

        def find(t: Transaction) -> tuple[list[Any], list[Any]]:
            return t.all(_DUE, now=t.now), t.all(_TO_WARN, now=t.now)

        due, to_warn = await self._engine.read(find)

        def sweep(t: Transaction) -> int:
            for row in to_warn:
                if t.run(_WARN, tenant=row.tenant, proposal_id=row.proposal_id):
                    notify(t, row.tenant, "proposal.expiring", row.proposal_id)
            return sum(expire(t, row.tenant, row.proposal_id) for row in due)

        return await self._engine.write(sweep) if due or to_warn else 0

    def _is_due(self, row: ProposalRow) -> bool:
        return (
            row.state in ("pending", "approved") and row.proposal.expires_at <= self._engine.clock()
        )


def _denied_before(t: Transaction, proposal: Proposal) -> str | None:
    found = t.one(
        _DENIED_BEFORE,
        tenant=proposal.tenant,
        run_id=proposal.run_id,
        operation=proposal.operation,
        resources=write_json(list(proposal.resources)),
    )
    return None if found is None else str(found.proposal_id)


def _insert(t: Transaction, row: ProposalRow) -> None:
    proposal = row.proposal
    t.run(
        _INSERT,
        tenant=proposal.tenant,
        proposal_id=proposal.proposal_id,
        run_id=proposal.run_id,
        state=row.state,
        approvals=row.approvals,
        quorum=proposal.quorum,
        sha256=row.sha256,
        created_at=micros(proposal.created_at),
        expires_at=micros(proposal.expires_at),
        warned=0,
        conflict=None,
        refusal=None,
        final=0,
    )
    t.run(
        _INSERT_TEXTS,
        tenant=proposal.tenant,
        proposal_id=proposal.proposal_id,
        canonical=row.canonical,
        operation=proposal.operation,
        idempotency_key=proposal.key,
        arguments_sha256=proposal.arguments_sha256,
        root_request_id=proposal.root_request_id,
        resources=write_json(list(proposal.resources)),
        supersedes=proposal.supersedes,
    )


def _commit_rows(t: Transaction, tenant: str, proposal_id: str) -> CommitRows | None:
    loaded = t.one(_LOAD_COMMIT, tenant=tenant, proposal_id=proposal_id)
    if loaded is None:
        return None
    row = proposal_row(loaded)
    proposal = row.proposal
    decided = t.all(_DECISIONS, tenant=tenant, proposal_id=proposal_id)
    answer = t.one(_ANSWERS, tenant=tenant, operation=proposal.operation, key=proposal.key)
    if answer is not None and answer.proposal_id != proposal_id:
        answer = None  # the key is another's: refused when this one would be sent (I2)
    return CommitRows(
        row=row,
        decisions=tuple(decision_row(item) for item in decided),
        execution=None if answer is None else with_settlement(t, answer),
        paused_by=loaded.paused_by,
        spent=spent(t, tenant, proposal.run_id),
    )
