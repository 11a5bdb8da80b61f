"""TC201."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, is_bounded_text, place_of, types_of

__all__ = ["UnboundedText"]


class UnboundedText(ToolRule):
    """Finds text inputs of any length.

    Why: a model that is stuck repeats itself; without a length the whole of it goes upstream, and onto the approver's page.

    Bad:

        input: {text: /text}             # {type: string}

    Good:

        input: {text: {to: /text, maxLength: 4000}}
    """

    code = "TC201"
    name = "unbounded-text"
    hint = "Add `maxLength`, an enum or a bounded pattern; or a ceiling for all: `ceilings: {string: 2000}`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            if "string" in types_of(node.schema) and not is_bounded_text(node.schema):
                yield Finding(
                    f"{tool.contract.tool} takes text of any length as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
