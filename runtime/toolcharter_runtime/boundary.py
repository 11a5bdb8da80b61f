"""The boundary: what an application opens, and what runs are opened from."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from .caller import Caller
from .capability import BoundaryError, capability_of, choose_versions
from .catalog import Catalog, Role, Snapshot, snapshot_of
from .records import Cause, RunRow, mint_id
from .unmapped import told

if TYPE_CHECKING:
    from typing import Self

    from .approvers import Directory
    from .blocking import BlockingBoundary
    from .calls.call import Parts
    from .run import Run
    from .store import Clock, Store
    from .upstream.client import Upstream

__all__ = ["Boundary", "BoundaryError"]

_SWEEP_EVERY: Final = 30.0
_FLUSH: Final = 1.0
"""Seconds that closing waits for spans that are on their way to an exporter."""
_log: Final = logging.getLogger("toolcharter_runtime")


class Boundary:
    """Holds permission and truth for the tools of one catalog.

    `store` is `sqlite:///file.db` or an open `Store`; `approvers` is the path of `approvers.yaml` or a directory of the
    application's own, and without one nobody may approve; `desk_keys` are the public keys whose decisions count; `clock`
    is for tests.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        upstream: Upstream,
        store: str | Store = "sqlite:///boundary.db",
        approvers: str | Path | Directory | None = None,
        desk_keys: Sequence[str | Path] = (),
        clock: Clock | None = None,
    ) -> None:
        self._snapshot: Snapshot = snapshot_of(catalog)
        self._upstream = upstream
        self._store = store
        self._approvers = approvers
        self._desk_keys = tuple(desk_keys)
        self._clock = clock
        self._parts: Parts | None = None
        self._sweeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Open: check that the package agrees with itself, open the store, and look after what a crash left."""
        from .approvers import ApproversFile
        from .calls.call import Parts
        from .calls.slots import HeldSlots
        from .signing import DeskKeys
        from .store import Store

        self._snapshot.check()
        keys = DeskKeys.load(self._desk_keys)
        self._tell_who_cannot_approve()
        approvers = self._approvers
        directory: Directory = _Nobody()
        if isinstance(approvers, str | Path):
            directory = ApproversFile(approvers)
        elif approvers is not None:
            directory = approvers
        store = self._store
        if isinstance(store, str):
            store = await Store.open(store, clock=self._clock)
        self._parts = Parts(
            snapshot=self._snapshot,
            store=store,
            upstream=self._upstream,
            approvers=directory,
            desk_keys=keys,
            seal=await store.store_key(),
            pause=pause,
            slots=HeldSlots(store),
        )
        self._sweeper = asyncio.create_task(self._sweep_often())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close: calls and writes that are under way are finished first (O3)."""
        from .telemetry import flush

        parts, self._parts = self._open_parts(), None
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
        await parts.calls.end()
        while parts.tasks:
            await asyncio.gather(*parts.tasks, return_exceptions=True)
        try:
            await parts.slots.close()
            await self._upstream.aclose()
        finally:
            if isinstance(self._store, str):
                await parts.store.close()
        if not flush(0):
            await asyncio.to_thread(flush, _FLUSH)

    @asynccontextmanager
    async def run(
        self,
        *,
        role: str,
        caller: Caller,
        purpose: str | None = None,
        context: Mapping[str, Any] | None = None,
        deadline: datetime | None = None,
        versions: Mapping[str, int] | None = None,
    ) -> AsyncGenerator[Run]:
        """Open a run for a role; `BoundaryError` for what the catalog does not have.

        `purpose` may be left out where the role has one; `context` is what the charter's `context:` types; `deadline` is
        an aware time after which nothing more is done; `versions` pins others than the newest.
        """
        parts = self._open_parts()
        held = self._role(role)
        serving = _purpose_of(held, purpose)
        if deadline is not None and deadline.tzinfo is None:
            raise BoundaryError("a deadline needs a time zone")
        row = RunRow(
            run_id=mint_id("run"),
            tenant=caller.tenant,
            role=role,
            agent=caller.agent,
            person=caller.person,
            purpose=serving,
            catalog_digest=self._snapshot.digest,
            versions=choose_versions(self._snapshot, held, serving, versions or {}),
            context=_checked_context(self._snapshot, context or {}),
            deadline=deadline,
            opened_at=parts.now(),
        )
        await parts.store.open_run(row, _cause(row, "run.opened"))
        async with self._opened(row, caller) as opened:
            yield opened

    @asynccontextmanager
    async def resume(self, run_id: str, caller: Caller) -> AsyncGenerator[Run]:
        """Open a run again, in any process; another tenant's, agent's or person's is as one that is not there.

        Under a newer catalog the run keeps its versions and takes their newer revision; the audit has the change.
        """
        parts = self._open_parts()
        row = await parts.store.load_run(caller.tenant, run_id) if run_id.isascii() else None
        if row is None or (row.agent, row.person) != (caller.agent, caller.person):
            raise BoundaryError("there is no such run of this caller")
        if row.catalog_digest != self._snapshot.digest:
            note = f"{row.catalog_digest} to {self._snapshot.digest}"
            await parts.store.append_audit(_cause(row, "run"), "run.catalog_changed", note=note)
        async with self._opened(row, caller) as opened:
            yield opened

    def blocking(self) -> BlockingBoundary:
        """Return the synchronous edge of this boundary: `with boundary.blocking() as edge: …`."""
        from .blocking import BlockingBoundary

        return BlockingBoundary(self)

    async def sweep(self) -> None:
        """Expire what is due, and find out what became of executions that a crash left; done every half minute too."""
        from .calls.recovery import recover_unfinished

        parts = self._open_parts()
        await parts.store.expire_due()
        await recover_unfinished(parts)

    def _tell_who_cannot_approve(self) -> None:
        """Say at once what would else be met at the first commit: that nobody's approval could count."""
        if not self._snapshot.needs_approvers:
            return
        if not self._desk_keys:
            _log.warning("no desk key is configured: no person's approval can count")
        given = self._approvers
        if given is None or (isinstance(given, str | Path) and not Path(given).is_file()):
            _log.warning(
                "no approvers are configured, or their file is not there: nobody can approve"
            )

    async def _sweep_often(self) -> None:
        while True:
            try:
                await self.sweep()
            except Exception as error:  # the sweeper outlives a bad moment of the store
                _log.warning("the sweep failed: %s", told(error))
            await asyncio.sleep(_SWEEP_EVERY)

    @asynccontextmanager
    async def _opened(self, row: RunRow, caller: Caller) -> AsyncGenerator[Run]:
        from .calls.dispatch import OpenRun
        from .run import Run

        parts = self._open_parts()
        capability = capability_of(self._snapshot, self._role(row.role), row.purpose, row.versions)
        opened = OpenRun(parts, row, caller, capability)
        try:
            yield Run(opened)
        finally:
            await opened.allowance.give_back(parts, row.tenant, row.run_id)

    def _role(self, name: str) -> Role:
        role = self._snapshot.roles.get(name)
        if role is None:
            known = ", ".join(sorted(self._snapshot.roles))
            raise BoundaryError(f"there is no role {name!r}: the catalog has {known}")
        return role

    def _open_parts(self) -> Parts:
        if self._parts is None:
            raise BoundaryError("the boundary is not open: use `async with boundary`")
        return self._parts


