"""Spans and counts of calls: tool, version, code, status; nothing of arguments, results or exceptions (T1)."""

from __future__ import annotations

from contextvars import Token
from types import TracebackType
from typing import Final, Self

from opentelemetry import context, metrics, trace

from .envelope import Failure, Success

__all__ = ["CallSpan"]

_TRACER: Final = trace.get_tracer("toolcharter")
_CALLS: Final = metrics.get_meter("toolcharter").create_counter(
    "toolcharter.calls", description="Calls of tools by tool, status and code"
)


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
            self._span.end()

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
