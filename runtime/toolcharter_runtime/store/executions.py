"""Executions: the record that is durable before the first byte leaves, and what it came to (P9, P12 d, I2, I4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from toolcharter_runtime.records import (
    Cause,
    Charge,
    ExecutionRow,
    ExecutionState,
    Json,
    Lease,
    Outcome,
    ProposalRow,
    Reason,
    Refused,
    mint_id,
)
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.claims import ClaimPart, bind_claims, let_go
from toolcharter_runtime.store.engine import Transaction, moment
from toolcharter_runtime.store.limits import charge, free_slots, hold_slots
from toolcharter_runtime.store.outbox import notify
from toolcharter_runtime.store.part import RolledBackError
from toolcharter_runtime.store.proposals import find_proposal
from toolcharter_runtime.store.rows import execution_row, write_json
from toolcharter_runtime.store.runs import unknown_of_run
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["ExecutionPart", "find_execution"]

_p: Final = schema.proposals.c
_e: Final = schema.executions.c
_c: Final = schema.claims.c

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
_UNCONSUME: Final = Statement(
    sa.update(schema.proposals)
    .where(
        _p.tenant == given("tenant_"),
        _p.proposal_id == given("proposal"),
        _p.state == "consumed",
    )
    .values(state="approved", conflict=given("conflict_"))
)
_INSERT: Final = Statement.upsert(schema.executions, lambda insert: insert.on_conflict_do_nothing())
_LOAD: Final = Statement(
    sa.select(schema.executions).where(
        _e.tenant == given("tenant"), _e.execution_id == given("execution")
    )
)
_OF_KEY: Final = Statement(
    sa.select(schema.executions).where(
        _e.tenant == given("tenant"),
        _e.operation == given("operation_"),
        _e.idempotency_key == given("key_"),
        _e.returned == sa.literal_column("0"),
    )
)
_is_mine: Final = (
    _e.tenant == given("tenant_"),
    _e.execution_id == given("execution"),
    _e.fence == given("fence_"),
)
_in_flight: Final = sa.or_(_e.state == "sent", _e.state == "accepted")
_open: Final = sa.or_(_in_flight, _e.state == "unknown")
_result: Final = {
    "state": given("state_"),
    "result": given("result_"),
    "evidence": given("evidence_"),
    "problem": given("problem_"),
    "pending_handle": sa.func.coalesce(given("handle_"), _e.pending_handle),
    "progress": given("progress_"),
    "resolved_by": given("resolved_by_"),
    "finished_at": given("finished_"),
}
_FINISH: Final = Statement(sa.update(schema.executions).where(*_is_mine, _open).values(**_result))
_PROGRESS: Final = Statement(
    sa.update(schema.executions).where(*_is_mine, _in_flight).values(**_result)
)
_RETURN: Final = Statement(
    sa.update(schema.executions).where(*_is_mine, _e.state == "sent").values(**_result, returned=1)
)
_EXTEND: Final = Statement(
    sa.update(schema.executions)
    .where(*_is_mine, _open)
    .values(lease_until=given("until_"), attempts=_e.attempts + given("more"))
)
_ADOPT: Final = Statement(
    sa.update(schema.executions)
    .where(*_is_mine, _open, sa.or_(_e.lease_until <= given("now"), _e.state == "unknown"))
    .values(fence=given("next_fence"), lease_until=given("until_"))
)
_UNFINISHED: Final = Statement(
    sa.select(schema.executions)
    .join_from(
        schema.claims,
        schema.executions,
        sa.and_(_e.tenant == _c.tenant, _e.execution_id == _c.execution_id),
    )
    .where(_in_flight, _e.lease_until <= given("now"))
    .distinct()
)
_PAUSE: Final = Statement(
    sa.update(schema.claims)
    .where(
        _c.tenant == given("tenant_"),
        _c.resource == given("resource_"),
        _c.execution_id == given("execution"),
    )
    .values(is_unknown=1)
)


def find_execution(t: Transaction, tenant: str, execution_id: str) -> ExecutionRow | None:
    """Return an execution of this tenant."""
    row = t.one(_LOAD, tenant=tenant, execution=execution_id)
    return None if row is None else execution_row(row)


class ExecutionPart(ClaimPart):
    """Sending, recording, returning and taking over."""

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
        execution_id = mint_id("op")
        held = {
            "resources": list(lease.resources),
            "scopes": list(lease.scopes),
            "charges": [[item.name, item.amount] for item in charges],
        }

        def work(t: Transaction) -> ExecutionRow:
            until = t.now + int(seconds * 1_000_000)
            _consume(t, row)
            bind_claims(t, lease, execution_id)
            hold_slots(t, lease.tenant, lease.proposal_id, lease.scopes, until)
            charge(t, lease.tenant, row.proposal.run_id, charges)
            sent = _sent(row, lease, cause, execution_id, (t.now, until), held)
            if not t.run(_INSERT, **sent):
                raise _key_taken(t, row)
            append(
                t,
                cause,
                "execution.sent",
                about=About(lease.proposal_id, execution_id),
            )
            return _as_row(sent)

        done = await self._write_or_refuse(work)
        if isinstance(done, Refused):
            await self.release(lease, done.reason, cause)
        return done

    async def resend(self, execution: ExecutionRow, seconds: float, cause: Cause) -> bool:
        """Count one more attempt and extend the lease before the same bytes go out again (I5); false: fence lost."""

        def work(t: Transaction) -> bool:
            if not _extend(t, execution, seconds, more=1):
                return False
            append(
                t,
                cause,
                "execution.resent",
                about=About(execution.proposal_id, execution.execution_id),
            )
            return True

        return await self._engine.write(work)

    async def extend(self, execution: ExecutionRow, seconds: float) -> bool:
        """Extend the lease while the outcome is asked for; false: fence lost."""
        return await self._engine.write(lambda t: _extend(t, execution, seconds, more=0))

    async def record_outcome(self, execution: ExecutionRow, outcome: Outcome, cause: Cause) -> bool:
        """Record what the execution came to; false if the fence was lost or it is closed (S5).

        succeeded, failed, cancelled: claim and slots go, a failure gives budgets back. accepted: slots go, the claim
        stays. unknown: slots go, the claim stays, the run is paused (I7).
        """

        def work(t: Transaction) -> bool:
            statement = _PROGRESS if outcome.state in ("accepted", "unknown") else _FINISH
            if not _record(t, statement, execution, outcome):
                return False
            _settle_hold(t, execution, outcome.state)
            append(
                t,
                cause,
                f"execution.{outcome.state}",
                code=None if outcome.problem is None else outcome.problem.get("code"),
                note=outcome.resolved_by,
                about=About(execution.proposal_id, execution.execution_id),
            )
            notify(t, execution.tenant, f"execution.{outcome.state}", execution.execution_id)
            return True

        return await self._engine.write(work)

    async def return_proposal(
        self, execution: ExecutionRow, outcome: Outcome, cause: Cause, *, conflict: Json = None
    ) -> bool:
        """consumed → approved and sent → failed in one update: the upstream surely applied nothing; false: fence lost.

        With `conflict` (a 412 on the first send) the proposal is stale for good; without (I11 `keep`) it may be
        committed again until it expires.
        """

        def work(t: Transaction) -> bool:
            if outcome.state != "failed" or not _record(t, _RETURN, execution, outcome):
                return False
            t.run(
                _UNCONSUME,
                tenant_=execution.tenant,
                proposal=execution.proposal_id,
                conflict_=None if conflict is None else write_json(conflict),
            )
            let_go(t, execution, execution.held, applied=False)
            append(
                t,
                cause,
                "execution.returned",
                code=None if outcome.problem is None else outcome.problem.get("code"),
                about=About(execution.proposal_id, execution.execution_id),
            )
            notify(t, execution.tenant, "execution.returned", execution.execution_id)
            return True

        return await self._engine.write(work)

    async def adopt(
        self, execution: ExecutionRow, seconds: float, cause: Cause
    ) -> ExecutionRow | None:
        """Take over an execution whose lease ran out, with a new fence; none while another holds it (S5)."""

        def work(t: Transaction) -> ExecutionRow | None:
            fence = append(
                t,
                cause,
                "execution.adopted",
                about=About(execution.proposal_id, execution.execution_id),
            )
            if not t.run(
                _ADOPT,
                tenant_=execution.tenant,
                execution=execution.execution_id,
                fence_=execution.fence,
                now=t.now,
                next_fence=fence,
                until_=t.now + int(seconds * 1_000_000),
            ):
                raise RolledBackError("fence_lost")
            return find_execution(t, execution.tenant, execution.execution_id)

        adopted = await self._write_or_refuse(work)
        return None if isinstance(adopted, Refused) else adopted

    async def load_execution(self, tenant: str, execution_id: str) -> ExecutionRow | None:
        """Return an execution; none for another tenant's, as for a random id (O2)."""
        return await self._engine.read(lambda t: find_execution(t, tenant, execution_id))

    async def execution_of_key(self, tenant: str, operation: str, key: str) -> ExecutionRow | None:
        """Return the execution that has the key in this operation (I2)."""
        row = await self._engine.read(
            lambda t: t.one(_OF_KEY, tenant=tenant, operation_=operation, key_=key)
        )
        return None if row is None else execution_row(row)

    async def unfinished(self) -> tuple[ExecutionRow, ...]:
        """Return executions that are sent or accepted and whose lease ran out: what a restart finds."""
        rows = await self._engine.read(lambda t: t.all(_UNFINISHED, now=t.now))
        return tuple(execution_row(row) for row in rows)


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
    return "expired" if _is_over(t, found) else "paused"


