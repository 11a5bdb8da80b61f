"""Budgets of a run, and slots for what may be in flight (L1, L2).

A budget is one counter that a conditional update moves; a process leases it in blocks, so that a read writes nothing.
Slots are numbered rows, made once, that are claimed and never counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from toolcharter_runtime.records import Charge, Slot
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.engine import Transaction
from toolcharter_runtime.store.part import Part, RolledBackError
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["LimitPart", "charge", "free_slots", "give_back", "hold_slots", "spent", "take_slots"]

_b: Final = schema.budgets.c
_s: Final = schema.slots.c
_is_budget: Final = (
    _b.tenant == given("tenant"),
    _b.run_id == given("run_id"),
    _b.name == given("name"),
)

_USED: Final = Statement(sa.select(_b.used).where(*_is_budget))
_SPENT: Final = Statement(
    sa.select(_b.name, _b.used).where(_b.tenant == given("tenant"), _b.run_id == given("run_id"))
)
_CHARGE: Final = Statement.upsert(
    schema.budgets,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["tenant", "run_id", "name"],
        set_={"used": _b.used + insert.excluded.used},
        where=_b.used + insert.excluded.used <= given("limit_"),
    ),
)
_GIVE_BACK: Final = Statement(
    sa.update(schema.budgets)
    .where(*_is_budget, _b.used >= given("amount"))
    .values(used=_b.used - given("amount"))
)

_free: Final = (
    sa.select(_s.number)
    .where(
        _s.tenant == given("tenant"),
        _s.scope == given("scope"),
        _s.number < given("limit_"),
        sa.or_(_s.owner.is_(None), _s.lease_until <= given("now")),
    )
    .order_by(_s.number)
    .limit(1)
    .with_for_update(skip_locked=True)
    .scalar_subquery()
)
_TAKE: Final = Statement(
    sa.update(schema.slots)
    .where(_s.tenant == given("tenant"), _s.scope == given("scope"), _s.number == _free)
    .values(owner=given("owner_"), lease_until=given("until_"))
)
_MAKE: Final = Statement.upsert(schema.slots, lambda insert: insert.on_conflict_do_nothing())
_is_held: Final = (
    _s.tenant == given("tenant"),
    _s.scope == given("scope"),
    _s.owner == given("held_by"),
)
_FREE: Final = Statement(sa.update(schema.slots).where(*_is_held).values(owner=None, lease_until=0))
_HOLD: Final = Statement(
    sa.update(schema.slots).where(*_is_held).values(lease_until=given("until_"))
)


def charge(t: Transaction, tenant: str, run_id: str, charges: Sequence[Charge]) -> None:
    """Take from budgets or roll back with `budget` and the name of the first that has not enough."""
    for item in charges:
        has_room = 0 <= item.amount <= item.limit  # a negative amount would give budget back
        if not has_room or not t.run(
            _CHARGE,
            tenant=tenant,
            run_id=run_id,
            name=item.name,
            used=item.amount,
            limit_=item.limit,
        ):
            raise RolledBackError("budget", name=item.name)


def give_back(t: Transaction, tenant: str, run_id: str, name: str, amount: int) -> None:
    """Return an amount to a budget."""
    t.run(_GIVE_BACK, tenant=tenant, run_id=run_id, name=name, amount=amount)


def spent(t: Transaction, tenant: str, run_id: str) -> dict[str, int]:
    """Return what a run has used, by budget."""
    return {row.name: row.used for row in t.all(_SPENT, tenant=tenant, run_id=run_id)}


def take_slots(t: Transaction, tenant: str, owner: str, slots: Sequence[Slot], until: int) -> None:
    """Take one slot of each scope, or roll back with `no_slot` and the scope that is full."""
    for slot in slots:
        taking = {
            "tenant": tenant,
            "scope": slot.scope,
            "limit_": slot.limit,
            "now": t.now,
            "owner_": owner,
            "until_": until,
        }
        if t.run(_TAKE, **taking):
            continue
        made = [
            t.run(_MAKE, tenant=tenant, scope=slot.scope, number=number, owner=None, lease_until=0)
            for number in range(slot.limit)
        ]
        if not any(made) or not t.run(_TAKE, **taking):
            raise RolledBackError("no_slot", name=slot.scope)


def hold_slots(t: Transaction, tenant: str, owner: str, scopes: Sequence[str], until: int) -> None:
    """Extend the lease of slots that the owner still has."""
    for scope in scopes:
        t.run(_HOLD, tenant=tenant, scope=scope, held_by=owner, until_=until)


def free_slots(t: Transaction, tenant: str, owner: str, scopes: Sequence[str]) -> None:
    """Give slots back; one that ran out and went to another owner is left alone."""
    for scope in scopes:
        t.run(_FREE, tenant=tenant, scope=scope, held_by=owner)


class LimitPart(Part):
    """Budgets and slots on their own, as reads use them."""

    async def lease_calls(
        self, tenant: str, run_id: str, name: str, *, limit: int, block: int
    ) -> int:
        """Take up to `block` calls of a budget; 0 means it is used up. All leases together never pass `limit`."""

        def work(t: Transaction) -> int:
            row = t.one(_USED, tenant=tenant, run_id=run_id, name=name)
            count = min(block, limit - (0 if row is None else row.used))
            while count > 0:
                if t.run(
                    _CHARGE, tenant=tenant, run_id=run_id, name=name, used=count, limit_=limit
                ):
                    return count
                count -= 1
            return 0

        return await self._engine.write(work)

    async def return_calls(self, tenant: str, run_id: str, name: str, count: int) -> None:
        """Give back calls that were leased and not made."""
        await self._engine.write(lambda t: give_back(t, tenant, run_id, name, count))

    async def claim_slots(
        self, tenant: str, owner: str, slots: Sequence[Slot], seconds: float
    ) -> str | None:
        """Take one slot of each scope for `owner`; or take none and return the scope that is full."""

        def work(t: Transaction) -> None:
            take_slots(t, tenant, owner, slots, t.now + int(seconds * 1_000_000))

        refused = await self._write_or_refuse(work)
        return None if refused is None else refused.name

    async def release_slots(self, tenant: str, owner: str, scopes: Sequence[str]) -> None:
        """Give back what `claim_slots` took."""
        await self._engine.write(lambda t: free_slots(t, tenant, owner, scopes))
