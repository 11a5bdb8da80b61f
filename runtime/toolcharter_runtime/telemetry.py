"""Spans and counts of calls: tool, version, code, status; nothing of arguments, results or exceptions (T1)."""

from __future__ import annotations

import atexit
import queue
import threading
import time
from contextlib import suppress
from contextvars import Token
from types import TracebackType
from typing import Final, Self

from opentelemetry import context, metrics, trace

from .envelope import Failure, Success

__all__ = ["CallSpan", "flush"]

_TRACER: Final = trace.get_tracer("toolcharter")
_CALLS: Final = metrics.get_meter("toolcharter").create_counter(
    "toolcharter.calls", description="Calls of tools by tool, status and code"
)

_MOST_WAITING: Final = 4096
"""Spans that may wait for a slow exporter; what comes then is dropped."""
_LAST_LOOK: Final = 2.0


class _Ender:
    """Ends spans in a thread of its own, since ending one may wait for its exporter, and no call may (T4)."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[tuple[trace.Span, int] | threading.Event] = queue.Queue(
            _MOST_WAITING
        )
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def end(self, span: trace.Span) -> None:
        """End a span as of now, soon; one that records nothing, at once."""
        if not span.is_recording():
            span.end()
            return
        self._start()
        with suppress(queue.Full):
            self._waiting.put_nowait((span, time.time_ns()))

    def flush(self, seconds: float) -> bool:
        """Wait until what waits now has ended; false where it takes longer."""
        if self._thread is None:
            return True
        done = threading.Event()
        until = time.monotonic() + seconds
        try:
            self._waiting.put(done, timeout=seconds)
        except queue.Full:
            return False
        return done.wait(until - time.monotonic())

    def _start(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        with self._lock:
            if self._thread is None:
                atexit.register(self.flush, _LAST_LOOK)
            if self._thread is None or not self._thread.is_alive():  # it does not survive a fork
                self._thread = threading.Thread(
                    target=self._run, name="toolcharter-spans", daemon=True
                )
                self._thread.start()

    def _run(self) -> None:
        while True:
            item = self._waiting.get()
            if isinstance(item, threading.Event):
                item.set()
                continue
            span, at = item
            with suppress(Exception):  # an exporter's failure is its own to tell
                span.end(at)


_ENDER: Final = _Ender()


def flush(seconds: float) -> bool:
    """Wait at most so long until the spans of finished calls have ended; false where an exporter takes longer."""
    return _ENDER.flush(seconds)


class CallSpan:
    """The span of one call, current within its block, and what it may say.

    An exception that passes leaves no text in it. Where nothing traces, the current span stays as it is.
    """

    __slots__ = ("_span", "_token", "_tool")

    def __init__(self, request_id: str, run_id: str) -> None:
        said = {"toolcharter.request_id": request_id, "toolcharter.run_id": run_id}
        self._span = _TRACER.start_span("toolcharter.call", attributes=said)
        self._token: Token[context.Context] | None = None
        self._tool = "(unknown)"

    def __enter__(self) -> Self:
        """Make the span the current one."""
        if self._span is not trace.get_current_span():
            self._token = context.attach(trace.set_span_in_context(self._span))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the span and make the one before it the current one."""
        if self._token is not None:
            context.detach(self._token)
            _ENDER.end(self._span)

    def name_tool(self, tool_id: str) -> None:
        """Name the tool, once it is known to be one: a caller's own text never gets here."""
        self._tool = tool_id
        self._span.set_attribute("toolcharter.tool", tool_id)

    def end(self, reply: Success[object] | Failure[str]) -> None:
        """Say how the call ended."""
        said = {"toolcharter.tool": self._tool, "toolcharter.status": reply.status}
        if isinstance(reply, Failure):
            said["error.type"] = reply.error.code
            self._span.set_status(trace.StatusCode.ERROR)
        self._span.set_attributes(said)
        _CALLS.add(1, said)
