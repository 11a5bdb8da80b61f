"""TC303."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._described import contradicted_tags
from toolcharter.rules._schemas import as_map, input_nodes, place_of
from toolcharter.rules.unions._tags import object_branches

__all__ = ["TagContradicted"]


class TagContradicted(ToolRule):
    """Finds unions whose discriminator names a branch by a value that the branch itself refuses, or has no field for.

    Why: one reader goes by the mapping, another by the constant in the branch, and the same arguments are two different
    calls. An error in a write, a warning in a read.

    Bad:

        discriminator: {propertyName: kind, mapping: {new: "#/components/schemas/New"}}    # New: {kind: {const: fresh}}

    Good:

        discriminator: {propertyName: kind, mapping: {fresh: "#/components/schemas/New"}}
    """

    code = "TC303"
    name = "tag-contradicted"
    hint = "Mend the description (an overlay can), or take one branch with `branch`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        definitions = as_map(tool.contract.arguments.get("$defs"))
        unions = [
            (node, {name for b in branches for name in as_map(b.get("properties"))})
            for node in input_nodes(tool.contract)
            if len(branches := object_branches(node.schema, definitions)) > 1
        ]
        if not unions:
            return
        for body in tool.operation.bodies.values():
            for tag, value in contradicted_tags(body.schema, api.description):
                for node, names in unions:
                    if tag in names:
                        yield Finding(
                            f"{tool.contract.tool}: the branch of `{node.name}` that `{tag}: {value}` names refuses it",
                            place_of(tool, "input", node.path),
                            tool.contract.tool,
                            severity="warning" if tool.contract.effect == "read" else None,
                        )
