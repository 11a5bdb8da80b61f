"""TC802."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["DeprecatedOperation"]


class DeprecatedOperation(ToolRule):
    """Finds tools over operations that the description calls deprecated.

    Why: the operation will go away, and the tool with it, on a day that the API's owner chooses.

    Bad:

        get_customer: {operation: getCustomerV1}      # deprecated: true

    Good:

        get_customer: {operation: getCustomer}
    """

    code = "TC802"
    name = "deprecated-operation"
    severity = "warning"
    hint = "Use the operation that replaces it, or silence TC802 until the day it goes."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.operation.deprecated:
            yield Finding(
                f"{tool.contract.tool} uses a deprecated operation, {tool.contract.operation}",
                place(api.charter, "tools", tool.contract.tool, "operation"),
                tool.contract.tool,
            )
