"""TC603."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of

__all__ = ["AmbiguousInputName"]

_AMBIGUOUS = frozenset(
    {"id", "value", "type", "data", "item", "object", "key", "number", "text1", "param", "arg"}
)


class AmbiguousInputName(ToolRule):
    """Finds inputs called `id`, `value`, `type` and the like, without a description.

    Why: an id of what? The name of an input is the shortest documentation that a model has.

    Bad:

        input: {id: path.id}

    Good:

        input: {customer: path.id}
    """

    code = "TC603"
    name = "ambiguous-input-name"
    severity = "warning"
    hint = "Name it after the thing, with `to` for its place, or describe it."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.contract.hidden:
            return
        for node in input_nodes(tool.contract):
            if not node.path or node.path[-1] not in _AMBIGUOUS or "const" in node.schema:
                continue
            use = tool.contract.inputs.get(".".join(node.path))
            if node.schema.get("description") or (use is not None and use.description):
                continue
            yield Finding(
                f"{tool.contract.tool}: `{node.name}` does not say what it names",
                place_of(tool, "input", node.path),
                tool.contract.tool,
            )
