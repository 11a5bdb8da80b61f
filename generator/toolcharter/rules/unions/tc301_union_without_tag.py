"""TC301."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import as_map, input_nodes, place_of
from toolcharter.rules.unions._tags import object_branches, tag_of, told_apart

__all__ = ["UnionWithoutTag"]


class UnionWithoutTag(ToolRule):
    """Finds unions of objects that nothing tells apart: an error in a write, a warning in a read.

    Why: if a value fits two branches, which one happens is decided by the reader. A tag, a required constant of its own
    in every branch, decides it in writing; so does a field that one branch requires and the others do not have.

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
            objects = object_branches(node.schema, definitions)
            if len(objects) > 1 and tag_of(objects) is None and not told_apart(objects):
                yield Finding(
                    f"{tool.contract.tool}: nothing tells the branches of `{node.name}` apart",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                    severity="warning" if tool.contract.effect == "read" else None,
                )
