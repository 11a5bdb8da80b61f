"""TC503."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["EffectMissing"]


class EffectMissing(CharterRule):
    """Finds tools whose effect is not declared.

    Why: the HTTP verb does not tell whether the business changes: a GET may mark a message as read, a POST may only
    search. A person decides, once, and the catalog pins it.

    Bad:

        search_customers:
          operation: searchCustomers

    Good:

        search_customers:
          operation: searchCustomers
          effect: read
    """

    code = "TC503"
    name = "effect-missing"
    hint = "Add `effect: read` or `effect: write`: does a call change anything outside?"

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter):
            if tool.effect is None:
                yield Finding(
                    f"{name} does not declare its effect", place(charter, "tools", name), name
                )
