"""TC211."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.patterns import is_anchored
from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, patterns_of, place_of

__all__ = ["PatternNotAnchored"]


class PatternNotAnchored(ToolRule):
    """Finds patterns that match anywhere in the text.

    Why: `[0-9]+` accepts every text with one digit in it. In `^a$|b` the second half is not anchored either.

    Bad:

        input: {issue: {to: /issue, pattern: "[0-9]{1,7}"}}

    Good:

        input: {issue: {to: /issue, pattern: "^[0-9]{1,7}$"}}
    """

    code = "TC211"
    name = "pattern-not-anchored"
    severity = "warning"
    hint = "Begin it with `^` and end it with `$`, in every alternative."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            if not all(map(is_anchored, patterns_of(node.schema))):
                yield Finding(
                    f"{tool.contract.tool}: the pattern of `{node.name}` is not anchored",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
