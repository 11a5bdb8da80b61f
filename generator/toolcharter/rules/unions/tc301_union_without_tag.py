"""TC301."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import (
    Schema,
    as_list,
    as_map,
    branches_of,
    input_nodes,
    place_of,
    types_of,
)
from toolcharter.rules.unions._tags import object_branches, resolve_branch, tag_of

__all__ = ["UnionWithoutTag"]


class UnionWithoutTag(ToolRule):
    """Finds unions whose branches nothing tells apart.

    Why: if a value fits two branches, which one happens is decided by the reader. A tag, a required constant of its own
    in every branch, decides it in writing.

    Bad:

        destination: {oneOf: [{$ref: "#/SavedAddress"}, {$ref: "#/NewAddress"}]}     # neither has a `kind`

    Good:

        saved_address: {to: /destination/address_id, required: true}       # one tool per branch
    """

    code = "TC301"
    name = "union-without-tag"
    hint = "Take one branch with `branch`, or make a tool for each; a tag must be a required constant in every branch."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        definitions = as_map(tool.contract.arguments.get("$defs"))
        for node in input_nodes(tool.contract):
            branches = [resolve_branch(b, definitions) for b in branches_of(node.schema)]
            objects = object_branches(node.schema, definitions)
            is_blurred = len(objects) > 1 and tag_of(objects) is None
            if is_blurred or self._overlap([b for b in branches if b not in objects]):
                yield Finding(
                    f"{tool.contract.tool}: nothing tells the branches of `{node.name}` apart",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _overlap(self, branches: list[Schema]) -> bool:
        """Say whether two branches of plain values have a type in common and no values of their own."""
        seen: set[str] = set()
        for branch in branches:
            values = [branch["const"]] if "const" in branch else as_list(branch.get("enum"))
            marks = (
                {repr(v) for v in values}
                if values
                else {f"type {name}" for name in types_of(branch)}
            )
            if marks & seen:
                return True
            seen |= marks
        return False
