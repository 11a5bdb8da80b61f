"""TC302."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import Schema, as_list, as_map, input_nodes, place_of, types_of
from toolcharter.rules.unions._tags import plain_branches

__all__ = ["OverlappingBranches"]


class OverlappingBranches(ToolRule):
    """Finds unions of plain values in which two branches accept the same value.

    Why: `2026-03-01` is a date, and a text. The value that is sent is the same either way; what it means is then decided
    by a reader whom nobody asked.

    Bad:

        input: {due: {to: /due}}            # {anyOf: [{type: string, format: date}, {type: string}]}

    Good:

        input: {due: {to: /due, format: date}}
    """

    code = "TC302"
    name = "overlapping-branches"
    severity = "warning"
    hint = (
        "Say in the charter which of the kinds is meant: `branch`, `format`, `pattern` or `enum`."
    )

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        definitions = as_map(tool.contract.arguments.get("$defs"))
        for node in input_nodes(tool.contract):
            if self._overlap(plain_branches(node.schema, definitions)):
                yield Finding(
                    f"{tool.contract.tool}: a value may be of two kinds as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _overlap(self, branches: tuple[Schema, ...]) -> bool:
        """Say whether two branches of plain values have a type in common and no values of their own."""
        seen: set[str] = set()
        for branch in branches:
            values = [branch["const"]] if "const" in branch else as_list(branch.get("enum"))
            types = {"number" if name == "integer" else name for name in types_of(branch)}
            marks = {repr(v) for v in values} if values else {f"type {name}" for name in types}
            if marks & seen:
                return True
            seen |= marks
        return False
