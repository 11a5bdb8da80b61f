"""Sending: the approval is consumed and the execution is on disk before the first byte leaves (P9, P12 d, I2, I4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from toolcharter_runtime.records import (
    Cause,
    Charge,
    ExecutionRow,
    Lease,
    ProposalRow,
    Reason,
    Refused,
    mint_id,
)
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.claims import ClaimPart, bind_claims
from toolcharter_runtime.store.engine import Transaction, micros, moment
from toolcharter_runtime.store.limits import charge, hold_slots
from toolcharter_runtime.store.part import RolledBackError
from toolcharter_runtime.store.proposal_rows import find_proposal
from toolcharter_runtime.store.rows import execution_row, write_json
from toolcharter_runtime.store.runs import unknown_of_run
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["SendPart"]

_p: Final = schema.proposals.c
_e: Final = schema.executions.c

_CONSUME: Final = Statement(
    sa.update(schema.proposals)
    .where(
        _p.tenant == given("tenant"),
        _p.proposal_id == given("proposal"),
        _p.state == "approved",
        _p.sha256 == given("digest"),
        _p.conflict.is_(None),
        _p.expires_at > given("now"),
        ~sa.exists(unknown_of_run),
    )
    .values(state="consumed")
)
_INSERT: Final = Statement.upsert(schema.executions, lambda insert: insert.on_conflict_do_nothing())
_OF_KEY: Final = Statement(
    sa.select(schema.executions).where(
        _e.tenant == given("tenant"),
        _e.operation == given("operation_"),
        _e.idempotency_key == given("key_"),
        _e.returned == sa.literal_column("0"),
    )
)


class SendPart(ClaimPart):
    """From an approval to a `sent` row."""

    async def consume_and_send(
        self,
        row: ProposalRow,
        lease: Lease,
        seconds: float,
        cause: Cause,
        *,
        charges: Sequence[Charge] = (),
    ) -> ExecutionRow | Refused:
        """P12 (d): approved → consumed, execution → sent, budgets charged, in one transaction.

        When it returns the execution, its `sent` row is on disk. On `Refused` nothing was consumed and the lease has
        been given back. Refusals: denied, expired, withdrawn, consumed, changed, stale, paused, fence_lost, budget,
        key_reused, key_in_flight, key_finished.
        """
        held = {
            "resources": list(lease.resources),
            "scopes": list(lease.scopes),
            "charges": [[item.name, item.amount] for item in charges],
        }

        def work(t: Transaction) -> ExecutionRow:
            until = t.now + int(seconds * 1_000_000)
            execution = _sent(row, lease, cause, (t.now, until), held)
            about = About(lease.proposal_id, execution.execution_id)
            _consume(t, row)
            bind_claims(t, lease, execution.execution_id)
            hold_slots(t, lease.tenant, lease.proposal_id, lease.scopes, until)
            charge(t, lease.tenant, row.proposal.run_id, charges)
            if not _insert(t, execution):
                raise _key_taken(t, row)
            append(t, cause, "execution.sent", about=about)
            return execution

        done = await self._write_or_refuse(work)
        if isinstance(done, Refused):
            await self.release(lease, done.reason, cause)
        return done

    async def execution_of_key(self, tenant: str, operation: str, key: str) -> ExecutionRow | None:
        """Return the execution that has the key in this operation (I2)."""
        row = await self._engine.read(
            lambda t: t.one(_OF_KEY, tenant=tenant, operation_=operation, key_=key)
        )
        return None if row is None else execution_row(row)


def _consume(t: Transaction, row: ProposalRow) -> None:
    proposal = row.proposal
    if not t.run(
        _CONSUME,
        tenant=proposal.tenant,
        proposal=proposal.proposal_id,
        run_id=proposal.run_id,
        digest=row.sha256,
        now=t.now,
    ):
        raise RolledBackError(_why_not(t, row))


def _why_not(t: Transaction, row: ProposalRow) -> Reason:
    found = find_proposal(t, row.proposal.tenant, row.proposal.proposal_id)
    if found is None or found.sha256 != row.sha256:
        return "not_found" if found is None else "changed"
    if found.state != "approved":
        return found.state
    if found.conflict is not None:
        return "stale"
    return "expired" if found.proposal.expires_at <= moment(t.now) else "paused"


def _sent(
    row: ProposalRow, lease: Lease, cause: Cause, times: tuple[int, int], held: dict[str, Any]
) -> ExecutionRow:
    proposal = row.proposal
    return ExecutionRow(
        execution_id=mint_id("op"),
        tenant=proposal.tenant,
        run_id=proposal.run_id,
        proposal_id=proposal.proposal_id,
        request_id=cause.request_id,
        root_request_id=proposal.root_request_id,
        tool=proposal.tool,
        operation=proposal.operation,
        key=proposal.key,
        fingerprint=proposal.request_digest,
        state="sent",
        fence=lease.fence,
        sent_at=moment(times[0]),
        lease_until=moment(times[1]),
        held=held,
    )


def _insert(t: Transaction, execution: ExecutionRow) -> bool:
    return bool(
        t.run(
            _INSERT,
            tenant=execution.tenant,
            execution_id=execution.execution_id,
            run_id=execution.run_id,
            proposal_id=execution.proposal_id,
            request_id=execution.request_id,
            root_request_id=execution.root_request_id,
            tool=execution.tool,
            operation=execution.operation,
            idempotency_key=execution.key,
            fingerprint=execution.fingerprint,
            state=execution.state,
            fence=execution.fence,
            sent_at=micros(execution.sent_at),
            lease_until=micros(execution.lease_until),
            attempts=execution.attempts,
            held=write_json(execution.held),
            returned=0,
        )
    )


def _key_taken(t: Transaction, row: ProposalRow) -> RolledBackError:
    """The key has an execution already (I2): of another request, in flight, or finished."""
    proposal = row.proposal
    found = t.one(_OF_KEY, tenant=proposal.tenant, operation_=proposal.operation, key_=proposal.key)
    execution = execution_row(found)
    if execution.fingerprint != proposal.request_digest:
        return RolledBackError("key_reused", execution)
    is_open = execution.state in ("sent", "accepted")
    return RolledBackError("key_in_flight" if is_open else "key_finished", execution)
