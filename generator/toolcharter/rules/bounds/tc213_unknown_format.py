"""TC213."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._formats import ASSERTED
from toolcharter.rules._schemas import input_nodes, place_of, types_of

__all__ = ["UnknownFormat"]


class UnknownFormat(ToolRule):
    """Finds formats that nothing here checks.

    Why: a format that is not asserted is a comment. What the API means by it has to be said by a pattern.

    Bad:

        input: {account: {to: /iban, format: iban, maxLength: 34}}

    Good:

        input: {account: {to: /iban, pattern: "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$"}}
    """

    code = "TC213"
    name = "unknown-format"
    severity = "warning"
    hint = "Say it as a pattern beside or instead of the format."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            form = node.schema.get("format")
            if not isinstance(form, str) or form in ASSERTED or "pattern" in node.schema:
                continue
            if types_of(node.schema) and "string" not in types_of(node.schema):
                continue
            yield Finding(
                f"{tool.contract.tool}: the format `{form}` of `{node.name}` is not checked",
                place_of(tool, "input", node.path),
                tool.contract.tool,
            )
