"""TC304."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import as_map, input_nodes, place_of
from toolcharter.rules.unions._tags import object_branches, tag_of, tag_values

__all__ = ["TagValueTwice"]


class TagValueTwice(ToolRule):
    """Finds unions in which one value of the tag names two branches.

    Why: the tag then decides nothing for that value, and generators silently fall back to guessing.

    Bad:

        oneOf:
          - {properties: {kind: {enum: [saved, new]}}, required: [kind]}
          - {properties: {kind: {const: new}}, required: [kind]}

    Good:

        oneOf:
          - {properties: {kind: {const: saved}}, required: [kind]}
          - {properties: {kind: {const: new}}, required: [kind]}
    """

    code = "TC304"
    name = "tag-value-twice"
    hint = "Mend the description with an overlay, or take one branch with `branch`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        definitions = as_map(tool.contract.arguments.get("$defs"))
        for node in input_nodes(tool.contract):
            branches = object_branches(node.schema, definitions)
            tag = tag_of(branches) if len(branches) > 1 else None
            if tag is None:
                continue
            values = [value for branch in branches for value in tag_values(branch, tag)]
            if len(values) > len(set(values)):
                yield Finding(
                    f"{tool.contract.tool}: a value of the tag `{tag}` names two branches of `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
