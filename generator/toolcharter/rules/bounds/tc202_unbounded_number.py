"""TC202."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import Schema, input_nodes, place_of, types_of

__all__ = ["UnboundedNumber"]


class UnboundedNumber(ToolRule):
    """Finds numbers without a lower or an upper bound; in a read, one that has one of them is a warning.

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
                is_half = len(missing) == 1 and tool.contract.effect == "read"
                yield Finding(
                    f"{tool.contract.tool} takes a number without {' and '.join(missing)} as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                    severity="warning" if is_half else None,
                )

    def _missing(self, schema: Schema) -> list[str]:
        if not types_of(schema) & {"integer", "number"} or "enum" in schema or "const" in schema:
            return []
        lacking = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
        return [f"a {pair[0]}" for pair in lacking if not any(key in schema for key in pair)]
