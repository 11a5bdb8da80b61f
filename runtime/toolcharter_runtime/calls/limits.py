"""Limits of a run and a tenant (L1): budgets leased in blocks, slots claimed, sums of inputs charged with the commit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeVar

from toolcharter_runtime import frozen
from toolcharter_runtime.records import Charge, CommitRows, Proposal, Slot

from .call import Call, Parts, refuse
from .slots import NoSlotError

__all__ = ["Allowance", "charges", "check_amounts", "check_spent", "slots"]

T = TypeVar("T")

_BLOCKS: Final = 10
"""A run's budget of a read is leased in about this many blocks."""
_SLOT_WAIT: Final = 10.0


def slots(call: Call) -> tuple[Slot, ...]:
    """Return the slots that one commit takes, of the run and of the tenant."""
    limits, tool = call.contract.limits, call.contract.tool
    wanted = (
        (f"{call.run.run_id}/{tool}", limits.per_run_in_flight),
        (tool, limits.per_tenant_in_flight),
    )
    return tuple(Slot(scope=scope, limit=limit) for scope, limit in wanted if limit is not None)


def charges(call: Call, proposal: Proposal) -> tuple[Charge, ...]:
    """Return what one commit takes from the run's budgets: itself, and the inputs whose sum is limited."""
    return tuple(_charges(call.contract, proposal.arguments))


def check_amounts(call: Call, arguments: Mapping[str, Any]) -> None:
    """Refuse at preview what could never be committed: one call above the whole budget."""
    for charge in _charges(call.contract, arguments):
        if charge.amount > charge.limit:
            raise refuse("RUN_BUDGET_EXHAUSTED", note=charge.name)


def check_spent(call: Call, rows: CommitRows) -> None:
    """Refuse what the run's budgets do not hold any more; the transaction of the send has the last word."""
    for charge in charges(call, rows.row.proposal):
        if rows.spent.get(charge.name, 0) + charge.amount > charge.limit:
            raise refuse("RUN_BUDGET_EXHAUSTED", note=charge.name)


def _charges(contract: frozen.Contract, arguments: Mapping[str, Any]) -> list[Charge]:
    limits, tool = contract.limits, contract.tool
    taken: list[Charge] = []
    if limits.per_run is not None:
        taken.append(Charge(name=f"commits/{tool}", amount=1, limit=limits.per_run))
    for name, limit in limits.total.items():
        amount = _units(arguments.get(name))
        if amount:
            taken.append(Charge(name=f"total/{tool}/{name}", amount=amount, limit=limit))
    return taken


def _units(value: Any) -> int:
    """Return an amount in whole units, rounded up: a decimal never counts for less than it is."""
    if isinstance(value, bool) or value is None:
        return 0
    try:
        return int(Decimal(str(value)).to_integral_value(rounding="ROUND_CEILING"))
    except InvalidOperation:
        return 0


@dataclass(slots=True)
class Allowance:
    """Blocks of calls that this process has leased from the store for one run.

    A read takes from a block that is there already, so that it makes no durable write.
    """

    leased: dict[str, int] = field(default_factory=dict[str, int])
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def carry(self, call: Call, act: Callable[[], Awaitable[T]]) -> T:
        """Carry out a read with the count and the slot that it takes of its run and tenant."""
        await self._take_call(call)
        limits = call.contract.limits
        if limits.per_run_in_flight is None and limits.per_tenant_in_flight is None:
            return await act()
        wanted = slots(call)
        wait = min(_SLOT_WAIT, call.left() / 2)
        try:
            async with call.parts.slots.hold(call.run.tenant, wanted, wait):
                return await act()
        except NoSlotError:
            raise refuse("CONCURRENCY_LIMIT", retryable=True, retry_after=1.0) from None

    async def _take_call(self, call: Call) -> None:
        limit = call.contract.limits.per_run
        if limit is None:
            return
        name = f"calls/{call.contract.tool}"
        if self._take_leased(name):
            return
        async with self.lock:
            if self._take_leased(name):  # another call has just leased
                return
            block = max(1, limit // _BLOCKS)
            self.leased[name] = await call.parts.store.lease_calls(
                call.run.tenant, call.run.run_id, name, limit=limit, block=block
            )
            if not self._take_leased(name):
                raise refuse("RUN_BUDGET_EXHAUSTED", note=name)

    def _take_leased(self, name: str) -> bool:
        left = self.leased.get(name, 0)
        if left:
            self.leased[name] = left - 1
        return left > 0

    async def give_back(self, parts: Parts, tenant: str, run_id: str) -> None:
        """Return the calls that were leased and not made."""
        leased, self.leased = self.leased, {}
        for name, count in leased.items():
            if count:
                await parts.store.return_calls(tenant, run_id, name, count)
