"""TC526."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["PolicyUnknown"]


class PolicyUnknown(CharterRule):
    """Finds approvals by a policy that the charter does not have.

    Why: a write whose policy is missing has no policy at all.

    Bad:

        policies: {support_lead: {approvers: support_lead, quorum: 1, expires_in: 30m}}
        tools: {refund: {approval: suport_lead}}

    Good:

        policies: {support_lead: {approvers: support_lead, quorum: 1, expires_in: 30m}}
        tools: {refund: {approval: support_lead}}
    """

    code = "TC526"
    name = "policy-unknown"
    hint = "Write the policy under `policies`, or correct the name."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter):
            for index, row in enumerate(tool.approval or ()):
                if row.policy in charter.policies:
                    continue
                near = get_close_matches(row.policy, sorted(charter.policies), n=1)
                yield Finding(
                    f"{name} is approved by `{row.policy}`, which is not a policy of this charter",
                    place(charter, "tools", name, "approval", index),
                    name,
                    hint=f"Did you mean `{near[0]}`?" if near else None,
                )
