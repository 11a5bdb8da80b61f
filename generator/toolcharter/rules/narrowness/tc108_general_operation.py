"""TC108."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._general import is_general
from toolcharter.rules._schemas import bindings_of
from toolcharter_runtime.language import references

__all__ = ["GeneralOperation"]


class GeneralOperation(ToolRule):
    """Finds tools over operations that carry out whatever they are sent (`/graphql`, `/batch`, `/rpc`), with nothing fixed.

    Why: such an operation has every effect of the API. Where the charter fixes which one, the tool is as narrow as any
    other; where it fixes nothing, effect, approval and summary describe one of the things that a call may do.

    Bad:

        call: {operation: "POST /rpc", effect: write, input: {method: /method, id: /params/id}}

    Good:

        close_issue: {operation: "POST /rpc", effect: write, send: {/method: close_issue}, input: {issue: /params/id}}
    """

    code = "TC108"
    name = "general-operation"
    silenceable = True
    hint = (
        "Fix the action as a constant under `send`, or use the operation that does this one thing."
    )

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        contract = tool.contract
        if not is_general(contract.request.path, tool.operation.operation_id):
            return
        in_body = [value for at, value in bindings_of(contract) if at.startswith("/")]
        if any(value is not None and not references(value) for value in in_body):
            return
        yield Finding(
            f"{contract.tool} carries out whatever it is sent: {contract.operation}",
            place(api.charter, "tools", contract.tool, "operation"),
            contract.tool,
            severity="warning" if contract.effect == "read" else None,
        )
