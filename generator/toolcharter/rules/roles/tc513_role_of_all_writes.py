"""TC513."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place

__all__ = ["RoleOfAllWrites"]


class RoleOfAllWrites(CharterRule):
    """Finds roles that are granted every write, those of the future too.

    Why: a write that somebody adds next month would join the role without anybody deciding so.

    Bad:

        roles: {support_agent: {writes: all}}

    Good:

        roles: {support_agent: {writes: [address_change, refund]}}
    """

    code = "TC513"
    name = "role-of-all-writes"
    hint = "List the writes that the role needs."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for role, grant in sorted(charter.roles.items()):
            if "all" in grant.writes and "all" not in charter.tools:
                origin = place(charter, "roles", role, "writes")
                yield Finding(f"role {role} is granted every write", origin)
