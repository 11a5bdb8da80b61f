"""What an open boundary holds, and what one call of a run carries through the core."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from toolcharter_runtime import frozen
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.catalog import Snapshot
from toolcharter_runtime.codes import ErrorCode
from toolcharter_runtime.envelope import Evidence, Problem, Status
from toolcharter_runtime.language import Scope
from toolcharter_runtime.records import Cause, RunRow, mint_id

if TYPE_CHECKING:
    from toolcharter_runtime.approvers import Directory
    from toolcharter_runtime.signing import DeskKeys
    from toolcharter_runtime.store import Store
    from toolcharter_runtime.upstream.answer import Answer
    from toolcharter_runtime.upstream.client import Upstream
    from toolcharter_runtime.upstream.request import BuiltRequest

    from .slots import HeldSlots

__all__ = ["Call", "CallError", "Parts", "deadline_after", "refuse"]


class CallError(Exception):
    """A call that ends here, with a problem; `note` is for the audit and never for the caller (D3)."""

    def __init__(
        self,
        problem: Problem[ErrorCode],
        *,
        status: Status = "rejected",
        evidence: Evidence | None = None,
        operation_id: str | None = None,
        note: str | None = None,
    ) -> None:
        super().__init__(problem.code)
        self.problem = problem
        self.status: Status = status
        self.evidence = evidence
        self.operation_id = operation_id
        self.note = note


def refuse(code: ErrorCode, *, note: str | None = None, **of: Any) -> CallError:
    """Return the error of a code; keywords as of `Problem.of`."""
    return CallError(Problem.of(code, **of), note=note)


class Calls:
    """The calls under way: closing the boundary waits for them, and then none begins (O3)."""

    def __init__(self) -> None:
        self.closed = False
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    def __enter__(self) -> None:
        """Count one call."""
        self._count += 1
        self._none.clear()

    def __exit__(self, *_: object) -> None:
        """Count it off."""
        self._count -= 1
        if not self._count:
            self._none.set()

    async def end(self) -> None:
        """Let no call begin any more, and wait for those under way; each has its own total timeout."""
        self.closed = True
        await self._none.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an open boundary holds; shared by all its runs."""

    snapshot: Snapshot
    store: Store
    upstream: Upstream
    approvers: Directory
    desk_keys: DeskKeys
    seal: bytes
    """The store's own key, for cursors and masks."""
    slots: HeldSlots
    pause: Callable[[float], Awaitable[None]]
    """Waits so many seconds before the next attempt or question."""
    calls: Calls = field(default_factory=Calls)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])
    """Writes that are being finished in the background (O3)."""
    polls: dict[str, tuple[float, int]] = field(default_factory=dict[str, tuple[float, int]])
    """Long operation → monotonic time of the next poll, and how many there were (O4)."""

    def now(self) -> datetime:
        """Return the store's time (S6)."""
        return self.store.now()

    def upstream_name(self) -> dict[str, str]:
        """Return what a proposal says of the upstream that it is for (P2)."""
        upstream = self.upstream
        return {
            "name": upstream.name,
            "origin": upstream.origin,
            "environment": upstream.environment,
        }

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start work that outlives its caller; closing the boundary waits for it."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        """Forget a task; an error that no caller waits for any more is not asyncio's to log, with its trace (R4)."""
        self.tasks.discard(task)
        if not task.cancelled():
            task.exception()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: whose, of which tool, until when."""

    parts: Parts
    run: RunRow
    caller: Caller
    contract: frozen.Contract
    request_id: str = field(default_factory=lambda: mint_id("rq"))
    root_request_id: str | None = None
    until: float = 0.0
    """Monotonic time at which the call's total timeout ends (L5)."""

    @property
    def write(self) -> frozen.WriteTerms:
        """Return the terms of a write."""
        if self.contract.write is None:
            raise ValueError(f"{self.contract.id} is a read")
        return self.contract.write

    def cause(self, actor: str | None = None) -> Cause:
        """Return what the audit rows of this call's changes name."""
        return Cause(
            tenant=self.run.tenant,
            request_id=self.request_id,
            root_request_id=self.root_request_id,
            actor=actor or f"agent:{self.run.agent}",
            run_id=self.run.run_id,
            tool=self.contract.id,
        )

    def scope(self, arguments: dict[str, Any], **roots: Any) -> Scope:
        """Return what templates may name: the arguments, the run, the environment, and further roots."""
        person = {} if self.run.person is None else {"person": self.run.person}
        run = {
            "tenant": self.run.tenant,
            "agent": self.run.agent,
            **person,
            "context": dict(self.run.context),
        }
        environment = self.parts.upstream.environment
        return Scope(arguments, {"run": run, "environment": environment, **roots})

    async def send(self, built: BuiltRequest, contract: frozen.Contract) -> Answer:
        """Send a request of this call once, within what is left of its time; raises as `Upstream.send`.

        A write whose time is over never leaves: the process slept, and somebody else may have taken it over (L5, S5).
        """
        from toolcharter_runtime.upstream.errors import NotSent

        left = self.left()
        if left <= 0 and contract.effect == "write":
            raise NotSent("no time was left for the request")
        left = max(0.001, left)
        return await self.parts.upstream.send(
            built, contract.auth, self.caller, contract, contract.timeout, left
        )

    def left(self) -> float:
        """Return the seconds left of the call's total timeout."""
        return self.until - time.monotonic()


def deadline_after(seconds: float, now: datetime, *ends: datetime | None) -> float:
    """Return the monotonic time after `seconds`, or at the earliest of `ends` if that is sooner (L5)."""
    for end in ends:
        if end is not None:
            seconds = min(seconds, (end - now).total_seconds())
    return time.monotonic() + seconds
