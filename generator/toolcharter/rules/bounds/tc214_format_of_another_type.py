"""TC214."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._formats import fits_type
from toolcharter.rules._schemas import input_nodes, place_of, types_of

__all__ = ["FormatOfAnotherType"]


class FormatOfAnotherType(ToolRule):
    """Finds formats that say nothing of values of their type, such as `int32` of a text or `date` of a number.

    Why: JSON Schema passes over such a format, so the bound that its author believed in is not there. Is it a number in
    text, or a text that should be a number?

    Bad:

        count: {type: string, format: int32}               # in the description

    Good:

        input: {count: {to: query.count, pattern: "^[0-9]{1,9}$"}}
    """

    code = "TC214"
    name = "format-of-another-type"
    severity = "warning"
    hint = "Say what is meant with a pattern or bounds in the charter, and mend the description."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            form, types = node.schema.get("format"), types_of(node.schema)
            is_fenced = any(key in node.schema for key in ("pattern", "enum", "const"))
            if isinstance(form, str) and not is_fenced and not fits_type(form, types):
                yield Finding(
                    f"{tool.contract.tool}: the format `{form}` of `{node.name}` says nothing of {' or '.join(sorted(types))}",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
