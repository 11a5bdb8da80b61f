"""TC529."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutSummary"]


class WriteWithoutSummary(CharterRule):
    """Finds writes without a sentence of effect.

    Why: the first thing that an approver reads is one sentence, made from the stored arguments by the charter, never by
    the model.

    Bad:

        refund: {effect: write}

    Good:

        refund:
          effect: write
          summary: "Refund {amount} of payment {payment}"
    """

    code = "TC529"
    name = "write-without-summary"
    hint = 'Write the effect in words, e.g. `summary: "Refund {amount} of payment {payment}"`.'

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            if not (tool.summary or "").strip():
                origin = place(charter, "tools", name, "summary")
                yield Finding(f"{name} is a write without a sentence of effect", origin, name)
