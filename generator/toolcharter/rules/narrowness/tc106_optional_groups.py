"""TC106."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import (
    Schema,
    as_list,
    as_map,
    input_nodes,
    parts_of,
    place_of,
)

__all__ = ["OptionalGroups"]


class OptionalGroups(ToolRule):
    """Finds objects whose only union is of groups of required fields: "either these, or those".

    Why: the choice is real and nothing names it. A model reads a flat list of optional fields, and learns from a refusal
    that two of them exclude each other.

    Bad:

        {type: object, properties: {email: {}, phone: {}}, anyOf: [{required: [email]}, {required: [phone]}]}

    Good:

        input: {email: {to: /email, required: true}}        # one tool per group
    """

    code = "TC106"
    name = "optional-groups"
    severity = "warning"
    hint = "Make one tool per group, with the group's fields `required: true`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        definitions = as_map(tool.contract.arguments.get("$defs"))
        for node in input_nodes(tool.contract):
            if any(self._is_choice(part) for part in parts_of(node.schema, definitions)):
                yield Finding(
                    f"{tool.contract.tool}: `{node.name}` takes one group of fields or another, and nothing names them",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _is_choice(self, part: Schema) -> bool:
        unions = [as_list(part.get(key)) for key in ("oneOf", "anyOf")]
        return any(
            len(union) > 1 and all(set(as_map(branch)) == {"required"} for branch in union)
            for union in unions
        )
