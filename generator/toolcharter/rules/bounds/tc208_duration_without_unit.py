"""TC208."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of, types_of, words_of

__all__ = ["DurationWithoutUnit"]

_NAMES = frozenset({"timeout", "ttl", "duration", "delay", "interval", "lifetime", "retention"})
_UNITS = ("second", "minute", "hour", "day", "millis", "week", "month", " ms", " s)")


class DurationWithoutUnit(ToolRule):
    """Finds durations whose unit stands neither in the name nor in the description.

    Why: sixty seconds and sixty minutes are the same integer.

    Bad:

        input: {ttl: {to: /ttl, minimum: 1, maximum: 86400}}

    Good:

        input: {ttl: {to: /ttl, minimum: 1, maximum: 86400, description: Seconds until the link expires}}
    """

    code = "TC208"
    name = "duration-without-unit"
    severity = "warning"
    hint = "Name the unit in the input's name or description."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            words = words_of(node.field)
            if (
                not words
                or words[-1] not in _NAMES
                or not types_of(node.schema) & {"integer", "number"}
            ):
                continue
            use = tool.contract.inputs.get(node.path[0])
            text = f"{node.schema.get('description', '')} {use.description if use else ''}".lower()
            if not any(unit in text for unit in _UNITS):
                yield Finding(
                    f"{tool.contract.tool} takes a duration without its unit as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
