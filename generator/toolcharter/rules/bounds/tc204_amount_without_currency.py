"""TC204."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import Node, input_nodes, place_of, types_of, words_of
from toolcharter.rules.bounds._money import is_money

__all__ = ["AmountWithoutCurrency"]

_COUNTED = ("count", "pages", "items", "number", "quantity", "percent", "rate")


class AmountWithoutCurrency(ToolRule):
    """Finds amounts of money in a write with nothing that says in which currency, or in which unit.

    Why: 5000 is fifty euros, or five thousand yen, or a hundred times what was meant. The approver's page can show an
    amount as people read it only when the charter says how it is counted.

    Bad:

        input: {amount: {to: /amount, minimum: 1, maximum: 50000}}

    Good:

        input: {amount: {to: /amount, minimum: 1, maximum: 50000, money: {unit: minor, currency: "'EUR'"}}}
    """

    code = "TC204"
    name = "amount-without-currency"
    severity = "warning"
    hint = "Add `money: {unit: minor, currency: …}`: an input or view field that holds the currency, or a constant in quotes."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.contract.write is None:
            return
        nodes = input_nodes(tool.contract)
        with_currency = {node.path[:-1] for node in nodes if "currency" in words_of(node.field)}
        for node in nodes:
            if not self._is_amount(node) or node.path[:-1] in with_currency:
                continue
            use = tool.contract.inputs.get(".".join(node.path))
            if use is None or use.money is None:
                yield Finding(
                    f"{tool.contract.tool}: `{node.name}` is an amount, and nothing says of which currency",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _is_amount(self, node: Node) -> bool:
        if not node.path or node.path[-1] == "*" or not is_money(node.field):
            return False
        if any(word in _COUNTED for word in words_of(node.field)):
            return False
        return bool(types_of(node.schema) & {"integer", "number"}) and "enum" not in node.schema
