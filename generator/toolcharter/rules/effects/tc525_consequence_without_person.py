"""TC525."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["ConsequenceWithoutPerson"]


class ConsequenceWithoutPerson(CharterRule):
    """Finds writes with a consequence mark that a policy without people may let through.

    Why: payments, deletions, messages to people outside, credentials, deployments and bulk changes are what approval is
    for. A policy `{none: why}` approves by itself, so it cannot stand where such a mark does.

    Bad:

        refund:
          consequences: [payment]
          approval: no_person          # policies: no_person: {none: …}

    Good:

        refund:
          consequences: [payment]
          approval: support_lead
    """

    code = "TC525"
    name = "consequence-without-person"
    hint = "Let people approve it; if the mark is wrong, take the mark away."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            marks = (*tool.consequences, *(("bulk",) if tool.affects is not None else ()))
            for index, row in enumerate(tool.approval or ()):
                policy = charter.policies.get(row.policy)
                if marks and policy is not None and policy.none is not None:
                    yield Finding(
                        f"{name} has the consequence {marks[0]}, and policy {row.policy} needs nobody",
                        place(charter, "tools", name, "approval", index),
                        name,
                    )
