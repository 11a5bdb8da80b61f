"""TC306."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import branches_of, input_nodes, place_of

__all__ = ["WideUnion"]

_WIDE = 8


class WideUnion(ToolRule):
    """Finds unions of more than eight branches.

    Why: a tool of twelve branches is twelve tools with one approval.

    Bad:

        input: {event: {to: /event, branches: {created: {…}, moved: {…}, …}}}      # twelve of them

    Good:

        input: {event: {to: /event, branches: {created: {…}, moved: {…}}}}
    """

    code = "TC306"
    name = "wide-union"
    severity = "warning"
    hint = "List fewer branches, or make a tool for each group of them."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            count = len(branches_of(node.schema))
            if count > _WIDE:
                yield Finding(
                    f"{tool.contract.tool}: `{node.name}` has {count} branches",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
