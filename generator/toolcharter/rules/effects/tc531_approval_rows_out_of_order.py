"""TC531."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["ApprovalRowsOutOfOrder"]


class ApprovalRowsOutOfOrder(CharterRule):
    """Finds approval rows of which the last has a condition, or one before it has none.

    Why: the first row whose condition holds decides. If the last has a condition, some calls have no policy; if an
    earlier one has none, the rows after it are never reached.

    Bad:

        approval:
          - {policy: support_lead, when: {amount: {at_most: 5000}}}

    Good:

        approval:
          - {policy: support_lead, when: {amount: {at_most: 5000}}}
          - {policy: two_from_finance}
    """

    code = "TC531"
    name = "approval-rows-out-of-order"
    hint = "Let exactly the last row stand without `when`; it holds for all the rest, so make it the strictest."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter):
            rows = tool.approval or ()
            for index, row in enumerate(rows):
                origin, is_last = (
                    place(charter, "tools", name, "approval", index),
                    index == len(rows) - 1,
                )
                if is_last and row.when:
                    yield Finding(f"{name}: the last approval row has a condition", origin, name)
                if not is_last and not row.when:
                    yield Finding(
                        f"{name}: the rows after row {index + 1} are never reached", origin, name
                    )
