"""TC411."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["AcceptedAndLeft"]


class AcceptedAndLeft(ToolRule):
    """Finds writes that an API only accepts (202) and whose end nobody asks for.

    Why: "accepted" is not "done". Without `follow` the reply says no more than that work began, and what became of it is
    a person's question to somebody else.

    Bad:

        start_export: {operation: createExport, effect: write}            # answers 202 with an operation's id

    Good:

        start_export:
          operation: createExport
          effect: write
          follow: {read: get_export, with: {export: "{$answer.export}"}, every: 5s, deadline: 1h,
                   states: {succeeded: {state: done}, failed: {state: failed}}}
    """

    code = "TC411"
    name = "accepted-and-left"
    severity = "warning"
    hint = "Say with `follow` which read knows the state, or silence TC411 where there is none."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        contract = tool.contract
        if contract.write is None or contract.write.follow is not None:
            return
        is_accepted = any(rule.outcome == "accepted" for rule in contract.answers)
        if is_accepted or any(success.status == "202" for success in contract.successes):
            yield Finding(
                f"{contract.tool} may be accepted, and nothing asks what became of it",
                place(api.charter, "tools", contract.tool, "follow"),
                contract.tool,
            )