class _Nobody:
    """A directory without anybody: nothing that needs a person can be approved."""

    def person(self, name: str) -> None:
        """Return none."""


async def pause(seconds: float) -> None:
    """Wait before the next attempt or question."""
    await asyncio.sleep(seconds)


def _purpose_of(role: Role, purpose: str | None) -> str:
    if purpose is None:
        if len(role.purposes) > 1:
            raise BoundaryError(f"the role {role.name} has several purposes: state one")
        return role.purposes[0] if role.purposes else ""
    if role.purposes and purpose not in role.purposes:
        raise BoundaryError(f"the role {role.name} does not serve the purpose {purpose!r}")
    return purpose


def _checked_context(snapshot: Snapshot, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stated context, if it is what the charter types: all of it, and nothing else."""
    from .canonical import Rejected, check_json
    from .faults import find_fault
    from .schemas import compile_schema

    schema = snapshot.context
    validator = compile_schema(schema)
    try:
        value = check_json(dict(context))
        if not validator.is_valid(value):
            raise find_fault(validator.iter_errors(value), schema)
    except Rejected as error:
        raise BoundaryError(f"the context at {error.pointer or '/'}: {error.reason}") from None
    return dict(context)


def _cause(row: RunRow, part: str) -> Cause:
    return Cause(
        tenant=row.tenant, request_id=mint_id("rq"), actor=f"boundary:{part}", run_id=row.run_id
    )
