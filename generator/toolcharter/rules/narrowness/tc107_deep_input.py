"""TC107."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of

__all__ = ["DeepInput"]

_DEEP = 4


class DeepInput(ToolRule):
    """Finds inputs nested deeper than four levels.

    Why: models lose braces and put fields one level off; places let the charter flatten what the API nests.

    Bad:

        input: {filter: {to: /filter, branches: {…}}}       # filter.and.*.or.*.field

    Good:

        input: {run: {to: /filter/and/0/or/0/id}}
    """

    code = "TC107"
    name = "deep-input"
    severity = "warning"
    hint = "Give the inner fields names of their own, with places that reach down."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        deepest = max(input_nodes(tool.contract), key=lambda node: len(node.path))
        if len(deepest.path) > _DEEP:
            yield Finding(
                f"{tool.contract.tool} nests `{deepest.name}` {len(deepest.path)} levels deep",
                place_of(tool, "input", deepest.path),
                tool.contract.tool,
            )