def _is_over(t: Transaction, row: ProposalRow) -> bool:
    return row.proposal.expires_at <= moment(t.now)


def _sent(
    row: ProposalRow,
    lease: Lease,
    cause: Cause,
    execution_id: str,
    times: tuple[int, int],
    held: dict[str, Any],
) -> dict[str, Any]:
    proposal = row.proposal
    empty = ("result", "evidence", "problem", "pending_handle", "progress", "resolved_by")
    return dict.fromkeys(empty) | {
        "tenant": proposal.tenant,
        "execution_id": execution_id,
        "run_id": proposal.run_id,
        "proposal_id": proposal.proposal_id,
        "request_id": cause.request_id,
        "root_request_id": proposal.root_request_id,
        "tool": proposal.tool,
        "operation": proposal.operation,
        "idempotency_key": proposal.key,
        "fingerprint": proposal.request_digest,
        "state": "sent",
        "fence": lease.fence,
        "sent_at": times[0],
        "lease_until": times[1],
        "attempts": 1,
        "held": write_json(held),
        "finished_at": None,
        "returned": 0,
    }


class _Columns:
    """A row that was just written, read like one that was loaded."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)


def _as_row(values: dict[str, Any]) -> ExecutionRow:
    return execution_row(_Columns(values))


def _key_taken(t: Transaction, row: ProposalRow) -> RolledBackError:
    """The key has an execution already (I2): of another request, in flight, or finished."""
    proposal = row.proposal
    found = t.one(_OF_KEY, tenant=proposal.tenant, operation_=proposal.operation, key_=proposal.key)
    execution = execution_row(found)
    if execution.fingerprint != proposal.request_digest:
        return RolledBackError("key_reused", execution)
    is_open = execution.state in ("sent", "accepted")
    return RolledBackError("key_in_flight" if is_open else "key_finished", execution)


def _record(
    t: Transaction, statement: Statement, execution: ExecutionRow, outcome: Outcome
) -> bool:
    is_over = outcome.state not in ("sent", "accepted", "unknown")
    return bool(
        t.run(
            statement,
            tenant_=execution.tenant,
            execution=execution.execution_id,
            fence_=execution.fence,
            state_=outcome.state,
            result_=_text(outcome.result),
            evidence_=_text(outcome.evidence),
            problem_=_text(outcome.problem),
            handle_=_text(outcome.handle),
            progress_=outcome.progress,
            resolved_by_=outcome.resolved_by,
            finished_=t.now if is_over else None,
        )
    )


def _settle_hold(t: Transaction, execution: ExecutionRow, state: ExecutionState) -> None:
    if state not in ("accepted", "unknown"):
        let_go(t, execution, execution.held, applied=state == "succeeded")
        return
    free_slots(t, execution.tenant, execution.proposal_id, execution.held["scopes"])
    if state == "unknown":
        for resource in execution.held["resources"]:
            t.run(
                _PAUSE,
                tenant_=execution.tenant,
                resource_=resource,
                execution=execution.execution_id,
            )


def _extend(t: Transaction, execution: ExecutionRow, seconds: float, *, more: int) -> bool:
    until = t.now + int(seconds * 1_000_000)
    extended = t.run(
        _EXTEND,
        tenant_=execution.tenant,
        execution=execution.execution_id,
        fence_=execution.fence,
        until_=until,
        more=more,
    )
    hold_slots(t, execution.tenant, execution.proposal_id, execution.held["scopes"], until)
    return bool(extended)


def _text(value: Json) -> str | None:
    return None if value is None else write_json(value)
