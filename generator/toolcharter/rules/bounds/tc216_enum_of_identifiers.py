"""TC216."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of

__all__ = ["EnumOfIdentifiers"]

_IDENTIFIER = re.compile(r"(?=.*[0-9])[A-Za-z]{0,6}[-_]?[0-9A-Fa-f-]{3,40}")
_LONG = 30


class EnumOfIdentifiers(ToolRule):
    """Finds enums whose values are identifiers of records, or that are very long.

    Why: vocabulary is stable, records are not. An enum of today's warehouses refuses tomorrow's; a read resolves an
    identifier and is asked again at the commit.

    Bad:

        input: {warehouse: {to: /warehouse, enum: [W-1001, W-1002, W-1007]}}

    Good:

        input: {warehouse: {to: /warehouse, pattern: "^W-[0-9]{4}$", resolved_by: list_warehouses}}
    """

    code = "TC216"
    name = "enum-of-identifiers"
    severity = "warning"
    hint = "Give it a pattern and `resolved_by`, a read that knows today's values."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            values = [value for value in node.schema.get("enum") or () if isinstance(value, str)]
            are_ids = len(values) > 1 and all(_IDENTIFIER.fullmatch(value) for value in values)
            if are_ids or len(values) > _LONG:
                what = "identifiers" if are_ids else f"{len(values)} values"
                yield Finding(
                    f"{tool.contract.tool}: `{node.name}` is an enum of {what}",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
