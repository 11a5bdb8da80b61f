"""TC205."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool, has_bound
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of, types_of

__all__ = ["UnboundedList"]


class UnboundedList(ToolRule):
    """Finds list inputs that may hold any number of items.

    Why: the number of items is the number of records that one call may touch.

    Bad:

        input: {labels: /labels}          # {type: array, items: {type: string}}

    Good:

        input: {labels: {to: /labels, maxItems: 10}}
    """

    code = "TC205"
    name = "unbounded-list"
    hint = "Add `maxItems`; or a ceiling for all: `ceilings: {array: 100}`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            if "array" in types_of(node.schema) and not has_bound(node.schema, "maxItems"):
                yield Finding(
                    f"{tool.contract.tool} takes a list of any length as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
