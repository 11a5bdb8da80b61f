"""TC114."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import place_of, recursions_of

__all__ = ["RecursiveInput"]


class RecursiveInput(ToolRule):
    """Finds inputs that may contain themselves: an error in a write, a warning in a read.

    Why: a filter of filters of filters has no depth that anybody reviewed, and no bound that a schema can state.

    Bad:

        input: {filter: /filter}           # Filter: {and: [Filter], or: [Filter]}

    Good:

        input: {email: /filter/and/0/email}
    """

    code = "TC114"
    name = "recursive-input"
    hint = "List the fields that the tool needs, with places that reach into the structure."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for name, node in recursions_of(tool.contract):
            yield Finding(
                f"{tool.contract.tool} takes `{name}`, which may contain itself, as `{node.name}`",
                place_of(tool, "input", node.path),
                tool.contract.tool,
                severity="warning" if tool.contract.effect == "read" else None,
            )
