"""TC527."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["PolicyUnused"]


class PolicyUnused(CharterRule):
    """Finds policies that no write names.

    Why: a policy that is written and not used makes a reader believe in a guard that is not there.

    Bad:

        policies: {two_from_finance: {approvers: finance, quorum: 2, expires_in: 4h}}      # named by no tool

    Good:

        policies: {two_from_finance: {approvers: finance, quorum: 2, expires_in: 4h}}
        tools: {refund: {approval: two_from_finance}}
    """

    code = "TC527"
    name = "policy-unused"
    severity = "warning"
    hint = "Name it under a tool's `approval`, or take it out."

    def check(self, charter: Charter) -> Iterator[Finding]:
        used = {row.policy for _, tool in tools_of(charter) for row in tool.approval or ()}
        for name in sorted(set(charter.policies) - used):
            yield Finding(f"policy {name} is named by no tool", place(charter, "policies", name))
