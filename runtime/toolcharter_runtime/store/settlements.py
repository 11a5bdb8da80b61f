"""Settlements: an operator's signed word on an unknown outcome, kept beside the execution that it closed (I7)."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from toolcharter_runtime.records import ExecutionRow, Settlement
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.engine import Transaction, micros
from toolcharter_runtime.store.rows import execution_row, settlement_row
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["keep_settlement", "with_settlement"]

_s: Final = schema.settlements.c
_LOAD: Final = Statement(
    sa.select(schema.settlements).where(
        _s.tenant == given("tenant"), _s.execution_id == given("execution_id")
    )
)
_INSERT: Final = Statement(sa.insert(schema.settlements))


def with_settlement(t: Transaction, row: Any) -> ExecutionRow:
    """Read a row of `executions`; only one that was asked after again can have a settlement."""
    if row.resolved_by is None:
        return execution_row(row)
    found = t.one(_LOAD, tenant=row.tenant, execution_id=row.execution_id)
    return execution_row(row, None if found is None else settlement_row(found))


def keep_settlement(t: Transaction, settlement: Settlement) -> None:
    """Store a settlement; an execution has one."""
    t.run(
        _INSERT,
        tenant=settlement.tenant,
        execution_id=settlement.execution_id,
        proposal_id=settlement.proposal_id,
        sha256=settlement.sha256,
        outcome=settlement.outcome,
        principal=settlement.principal,
        method=settlement.method,
        session=settlement.session,
        settled_at=micros(settlement.settled_at),
        reason=settlement.reason,
        key_id=settlement.key_id,
        signature=settlement.signature,
    )
