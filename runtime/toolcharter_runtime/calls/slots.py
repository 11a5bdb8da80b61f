"""Slots that a process holds as leases, so that a read takes one without a durable write (L1 to L3)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from toolcharter_runtime.records import Slot, mint_id

__all__ = ["HeldSlots", "NoSlotError"]

_LEASE: Final = 300.0
_IDLE: Final = 2.0
"""Seconds that an idle slot is kept before another process may have it."""
_RETRY: Final = 0.1


class _Store(Protocol):
    async def claim_slots(
        self, tenant: str, owner: str, slots: Sequence[Slot], seconds: float
    ) -> str | None: ...
    async def release_slots(self, tenant: str, owner: str, scopes: Sequence[str]) -> None: ...


class NoSlotError(Exception):
    """No slot became free in time."""


@dataclass(slots=True)
class _Held:
    tenant: str
    scope: str
    owner: str
    until: float
    idle_since: float = 0.0


@dataclass(slots=True)
class _Scope:
    """The slots of one tenant's scope; the lock makes it first come, first served."""

    idle: list[_Held] = field(default_factory=list[_Held])
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    freed: asyncio.Event = field(default_factory=asyncio.Event)


class HeldSlots:
    """Numbered slots are claimed from the store once and kept while they are in use; idle ones go back."""

    def __init__(self, store: _Store) -> None:
        self._store = store
        self._scopes: dict[tuple[str, str], _Scope] = {}
        self._keeper: asyncio.Task[None] | None = None
        self._lonely: set[asyncio.Future[str | None]] = set()
        """Claims whose caller has gone."""

    @asynccontextmanager
    async def hold(self, tenant: str, slots: Sequence[Slot], wait: float) -> AsyncGenerator[None]:
        """Hold one slot of each scope, waiting at most `wait` seconds in all; raises `NoSlotError`."""
        deadline = time.monotonic() + wait
        async with AsyncExitStack() as stack:
            for slot in slots:
                held = await self._take(tenant, slot, deadline)
                stack.callback(self._give, held)
            yield

    async def close(self) -> None:
        """Give every slot back."""
        await asyncio.gather(*self._lonely, return_exceptions=True)
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._keeper = None
        await self._return_idle(time.monotonic())

    async def _take(self, tenant: str, slot: Slot, deadline: float) -> _Held:
        scope = self._scopes.setdefault((tenant, slot.scope), _Scope())
        try:
            async with asyncio.timeout_at(_loop_time(deadline)), scope.lock:
                while True:
                    scope.freed.clear()
                    held = self._kept(scope) or await self._claim(tenant, slot)
                    if held is not None:
                        return held
                    await _either(scope.freed, _RETRY)
        except TimeoutError:
            raise NoSlotError(slot.scope) from None

    def _kept(self, scope: _Scope) -> _Held | None:
        now = time.monotonic()
        while scope.idle:
            held = scope.idle.pop()
            if held.until - now > _LEASE / 2:
                return held
        return None

    async def _claim(self, tenant: str, slot: Slot) -> _Held | None:
        held = _Held(tenant, slot.scope, mint_id("slot"), time.monotonic() + _LEASE)
        claiming = asyncio.ensure_future(
            self._store.claim_slots(tenant, held.owner, [slot], _LEASE)
        )
        try:
            return held if await asyncio.shield(claiming) is None else None
        except asyncio.CancelledError:  # the claim goes on alone: what it takes is idle
            self._lonely.add(claiming)
            claiming.add_done_callback(lambda done: self._claimed_alone(done, held))
            raise

    def _claimed_alone(self, claiming: asyncio.Future[str | None], held: _Held) -> None:
        self._lonely.discard(claiming)
        if not claiming.cancelled() and claiming.exception() is None and claiming.result() is None:
            self._give(held)

    def _give(self, held: _Held) -> None:
        scope = self._scopes[held.tenant, held.scope]
        held.idle_since = time.monotonic()
        scope.idle.append(held)
        scope.freed.set()
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        """Return what has been idle for a while, until nothing is."""
        while any(scope.idle for scope in self._scopes.values()):
            await asyncio.sleep(_IDLE / 2)
            await self._return_idle(time.monotonic() - _IDLE)

    async def _return_idle(self, before: float) -> None:
        for scope in tuple(self._scopes.values()):  # more may come while the store works
            for held in tuple(scope.idle):
                if held.idle_since > before or held not in scope.idle:
                    continue
                scope.idle.remove(held)
                await self._store.release_slots(held.tenant, held.owner, [held.scope])


def _loop_time(deadline: float) -> float:
    """Return a monotonic time as the running loop's clock has it."""
    return asyncio.get_running_loop().time() + deadline - time.monotonic()


async def _either(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
