"""TC206."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of, types_of, words_of

__all__ = ["DateWithoutFormat"]

_LAST = frozenset(
    {"at", "date", "datetime", "deadline", "expires", "since", "time", "timestamp", "until"}
)
_FENCES = ("format", "pattern", "enum", "const")


class DateWithoutFormat(ToolRule):
    """Finds dates and times that are plain text.

    Why: "next Friday", 03/04/2026 and a time without an offset are all strings; the day that is meant is anybody's guess.

    Bad:

        input: {effective_on: {to: /effective_on, type: string, maxLength: 30}}

    Good:

        input: {effective_on: {to: /effective_on, type: string, format: date}}
    """

    code = "TC206"
    name = "date-without-format"
    severity = "warning"
    hint = "Add `format: date` or `format: date-time` (RFC 3339, with an offset)."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            words = words_of(node.field)
            is_date = bool(words) and (words[-1] in _LAST or (len(words) > 1 and words[-1] == "on"))
            if (
                is_date
                and "string" in types_of(node.schema)
                and not any(k in node.schema for k in _FENCES)
            ):
                yield Finding(
                    f"{tool.contract.tool} takes a date as plain text: `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
