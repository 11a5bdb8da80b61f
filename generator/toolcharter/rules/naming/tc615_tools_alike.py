"""TC615."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolcharter.diagnostics import Related
from toolcharter.resolve import ResolvedApi
from toolcharter.rules._base import ApiRule, Finding, place
from toolcharter.rules._schemas import bindings_of, input_nodes
from toolcharter_runtime.frozen import Contract

__all__ = ["ToolsAlike"]


class ToolsAlike(ApiRule):
    """Finds two tools that call the same operation with the same constants and take inputs of the same names.

    Why: a model that has both chooses by a coin; a reviewer who approves one has not looked at the other.

    Bad:

        get_customer: {operation: getCustomer, input: {customer: }}
        fetch_customer: {operation: getCustomer, input: {customer: }}

    Good:

        get_customer: {operation: getCustomer, input: {customer: }}
    """

    code = "TC615"
    name = "tools-alike"
    severity = "warning"
    hint = "Keep one of them, or `hidden: true` on the one that only the boundary reads."

    def check(self, api: ResolvedApi) -> Iterator[Finding]:
        first: dict[str, str] = {}
        for tool in api.tools:
            if tool.contract.hidden:
                continue
            name = tool.contract.tool
            other = first.setdefault(self._form(tool.contract), name)
            if other != name:
                yield Finding(
                    f"{name} calls what {other} calls, with the same inputs",
                    place(api.charter, "tools", name),
                    name,
                    related=(Related(other, place(api.charter, "tools", other)),),
                )

    def _form(self, contract: Contract) -> str:
        sent = sorted(
            (at, json.dumps(value, sort_keys=True)) for at, value in bindings_of(contract)
        )
        names = sorted({node.name for node in input_nodes(contract)})
        view = sorted(field.name for field in contract.view.fields)
        return repr((contract.operation, contract.effect, sent, names, view))
