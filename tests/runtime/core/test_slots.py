"""Slots over processes (L1 to L3), and callers that go away before anything was sent (O3)."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from toolcharter_runtime import frozen
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.calls.slots import HeldSlots, NoSlotError
from toolcharter_runtime.envelope import Success
from toolcharter_runtime.records import Slot

from .contracts import GET_CUSTOMER, MemoryCatalog
from .world import CALLER, World


def test_never_above_the_limit_across_processes(tmp_path: Path) -> None:
    """L1, L3: two holders of slots on one store never have more than the limit; whoever waits gets one."""
    world = World(tmp_path)
    slot = [Slot(scope="get_customer", limit=3)]
    now, most = 0, 0

    async def use(held: HeldSlots) -> None:
        nonlocal now, most
        async with held.hold("acme", slot, 20):
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.01)
            now -= 1

    async def story() -> None:
        async with world.store() as one, world.store() as two:
            first, second = HeldSlots(one), HeldSlots(two)
            await asyncio.gather(*(use(held) for held in (first, second) * 10))
            await first.close()
            await second.close()

    asyncio.run(story())
    assert most == 3


def test_crashed_owner_s_slot_returns(tmp_path: Path) -> None:
    """L2: a slot is a lease; after its time another process has it."""
    world = World(tmp_path)
    slot = [Slot(scope="get_customer", limit=1)]

    async def story() -> None:
        async with world.store() as store:
            crashed, other = HeldSlots(store), HeldSlots(store)
            async with crashed.hold("acme", slot, 1):
                with pytest.raises(NoSlotError):
                    async with other.hold("acme", slot, 0.05):
                        pass
                world.later(seconds=301)
                async with other.hold("acme", slot, 0.05):
                    pass
            await other.close()
            await crashed.close()

    asyncio.run(story())


def test_tenants_do_not_share_slots(tmp_path: Path) -> None:
    """L3: a tenant at its limit takes nothing from another."""
    world = World(tmp_path)
    slot = [Slot(scope="get_customer", limit=1)]

    async def story() -> None:
        async with world.store() as store:
            held = HeldSlots(store)
            async with held.hold("acme", slot, 1), held.hold("other", slot, 0.05):
                pass
            await held.close()

    asyncio.run(story())


def test_tenant_at_its_limit_delays_no_other(tmp_path: Path) -> None:
    """L3, case 42: while one tenant's only slot hangs and its callers wait, another tenant's calls are answered."""
    world = World(tmp_path)
    world.catalog = MemoryCatalog(
        GET_CUSTOMER.model_copy(update={"limits": frozen.Limits(per_tenant_in_flight=1)})
    )
    answer, hanging, go_on = world.crm.answer, asyncio.Event(), asyncio.Event()

    async def hang(request: Any) -> Any:
        if request.url.path.endswith("C-1001"):
            hanging.set()
            await go_on.wait()
        return await answer(request)

    async def story() -> None:
        world.crm.transport.handler = hang
        other = Caller(tenant="globex", agent="assistant", person="u18")
        async with (
            world.boundary() as boundary,
            boundary.run(role="agent", caller=CALLER) as crowded,
            boundary.run(role="agent", caller=other) as free,
        ):
            waiting = [
                asyncio.create_task(crowded.call("get_customer", {"customer": "C-1001"}))
                for _ in range(20)
            ]
            await hanging.wait()
            async with asyncio.timeout(1):
                for _ in range(5):
                    reply = await free.call("get_customer", {"customer": "C-1002"})
                    assert isinstance(reply, Success)
            go_on.set()
            assert all(isinstance(one, Success) for one in await asyncio.gather(*waiting))

    asyncio.run(story())


def test_caller_that_goes_away_before_the_send(tmp_path: Path) -> None:
    """O3, P12 (c): cancelled while the target is read; the claim is given back, the proposal unconsumed."""
    world = World(tmp_path)
    answer = world.crm.answer
    reading = asyncio.Event()

    async def hang(request: Any) -> Any:
        reading.set()
        await asyncio.sleep(3600)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            world.crm.transport.handler = hang
            given = {"proposal_id": proposal_id}
            committing = asyncio.create_task(run.call("commit_address_change", given))
            await reading.wait()
            committing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await committing
            world.crm.transport.handler = answer
            assert isinstance(await run.call("commit_address_change", given), Success)
            assert len(world.crm.ledger) == 1

    asyncio.run(story())


def test_another_resource_does_not_wait(tmp_path: Path) -> None:
    """V6, L1: one at a time is per resource; two customers are changed side by side."""
    world = World(tmp_path)
    world.crm.write_takes = 0.1

    async def story() -> None:
        async with world.run() as run:
            ids = [
                await world.approved(run, customer=name, city="Bruges")
                for name in ("C-1001", "C-1002")
            ]
            replies = await asyncio.gather(
                *(run.call("commit_address_change", {"proposal_id": one}) for one in ids)
            )
            assert all(isinstance(one, Success) for one in replies)
        assert world.crm.most_in_write == 2

    asyncio.run(story())


class SlowStore:
    """A store whose writes take a while, as beside a process that writes too; they go on without their caller."""

    def __init__(self) -> None:
        self.held: set[str] = set()

    async def _later(self, change: Callable[[str], None], owner: str) -> None:
        await asyncio.sleep(0.02)
        change(owner)

    async def claim_slots(
        self, tenant: str, owner: str, slots: Sequence[Slot], seconds: float
    ) -> str | None:
        await asyncio.shield(asyncio.ensure_future(self._later(self.held.add, owner)))
        return None

    async def release_slots(self, tenant: str, owner: str, scopes: Sequence[str]) -> None:
        await asyncio.shield(asyncio.ensure_future(self._later(self.held.discard, owner)))


async def hold_a_moment(held: HeldSlots, scope: str, wait: float = 5) -> None:
    async with held.hold("acme", [Slot(scope=scope, limit=9)], wait):
        await asyncio.sleep(0)


@pytest.mark.parametrize("wait", [5, 0.01])
def test_slot_that_was_being_claimed_goes_back(wait: float) -> None:
    """L2: a caller that is cancelled, or whose wait ends, while its slot is claimed leaves none taken."""
    store = SlowStore()

    async def story() -> None:
        held = HeldSlots(store)
        caller = asyncio.create_task(hold_a_moment(held, "get_customer", wait))
        await asyncio.sleep(0.005)
        if wait == 5:
            caller.cancel()
        done = await asyncio.gather(caller, return_exceptions=True)
        assert [type(one) for one in done] == [asyncio.CancelledError if wait == 5 else NoSlotError]
        await held.close()
        await asyncio.sleep(0.05)

    asyncio.run(story())
    assert store.held == set()


def test_slots_go_back_while_others_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """L2: idle slots are returned beside new scopes and a closing; nothing fails or is dropped on the way."""
    monkeypatch.setattr("toolcharter_runtime.calls.slots._IDLE", 0.0)
    store, failed = SlowStore(), list[Any]()

    async def story() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: failed.append(what))
        held = HeldSlots(store)
        await asyncio.gather(*(hold_a_moment(held, f"one_{n // 2}") for n in range(6)))
        await asyncio.sleep(0.01)
        await asyncio.gather(*(hold_a_moment(held, f"two_{n}") for n in range(3)))
        await held.close()
        await asyncio.sleep(0.05)

    asyncio.run(story())
    gc.collect()
    assert store.held == set()
    assert failed == []
