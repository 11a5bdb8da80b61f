"""TC601."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["ToolWithoutDescription"]


class ToolWithoutDescription(ToolRule):
    """Finds tools that tell the model nothing about themselves.

    Why: the model picks a tool by its description: what it does, when to use it, when not.

    Bad:

        get_customer: {operation: getCustomer, effect: read}      # and the API describes nothing either

    Good:

        get_customer:
          operation: getCustomer
          effect: read
          description: One customer with name, e-mail, current address and version.
    """

    code = "TC601"
    name = "tool-without-description"
    severity = "warning"
    hint = "Add `description`: one or two sentences."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if not tool.contract.hidden and not tool.contract.description.strip():
            origin = place(api.charter, "tools", tool.contract.tool, "description")
            yield Finding(f"{tool.contract.tool} has no description", origin, tool.contract.tool)
