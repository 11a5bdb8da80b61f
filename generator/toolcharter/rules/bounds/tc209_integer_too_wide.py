"""TC209."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of, types_of

__all__ = ["IntegerTooWide"]

_EXACT = 2**53 - 1


class IntegerTooWide(ToolRule):
    """Finds integers beyond what JSON readers keep exactly.

    Why: above 2^53 - 1 some readers round to a neighbour, which may be another customer's number, and the canonical form
    that digests are made over cannot hold it.

    Bad:

        input: {account: {to: path.account, minimum: 0, maximum: 9223372036854775807}}

    Good:

        input: {account: {to: path.account, minimum: 0, maximum: 9007199254740991}}
    """

    code = "TC209"
    name = "integer-too-wide"
    severity = "warning"
    hint = "Bound it by 9007199254740991, or take it as a string of digits."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            if "integer" not in types_of(node.schema):
                continue
            bounds = [node.schema.get(key) for key in ("minimum", "maximum")]
            if any(isinstance(bound, int) and abs(bound) > _EXACT for bound in bounds):
                yield Finding(
                    f"{tool.contract.tool} takes integers that JSON readers round as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
