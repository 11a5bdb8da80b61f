"""The synchronous edge: one event loop in a thread of its own, and calls that wait for it. The core has no twin."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Generator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, overload

from .calls.proposed import Proposal
from .capability import BoundaryError
from .codes import ErrorCode
from .declare import Commit, Preview, ReadTool
from .envelope import Failure, Success
from .run import A, E, R, Run

if TYPE_CHECKING:
    from typing import Self, Unpack

    from .caller import Caller
    from .listing import ListedTool

__all__ = ["BlockingBoundary", "BlockingRun", "RunOptions"]

T = TypeVar("T")


class RunOptions(TypedDict, total=False):
    """What `Boundary.run` takes beside role and caller."""

    purpose: str | None
    context: Mapping[str, Any] | None
    deadline: datetime | None
    versions: Mapping[str, int] | None


class _Boundary(Protocol):
    """What the edge needs of a boundary."""

    async def __aenter__(self) -> Any: ...
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def run(self, *args: Any, **options: Any) -> AbstractAsyncContextManager[Run]: ...
    def resume(self, run_id: str, caller: Caller) -> AbstractAsyncContextManager[Run]: ...


class BlockingRun:
    """A run for synchronous code."""

    def __init__(self, run: Run, edge: BlockingBoundary) -> None:
        self._run = run
        self._edge = edge

    @property
    def id(self) -> str:
        """Return the run's id."""
        return self._run.id

    def tools(self) -> tuple[ListedTool, ...]:
        """Return the tools that this run may call."""
        return self._run.tools()

    @overload
    def call(
        self, tool: str, arguments: Mapping[str, Any] | str | bytes, /
    ) -> Success[Any] | Failure[ErrorCode]: ...
    @overload
    def call(self, tool: ReadTool[A, R, E], arguments: A, /) -> Success[R] | Failure[E]: ...
    @overload
    def call(self, tool: Preview[A, E], arguments: A, /) -> Success[Proposal] | Failure[E]: ...
    @overload
    def call(
        self, tool: Commit[R, E], proposal: str | Proposal | Success[Proposal], /
    ) -> Success[R] | Failure[E]: ...
    def call(self, tool: Any, arguments: Any, /) -> Any:
        """Call a tool as `Run.call` does, and wait for the reply."""
        return self._edge.wait(self._run.call(tool, arguments))


class BlockingBoundary:
    """A boundary for synchronous code: `with boundary.blocking() as edge, edge.run(…) as run: run.call(…)`."""

    def __init__(self, boundary: _Boundary) -> None:
        self._boundary = boundary
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="toolcharter", daemon=True)
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        """Start the loop and open the boundary in it."""
        self._thread.start()
        try:
            self.wait(self._boundary.__aenter__())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the boundary and stop the loop."""
        try:
            self.wait(self._boundary.__aexit__(kind, error, trace))
        finally:
            self._stop()

    @contextmanager
    def run(
        self, *, role: str, caller: Caller, **options: Unpack[RunOptions]
    ) -> Generator[BlockingRun]:
        """Open a run; options as of `Boundary.run`."""
        with self._entered(self._boundary.run(role=role, caller=caller, **options)) as run:
            yield run

    @contextmanager
    def resume(self, run_id: str, caller: Caller) -> Generator[BlockingRun]:
        """Open a run again."""
        with self._entered(self._boundary.resume(run_id, caller)) as run:
            yield run

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the boundary's loop and return what it gives; `BoundaryError` once the edge is closed."""
        with self._lock:
            if self._closed:
                work.close()
                raise BoundaryError("the boundary is closed")
            waiting = asyncio.run_coroutine_threadsafe(work, self._loop)
        return waiting.result()

    @contextmanager
    def _entered(self, opening: AbstractAsyncContextManager[Run]) -> Generator[BlockingRun]:
        async def enter() -> Run:
            return await opening.__aenter__()

        async def leave() -> None:
            await opening.__aexit__(None, None, None)

        run = self.wait(enter())
        try:
            yield BlockingRun(run, self)
        finally:
            self.wait(leave())

    def _serve(self) -> None:
        """Run the loop until it is stopped, then end what is left in it, so that no thread waits for ever."""
        self._loop.run_forever()
        self._loop.run_until_complete(asyncio.sleep(0))  # what was handed over last begins
        while left := asyncio.all_tasks(self._loop):
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))

    def _stop(self) -> None:
        with self._lock:
            self._closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
