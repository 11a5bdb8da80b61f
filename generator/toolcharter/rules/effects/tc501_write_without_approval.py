"""TC501."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutApproval"]


class WriteWithoutApproval(CharterRule):
    """Finds writes that name no approval.

    Why: a write that nobody has to approve is carried out on the model's word alone. Where no person is needed, a policy
    says so with a reason, and the catalog shows it.

    Bad:

        refund:
          effect: write

    Good:

        refund:
          effect: write
          approval: support_lead
    """

    code = "TC501"
    name = "write-without-approval"
    hint = "Name a policy of `policies` under `approval`, or rows of policies with conditions."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            if not tool.approval:
                origin = place(charter, "tools", name, "approval")
                yield Finding(f"{name} is a write without an approval policy", origin, name)
