"""TC506."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place

__all__ = ["ApproverIsRequester"]


class ApproverIsRequester(CharterRule):
    """Finds policies whose approvers are the very role that asks for the write.

    Why: whoever asks may not approve. If the group of approvers is the role that holds the tool, then nobody is left to
    decide, and every proposal of a member expires, unless the policy allows self-approval, which the evidence then says.

    Bad:

        policies: {leads: {approvers: support_lead, quorum: 1, expires_in: 30m}}
        roles: {support_lead: {writes: [refund]}}       # refund: approval: leads

    Good:

        policies: {leads: {approvers: finance, quorum: 1, expires_in: 30m}}
        roles: {support_lead: {writes: [refund]}}
    """

    code = "TC506"
    name = "approver-is-requester"
    hint = "Let another group approve, or allow it openly with `self_approval: true`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for role, grant in sorted(charter.roles.items()):
            for name in sorted(set(grant.writes) & set(charter.tools)):
                for index, row in enumerate(charter.tools[name].approval or ()):
                    policy = charter.policies.get(row.policy)
                    if policy is None or policy.approvers != role or policy.self_approval:
                        continue
                    yield Finding(
                        f"{name} can be asked for by role {role}, and only {role} may approve it"
                        f" (policy {row.policy})",
                        place(charter, "tools", name, "approval", index),
                        name,
                    )
