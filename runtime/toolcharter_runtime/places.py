"""Places in flight that a process holds as leases, so that a read takes one without a durable write (L1 to L3)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from .records import Slot, mint_id

__all__ = ["NoPlaceError", "Places"]

_LEASE: Final = 300.0
_IDLE: Final = 2.0
"""Seconds that an idle place is kept before another process may have it."""
_RETRY: Final = 0.1


class _Store(Protocol):
    async def claim_slots(
        self, tenant: str, owner: str, slots: Sequence[Slot], seconds: float
    ) -> str | None: ...
    async def release_slots(self, tenant: str, owner: str, scopes: Sequence[str]) -> None: ...


class NoPlaceError(Exception):
    """No place became free in time."""


@dataclass(slots=True)
class _Place:
    tenant: str
    scope: str
    owner: str
    until: float
    idle_since: float = 0.0


@dataclass(slots=True)
class _Scope:
    """The places of one tenant's scope; the lock makes it first come, first served."""

    idle: list[_Place] = field(default_factory=list[_Place])
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    freed: asyncio.Event = field(default_factory=asyncio.Event)


class Places:
    """Numbered places are claimed from the store once and kept while they are in use; idle ones go back."""

    def __init__(self, store: _Store) -> None:
        self._store = store
        self._scopes: dict[tuple[str, str], _Scope] = {}
        self._keeper: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def hold(self, tenant: str, slots: Sequence[Slot], wait: float) -> AsyncGenerator[None]:
        """Hold one place of each scope, waiting at most `wait` seconds in all; raises `NoPlaceError`."""
        deadline = time.monotonic() + wait
        async with AsyncExitStack() as held:
            for slot in slots:
                place = await self._take(tenant, slot, deadline)
                held.callback(self._give, place)
            yield

    async def close(self) -> None:
        """Give every place back."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._keeper = None
        await self._return_idle(time.monotonic())

    async def _take(self, tenant: str, slot: Slot, deadline: float) -> _Place:
        scope = self._scopes.setdefault((tenant, slot.scope), _Scope())
        try:
            async with asyncio.timeout_at(_loop_time(deadline)), scope.lock:
                while True:
                    scope.freed.clear()
                    place = self._kept(scope) or await self._claim(tenant, slot)
                    if place is not None:
                        return place
                    await _either(scope.freed, _RETRY)
        except TimeoutError:
            raise NoPlaceError(slot.scope) from None

    def _kept(self, scope: _Scope) -> _Place | None:
        now = time.monotonic()
        while scope.idle:
            place = scope.idle.pop()
            if place.until - now > _LEASE / 2:
                return place
        return None

    async def _claim(self, tenant: str, slot: Slot) -> _Place | None:
        owner = mint_id("place")
        until = time.monotonic() + _LEASE
        if await self._store.claim_slots(tenant, owner, [slot], _LEASE) is not None:
            return None
        return _Place(tenant, slot.scope, owner, until)

    def _give(self, place: _Place) -> None:
        scope = self._scopes[place.tenant, place.scope]
        place.idle_since = time.monotonic()
        scope.idle.append(place)
        scope.freed.set()
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        """Return what has been idle for a while, until nothing is."""
        while any(scope.idle for scope in self._scopes.values()):
            await asyncio.sleep(_IDLE / 2)
            await self._return_idle(time.monotonic() - _IDLE)

    async def _return_idle(self, before: float) -> None:
        for scope in self._scopes.values():
            stale = [place for place in scope.idle if place.idle_since <= before]
            scope.idle = [place for place in scope.idle if place.idle_since > before]
            for place in stale:
                await self._store.release_slots(place.tenant, place.owner, [place.scope])


def _loop_time(deadline: float) -> float:
    """Return a monotonic time as the running loop's clock has it."""
    return asyncio.get_running_loop().time() + deadline - time.monotonic()


async def _either(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
