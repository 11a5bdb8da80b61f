"""TC203."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of, types_of
from toolcharter.rules.bounds._money import is_money
from toolcharter.rules.outputs._fields import fields_of

__all__ = ["MoneyAsFloat"]


class MoneyAsFloat(ToolRule):
    """Finds amounts of money as floating-point numbers: an error in an input, a warning in a view.

    Why: 0.1 + 0.2 is not 0.3; a model cannot know the minor unit, and equal amounts may hash to different requests.

    Bad:

        input: {amount: {to: /amount, type: number, minimum: 0.01, maximum: 500}}

    Good:

        input: {amount: {to: /amount, type: integer, minimum: 1, maximum: 50000, money: {unit: minor, currency: currency}}}
    """

    code = "TC203"
    name = "money-as-float"
    hint = "Use whole minor units (`type: integer`), or a decimal string with a pattern."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        name = tool.contract.tool
        for node in input_nodes(tool.contract):
            use = tool.contract.inputs.get(node.path[0]) if node.path else None
            is_amount = is_money(node.field) or (use is not None and use.money is not None)
            if is_amount and "number" in types_of(node.schema) and "enum" not in node.schema:
                origin = place_of(tool, "input", node.path)
                yield Finding(
                    f"{name} takes money as a floating-point number: `{node.name}`", origin, name
                )
        for path, field in fields_of(tool.contract.view.fields):
            is_amount = field.money is not None or is_money(field.name)
            if is_amount and "number" in types_of(field.accepts):
                yield Finding(
                    f"{name} shows money as a floating-point number: `{'.'.join(path)}`",
                    place_of(tool, "view", path),
                    name,
                    severity="warning",
                )
