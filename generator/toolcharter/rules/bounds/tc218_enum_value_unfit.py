"""TC218."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.resolve.kinds import has_type
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import Schema, as_list, input_nodes, place_of, types_of

__all__ = ["EnumValueUnfit"]


class EnumValueUnfit(ToolRule):
    """Finds enums with a value twice, or with one that its own type refuses.

    Why: such a value can never be sent, and a model that reads it in the list will try it. Mostly an unquoted `on` or
    `2024` was meant as text.

    Bad:

        {type: string, enum: [draft, 1, draft]}            # in the description

    Good:

        input: {state: {to: /state, enum: [draft]}}
    """

    code = "TC218"
    name = "enum-value-unfit"
    severity = "warning"
    hint = "List the values that can be sent under `enum` in the charter, each once."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            flaw = self._flaw(node.schema)
            if flaw:
                yield Finding(
                    f"{tool.contract.tool}: the enum of `{node.name}` has {flaw}",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _flaw(self, schema: Schema) -> str:
        values = [value for value in as_list(schema.get("enum")) if value is not None]
        if len({(type(value).__name__, repr(value)) for value in values}) < len(values):
            return "a value twice"
        types = types_of(schema)
        if types and not all(any(has_type(v, kind) for kind in types) for v in values):
            return "a value of another type than its own"
        return ""
