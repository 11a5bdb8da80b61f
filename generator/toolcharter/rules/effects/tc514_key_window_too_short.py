"""TC514."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["KeyWindowTooShort"]


class KeyWindowTooShort(ToolRule):
    """Finds keys that the upstream may forget before the boundary has asked for the outcome.

    Why: the window runs from the first send. A key that is forgotten while the answer is still awaited, or before the
    status was asked, turns a repeat into a second effect.

    Bad:

        timeout: {total: 60s}
        idempotency: {by: key, window: 1m}

    Good:

        timeout: {total: 60s}
        idempotency: {by: key, window: 24h}
    """

    code = "TC514"
    name = "key-window-too-short"
    severity = "warning"
    hint = "Shorten `timeout.total`, or ask the API's owner for a longer window."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        write = tool.contract.write
        if write is None or write.idempotency.by != "key" or write.idempotency.window is None:
            return
        asked = 0.0
        if write.unknown is not None:
            question = api.tool(write.unknown.read.tool.rpartition(".v")[0])
            asked = question.contract.timeout.total * write.unknown.pages if question else 0.0
        needed = tool.contract.timeout.total + asked
        if write.idempotency.window < needed:
            yield Finding(
                f"{tool.contract.tool}: the key is kept for {write.idempotency.window} s, and an answer with the question"
                f" after it may take {needed:g} s",
                place(api.charter, "tools", tool.contract.tool, "idempotency", "window"),
                tool.contract.tool,
            )
