"""TC519."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place

__all__ = ["WriteAmongReads"]


class WriteAmongReads(CharterRule):
    """Finds roles that can reach a write through their reads, or list a read among their writes.

    Why: a run of a reading role is promised to change nothing. One write in its list breaks the promise for every run.

    Bad:

        roles: {explorer: {reads: [get_customer, refund]}}      # refund: effect: write

    Good:

        roles: {explorer: {reads: [get_customer]}, support: {reads: [get_customer], writes: [refund]}}
    """

    code = "TC519"
    name = "write-among-reads"
    hint = "Put the tool under the list of its effect, or take it out of the role."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for role, grant in sorted(charter.roles.items()):
            lists = (("reads", "read", grant.reads), ("writes", "write", grant.writes))
            for key, effect, names in lists:
                for index, name in enumerate(names):
                    tool = charter.tools.get(name)
                    if tool is None or tool.effect in (None, effect):
                        continue
                    yield Finding(
                        f"role {role} lists {name}, a {tool.effect}, under {key}",
                        place(charter, "roles", role, key, index),
                        name,
                    )
