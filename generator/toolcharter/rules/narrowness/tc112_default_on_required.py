"""TC112."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of

__all__ = ["DefaultOnRequired"]


class DefaultOnRequired(ToolRule):
    """Finds inputs that are required and have a default.

    Why: one of the two is never used. A model that reads the default leaves the field out, and is refused.

    Bad:

        input: {currency: {to: /currency, enum: [EUR, USD], default: EUR, required: true}}

    Good:

        input: {currency: {to: /currency, enum: [EUR, USD], required: true}}
    """

    code = "TC112"
    name = "default-on-required"
    severity = "warning"
    hint = "Drop one of the two: `required: false` beside the default, or the default."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            if node.path and node.path[-1] != "*" and node.is_required and "default" in node.schema:
                yield Finding(
                    f"{tool.contract.tool}: `{node.name}` is required and has a default",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
