"""TC520."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["HiddenToolGranted"]


class HiddenToolGranted(CharterRule):
    """Finds hidden tools in a role, and writes that are hidden.

    Why: a hidden read is the boundary's own question: its inputs may take a key, its view is not meant for a model. A
    hidden write could be called by nobody.

    Bad:

        roles: {explorer: {reads: [find_operation]}}      # find_operation: hidden: true

    Good:

        roles: {explorer: {reads: [get_customer]}}
    """

    code = "TC520"
    name = "hidden-tool-granted"
    hint = "Take it out of the role, or take `hidden: true` away."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for role, grant in sorted(charter.roles.items()):
            for key, names in (("reads", grant.reads), ("writes", grant.writes)):
                for index, name in enumerate(names):
                    if name in charter.tools and charter.tools[name].hidden:
                        origin = place(charter, "roles", role, key, index)
                        yield Finding(
                            f"role {role} is granted {name}, which is hidden", origin, name
                        )
        for name, tool in tools_of(charter, "write"):
            if tool.hidden:
                origin = place(charter, "tools", name, "hidden")
                yield Finding(f"{name} is a write and hidden", origin, name)
