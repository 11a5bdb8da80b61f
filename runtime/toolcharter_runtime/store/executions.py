"""Executions: what a `sent` row came to, who may record it, and how it goes back (I4, I9, S5)."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from toolcharter_runtime.records import (
    Cause,
    ExecutionRow,
    ExecutionState,
    Json,
    Outcome,
    Refused,
)
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.claims import let_go
from toolcharter_runtime.store.engine import Transaction
from toolcharter_runtime.store.limits import free_slots, hold_slots
from toolcharter_runtime.store.outbox import notify
from toolcharter_runtime.store.part import RolledBackError
from toolcharter_runtime.store.rows import execution_row, write_json
from toolcharter_runtime.store.sending import SendPart
from toolcharter_runtime.store.settlements import with_settlement
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["ExecutionPart", "find_execution"]

_p: Final = schema.proposals.c
_e: Final = schema.executions.c
_c: Final = schema.claims.c

_UNCONSUME: Final = Statement(
    sa.update(schema.proposals)
    .where(
        _p.tenant == given("tenant_"),
        _p.proposal_id == given("proposal"),
        _p.state == "consumed",
    )
    .values(state="approved", conflict=given("conflict_"))
)
_LOAD: Final = Statement(
    sa.select(schema.executions).where(
        _e.tenant == given("tenant"), _e.execution_id == given("execution")
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
    return None if row is None else with_settlement(t, row)


class ExecutionPart(SendPart):
    """Recording, returning and taking over."""

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

    async def unfinished(self) -> tuple[ExecutionRow, ...]:
        """Return executions that are sent or accepted and whose lease ran out: what a restart finds."""
        rows = await self._engine.read(lambda t: t.all(_UNFINISHED, now=t.now))
        return tuple(execution_row(row) for row in rows)


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
