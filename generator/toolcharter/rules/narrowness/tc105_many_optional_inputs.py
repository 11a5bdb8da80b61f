"""TC105."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import as_list, as_map, branches_of, input_nodes, place_of

__all__ = ["ManyOptionalInputs"]

_MANY = 6
_TOO_MANY = 15


class ManyOptionalInputs(ToolRule):
    """Finds tools with more than 6 optional inputs and no union; more than 15 stop generation.

    Why: twelve optional fields are two to the twelfth forms of a call, most of which nobody thought of. A choice that
    changes behaviour is a tagged union, or two tools.

    Bad:

        input: {email: {}, phone: {}, line1: {}, line2: {}, city: {}, country: {}, note: {}}

    Good:

        input:
          destination:
            to: /destination
            required: true
            branches: {saved: {address: /address_id}, new: {line1: /line1, city: /city}}
    """

    code = "TC105"
    name = "many-optional-inputs"
    severity = "warning"
    silenceable = True
    hint = "Split the tool by what it is for, or group the fields in a union with `branches`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            properties = as_map(node.schema.get("properties"))
            optional = len(set(properties) - set(as_list(node.schema.get("required"))))
            if optional <= _MANY or any(
                branches_of(as_map(value)) for value in properties.values()
            ):
                continue
            yield Finding(
                f"{tool.contract.tool} has {optional} optional fields in {node.name}, and no union",
                place_of(tool, "input", node.path),
                tool.contract.tool,
                severity="error" if optional > _TOO_MANY else None,
            )
