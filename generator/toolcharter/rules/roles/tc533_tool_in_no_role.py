"""TC533."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["ToolInNoRole"]


class ToolInNoRole(CharterRule):
    """Finds tools that no role may call.

    Why: a tool that nobody can call is dead weight in the catalog, or a role was forgotten. A read that serves only the
    boundary is `hidden`.

    Bad:

        tools: {get_invoice: {effect: read}}
        roles: {explorer: {reads: [get_customer]}}

    Good:

        tools: {get_invoice: {effect: read}}
        roles: {explorer: {reads: [get_customer, get_invoice]}}
    """

    code = "TC533"
    name = "tool-in-no-role"
    severity = "warning"
    hint = "Add it to a role, or mark a read that only the boundary needs with `hidden: true`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        granted: set[str] = set()
        for grant in charter.roles.values():
            granted.update(grant.reads, grant.writes)
        for name, tool in tools_of(charter):
            if tool.hidden or name in granted or (tool.effect == "read" and "all" in granted):
                continue
            yield Finding(f"{name} is in no role", place(charter, "tools", name), name)
