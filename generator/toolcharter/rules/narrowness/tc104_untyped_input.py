"""TC104."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import Node, branches_of, input_nodes, place_of, types_of

__all__ = ["UntypedInput"]

_TYPING = ("const", "enum", "properties", "allOf", "not", "required")


class UntypedInput(ToolRule):
    """Finds inputs that accept any JSON value, or lists whose items do.

    Why: what is not typed is not checked; a model will find every shape that the API did not expect.

    Bad:

        input: {inputs: {to: /inputs}}           # the description says only `{}`

    Good:

        input: {environment: {to: /inputs/environment, type: string, enum: [staging, production]}}
    """

    code = "TC104"
    name = "untyped-input"
    hint = "State the type in the charter: `type`, with an enum, a pattern or bounds."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            if self._is_untyped(node):
                yield Finding(
                    f"{tool.contract.tool} takes any value as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
            elif "array" in types_of(node.schema) and not self._is_filled(node):
                yield Finding(
                    f"{tool.contract.tool} takes a list of anything as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _is_filled(self, node: Node) -> bool:
        """Say whether each element of a list is described; behind a tuple nothing else may stand."""
        rest = [node.schema.get(key) for key in ("items", "unevaluatedItems")]
        is_empty = node.schema.get("maxItems") == 0 or "enum" in node.schema
        return any(isinstance(value, dict) for value in rest) or False in rest or is_empty

    def _is_untyped(self, node: Node) -> bool:
        schema = node.schema
        return not (
            types_of(schema) or branches_of(schema) or any(key in schema for key in _TYPING)
        )
