"""TC508."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter_runtime.frozen import Contract

__all__ = ["DeadlineInverted"]


class DeadlineInverted(ToolRule):
    """Finds waits that cannot end before what bounds them: an error in a write, a warning in a read.

    Why: a read time of 60 s under a total of 30 s is never waited for, and an operation that is asked every hour for half
    an hour is asked once. Whoever wrote the longer one believes in it.

    Bad:

        timeout: {read: 60s, total: 30s}

    Good:

        timeout: {read: 20s, total: 30s}
    """

    code = "TC508"
    name = "deadline-inverted"
    hint = "Make `total` the longest of `timeout`, and `deadline` longer than `every`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for key, message in self._flaws(tool.contract):
            yield Finding(
                f"{tool.contract.tool}: {message}",
                place(api.charter, "tools", tool.contract.tool, key),
                tool.contract.tool,
                severity="warning" if tool.contract.effect == "read" else None,
            )

    def _flaws(self, contract: Contract) -> Iterator[tuple[str, str]]:
        timeout = contract.timeout
        for name, wait in (("connect", timeout.connect), ("read", timeout.read)):
            if wait > timeout.total:
                yield "timeout", f"`{name}` waits longer than `total` allows"
        follow = contract.write.follow if contract.write is not None else None
        if follow is not None and follow.every >= follow.deadline:
            yield "follow", "`every` is as long as `deadline`, so the state is asked for once"
