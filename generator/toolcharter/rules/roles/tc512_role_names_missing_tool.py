"""TC512."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place

__all__ = ["RoleNamesMissingTool"]


class RoleNamesMissingTool(CharterRule):
    """Finds roles that name a tool which the charter does not have.

    Why: a role that names what is not there promises something; a misspelled name would quietly grant nothing today and
    another tool tomorrow.

    Bad:

        roles: {explorer: {reads: [get_costumer]}}

    Good:

        roles: {explorer: {reads: [get_customer]}}
    """

    code = "TC512"
    name = "role-names-missing-tool"
    hint = "Correct the name, or write the tool."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for role, grant in sorted(charter.roles.items()):
            for key, names in (("reads", grant.reads), ("writes", grant.writes)):
                for index, name in enumerate(names):
                    if name in charter.tools or name == "all":
                        continue
                    near = get_close_matches(name, sorted(charter.tools), n=1)
                    yield Finding(
                        f"role {role} names `{name}` under {key}, which is not a tool of this charter",
                        place(charter, "roles", role, key, index),
                        hint=f"Did you mean `{near[0]}`?" if near else None,
                    )
