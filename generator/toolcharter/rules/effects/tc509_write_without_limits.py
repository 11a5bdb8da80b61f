"""TC509."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutLimits"]


class WriteWithoutLimits(CharterRule):
    """Finds writes that a run may ask for any number of times.

    Why: a loop in an agent's reasoning asks for the same thing a hundred times; every proposal lands on a person's desk.

    Bad:

        refund: {effect: write}

    Good:

        refund:
          effect: write
          limits: {per_run: 5, total: {amount: 200000}}
    """

    code = "TC509"
    name = "write-without-limits"
    severity = "warning"
    hint = "Add `limits: {per_run: N}` to the tool or to `defaults`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        shared = charter.defaults.limits
        for name, tool in tools_of(charter, "write"):
            own = tool.limits.per_run if tool.limits else None
            if own is None and (shared is None or shared.per_run is None):
                origin = place(charter, "tools", name, "limits")
                yield Finding(f"{name} is a write without a limit per run", origin, name)
