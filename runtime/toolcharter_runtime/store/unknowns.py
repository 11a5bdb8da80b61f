"""Unknown outcomes: the operator's list, and how an item is closed (I7)."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from toolcharter_runtime.records import (
    OPERATOR_PREFIX,
    SETTLED_STATES,
    Cause,
    ExecutionRow,
    Json,
    Reason,
    Refused,
    Settlement,
    UnknownItem,
)
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.claims import let_go
from toolcharter_runtime.store.engine import Transaction
from toolcharter_runtime.store.executions import ExecutionPart, find_execution
from toolcharter_runtime.store.outbox import notify
from toolcharter_runtime.store.part import RolledBackError, there
from toolcharter_runtime.store.proposal_rows import find_proposal
from toolcharter_runtime.store.rows import execution_row, write_json
from toolcharter_runtime.store.settlements import keep_settlement
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["UnknownPart"]

_e: Final = schema.executions.c
_c: Final = schema.claims.c
_unknown: Final = (
    sa.select(schema.executions)
    .join_from(
        schema.claims,
        schema.executions,
        sa.and_(_e.tenant == _c.tenant, _e.execution_id == _c.execution_id),
    )
    .where(_c.is_unknown == 1, _e.state == "unknown")
    .order_by(_e.sent_at)
    .distinct()
)
_UNKNOWN: Final = Statement(_unknown.where(_c.tenant == given("tenant")))
_UNKNOWN_OF_ALL: Final = Statement(_unknown)
_SETTLE: Final = Statement(
    sa.update(schema.executions)
    .where(
        _e.tenant == given("tenant_"),
        _e.execution_id == given("execution"),
        _e.state == "unknown",
    )
    .values(
        state=given("state_"),
        evidence=given("evidence_"),
        problem=given("problem_"),
        resolved_by=given("resolved_by_"),
        finished_at=given("finished_"),
        fence=given("fence_"),
    )
)


class UnknownPart(ExecutionPart):
    """What waits for an operator."""

    async def unknown_items(self, tenant: str | None) -> tuple[UnknownItem, ...]:
        """Return the open items, oldest first; of all tenants only where the desk lists them all."""

        def work(t: Transaction) -> list[UnknownItem]:
            rows = t.all(_UNKNOWN_OF_ALL if tenant is None else _UNKNOWN, tenant=tenant)
            return [_item(t, execution_row(row)) for row in rows]

        return tuple(await self._engine.read(work))

    async def unknown_item(self, tenant: str, execution_id: str) -> UnknownItem | None:
        """Return one open item; none if the execution is not unknown or not this tenant's."""

        def work(t: Transaction) -> UnknownItem | None:
            execution = find_execution(t, tenant, execution_id)
            is_open = execution is not None and execution.state == "unknown"
            return _item(t, execution) if execution is not None and is_open else None

        return await self._engine.read(work)

    async def settle(
        self, settlement: Settlement, cause: Cause, *, evidence: Json = None, problem: Json = None
    ) -> ExecutionRow | Refused:
        """Close an unknown outcome by an operator's signed word; the claim goes and the run's pause ends.

        confirmed_done → succeeded, confirmed_not_done → failed (budgets given back), abandoned → abandoned. An empty
        reason is a ValueError. Refusals: not_found, decided.
        """
        if not settlement.reason.strip():
            raise ValueError("A settlement needs a reason")
        return await self._write_or_refuse(
            lambda t: _settle(t, settlement, cause, evidence, problem)
        )


def _item(t: Transaction, execution: ExecutionRow) -> UnknownItem:
    row = there(find_proposal(t, execution.tenant, execution.proposal_id))
    return UnknownItem(execution=execution, row=row)


def _settle(
    t: Transaction, settlement: Settlement, cause: Cause, evidence: Json, problem: Json
) -> ExecutionRow:
    execution = find_execution(t, settlement.tenant, settlement.execution_id)
    if execution is None:
        raise RolledBackError("not_found")
    state = SETTLED_STATES[settlement.outcome]
    fence = append(
        t,
        cause,
        f"execution.{state}",
        note=settlement.outcome,
        about=About(execution.proposal_id, execution.execution_id),
    )
    settled = t.run(
        _SETTLE,
        tenant_=settlement.tenant,
        execution=settlement.execution_id,
        state_=state,
        evidence_=None if evidence is None else write_json(evidence),
        problem_=None if problem is None else write_json(problem),
        resolved_by_=OPERATOR_PREFIX + settlement.principal,
        finished_=t.now,
        fence_=fence,
    )
    if not settled:
        reason: Reason = "decided"
        raise RolledBackError(reason, execution)
    keep_settlement(t, settlement)
    let_go(t, execution, execution.held, applied=settlement.outcome != "confirmed_not_done")
    notify(t, settlement.tenant, f"execution.{state}", execution.execution_id)
    return there(find_execution(t, settlement.tenant, settlement.execution_id))
