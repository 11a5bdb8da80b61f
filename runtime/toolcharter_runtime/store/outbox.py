"""The outbox: what somebody is to be told, written with the change of state, delivered at least once (S4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from toolcharter_runtime.records import Notice
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.engine import Transaction, moment
from toolcharter_runtime.store.part import Part
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["OutboxPart", "notify"]

_o: Final = schema.outbox.c
_NOTIFY: Final = Statement(
    sa.insert(schema.outbox).values(
        tenant=given("tenant"), kind=given("kind"), subject=given("subject"), at=given("at")
    )
)
_DUE: Final = Statement(
    sa.select(schema.outbox)
    .where(_o.delivered_at.is_(None))
    .order_by(_o.notice_id)
    .limit(given("limit_"))
)
_DELIVERED: Final = Statement(
    sa.update(schema.outbox)
    .where(_o.notice_id == given("id_"), _o.delivered_at.is_(None))
    .values(delivered_at=given("at_"))
)


def notify(t: Transaction, tenant: str, kind: str, subject: str) -> None:
    """Write a notice inside a transaction; `subject` is a proposal's or execution's id."""
    t.run(_NOTIFY, tenant=tenant, kind=kind, subject=subject, at=t.now)


class OutboxPart(Part):
    """What is still to be delivered."""

    async def notices(self, limit: int = 100) -> tuple[Notice, ...]:
        """Return the oldest notices that nobody has confirmed."""
        rows = await self._engine.read(lambda t: t.all(_DUE, limit_=limit))
        return tuple(
            Notice(
                notice_id=row.notice_id,
                tenant=row.tenant,
                kind=row.kind,
                subject=row.subject,
                at=moment(row.at),
            )
            for row in rows
        )

    async def delivered(self, notice_ids: Sequence[int]) -> None:
        """Confirm notices; one that is not confirmed is handed out again."""

        def work(t: Transaction) -> None:
            for notice_id in notice_ids:
                t.run(_DELIVERED, id_=notice_id, at_=t.now)

        await self._engine.write(work)
