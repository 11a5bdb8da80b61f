"""Runs: opened once, loaded by any process (D2)."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from toolcharter_runtime.records import Cause, RunRow
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import append
from toolcharter_runtime.store.engine import Transaction, micros
from toolcharter_runtime.store.part import Part
from toolcharter_runtime.store.rows import run_row, write_json
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["RunPart", "unknown_of_run"]

_r: Final = schema.runs.c
_c: Final = schema.claims.c

unknown_of_run: Final = (
    sa.select(_c.execution_id)
    .where(_c.tenant == given("tenant"), _c.run_id == given("run_id"), _c.is_unknown == 1)
    .limit(1)
)
"""The execution that pauses a run (I7); its parameters are `tenant` and `run_id`."""

_INSERT: Final = Statement(sa.insert(schema.runs))
_LOAD: Final = Statement(
    sa.select(schema.runs, sa.exists(unknown_of_run).label("paused")).where(
        _r.tenant == given("tenant"), _r.run_id == given("run_id")
    )
)


class RunPart(Part):
    """Opening and loading runs."""

    async def open_run(self, run: RunRow, cause: Cause) -> None:
        """Store a run that has not been before; a taken id is a `StoreError`."""

        def work(t: Transaction) -> None:
            t.run(
                _INSERT,
                tenant=run.tenant,
                run_id=run.run_id,
                role=run.role,
                agent=run.agent,
                person=run.person,
                purpose=run.purpose,
                catalog_digest=run.catalog_digest,
                versions=write_json(dict(run.versions)),
                context=write_json(dict(run.context)),
                deadline=None if run.deadline is None else micros(run.deadline),
                opened_at=micros(run.opened_at),
            )
            append(t, cause, "run.opened")

        await self._engine.write(work)

    async def load_run(self, tenant: str, run_id: str) -> RunRow | None:
        """Return the run, `paused` filled in; none for another tenant's, as for a random id."""
        row = await self._engine.read(lambda t: t.one(_LOAD, tenant=tenant, run_id=run_id))
        return None if row is None else run_row(row)
