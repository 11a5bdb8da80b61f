"""TC523."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._schemas import writable_properties

__all__ = ["ReplacementDropsField"]


class ReplacementDropsField(ToolRule):
    """Finds full replacements (PUT) that would erase fields which they do not name.

    Why: a PUT replaces the whole record. A narrow tool that sends two of nine fields erases the other seven, and the
    approver saw only two change.

    Bad:

        rename_contact:
          operation: putContact                  # PUT, a record of name, email and phone
          input: {name: /name}

    Good:

        rename_contact:
          operation: putContact
          input: {name: /name}
          replaces: {at: "", except: [/last_modified]}
    """

    code = "TC523"
    name = "replacement-drops-field"
    hint = "Carry the rest from the target with `replaces: {at: …}`, name every field, or say `replaces: {none: why}`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        contract, spec = tool.contract, api.charter.tools[tool.contract.tool]
        body = contract.request.body
        if contract.write is None or contract.request.method.upper() != "PUT" or body is None:
            return
        if body.carried is not None or (spec.replaces is not None and spec.replaces.none):
            return
        named = {binding.at.split("/")[1] if binding.at else "" for binding in body.bindings}
        described = tool.operation.bodies.get(body.media)
        if "" in named or described is None:
            return
        lost = sorted(writable_properties(described.schema, api.description) - named)
        if lost:
            yield Finding(
                f"{contract.tool} replaces the whole record and would erase {', '.join(f'`{name}`' for name in lost)}",
                place(api.charter, "tools", contract.tool, "replaces"),
                contract.tool,
            )
