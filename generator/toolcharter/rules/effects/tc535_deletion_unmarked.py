"""TC535."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["DeletionUnmarked"]


class DeletionUnmarked(ToolRule):
    """Finds a DELETE whose consequences do not include deletion.

    Why: policies and readers go by the marks. A DELETE may only detach or cancel something; then a note says so.

    Bad:

        delete_branch:
          operation: git/delete-ref      # DELETE
          effect: write

    Good:

        delete_branch:
          operation: git/delete-ref
          effect: write
          consequences: [deletion]
    """

    code = "TC535"
    name = "deletion-unmarked"
    severity = "warning"
    hint = "Add `consequences: [deletion]`, or silence TC535 and say what the DELETE does instead."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        write, name = tool.contract.write, tool.contract.tool
        if write is None or tool.contract.request.method.upper() != "DELETE":
            return
        if "deletion" not in write.consequences:
            yield Finding(
                f"{name} is a DELETE without the consequence mark `deletion`",
                place(api.charter, "tools", name, "consequences"),
                name,
            )
