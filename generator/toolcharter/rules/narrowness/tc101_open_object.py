"""TC101."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import as_map, input_nodes, place_of, types_of

__all__ = ["OpenObject"]


class OpenObject(ToolRule):
    """Finds inputs that are objects and accept fields which nobody listed; a map of described values is none.

    Why: an unknown field that is accepted is either lost in silence or acted on without review. Only what is listed
    exists.

    Bad:

        input: {address: {to: /address, type: object}}

    Good:

        input: {line1: /address/line1, city: /address/city}
    """

    code = "TC101"
    name = "open-object"
    hint = "List the fields as inputs with places below the object (`fields`), or say what a map's values are (`values`)."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            if "object" not in types_of(node.schema) and "properties" not in node.schema:
                continue
            rest = [
                node.schema.get(key) for key in ("additionalProperties", "unevaluatedProperties")
            ]
            is_map = any(as_map(value) for value in rest)
            if False not in rest and not is_map:
                yield Finding(
                    f"{tool.contract.tool} takes an open object as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
