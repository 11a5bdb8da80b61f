"""Spans and counts of calls: tool, version, code, status; nothing of arguments, results or exceptions (T1)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from opentelemetry import metrics, trace

from .envelope import Failure, Success

__all__ = ["CallSpan", "call_span"]

_TRACER: Final = trace.get_tracer("toolcharter")
_CALLS: Final = metrics.get_meter("toolcharter").create_counter(
    "toolcharter.calls", description="Calls of tools by tool, status and code"
)


class CallSpan:
    """What one call's span may say."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self._tool = "(unknown)"

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


@contextmanager
def call_span(request_id: str, run_id: str) -> Generator[CallSpan]:
    """Open the span of one call; an exception that passes leaves no text in it."""
    with _TRACER.start_as_current_span(
        "toolcharter.call",
        attributes={"toolcharter.request_id": request_id, "toolcharter.run_id": run_id},
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        yield CallSpan(span)
