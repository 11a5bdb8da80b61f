"""TC202."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import Schema, input_nodes, place_of, types_of

__all__ = ["UnboundedNumber"]


class UnboundedNumber(ToolRule):
    """Finds numbers without a lower or an upper bound: an error in a write, a warning in a read.

    Why: the largest amount that the API accepts is the largest mistake that a model can make.

    Bad:

        input: {amount: /amount}          # {type: integer}

    Good:

        input: {amount: {to: /amount, minimum: 1, maximum: 50000}}
    """

    code = "TC202"
    name = "unbounded-number"
    hint = "Add `minimum` and `maximum`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            missing = self._missing(node.schema)
            if missing:
                yield Finding(
                    f"{tool.contract.tool} takes a number without {missing} as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                    severity="error" if tool.contract.effect == "write" else "warning",
                )

    def _missing(self, schema: Schema) -> str:
        if not types_of(schema) & {"integer", "number"} or "enum" in schema or "const" in schema:
            return ""
        lacking = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
        return " and ".join(
            f"a {pair[0]}" for pair in lacking if not any(key in schema for key in pair)
        )
