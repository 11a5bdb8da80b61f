"""TC532."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["IrreversibleUnsaid"]

_FINAL = frozenset({"deletion", "external_message", "payment"})


class IrreversibleUnsaid(CharterRule):
    """Finds payments, deletions and messages that nothing makes good and that do not say so to the approver.

    Why: what cannot be undone belongs on the page where a person decides.

    Bad:

        refund:
          consequences: [payment]
          compensation: {none: A new payment needs the customer}

    Good:

        refund:
          consequences: [payment]
          irreversible: [A refund cannot be taken back]
          compensation: {none: A new payment needs the customer}
    """

    code = "TC532"
    name = "irreversible-unsaid"
    severity = "warning"
    hint = "Say it in words: `irreversible: [A refund cannot be taken back]`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            marks = sorted(_FINAL & set(tool.consequences))
            is_mended = tool.compensation is not None and tool.compensation.tool is not None
            if marks and not tool.irreversible and not is_mended:
                origin = place(charter, "tools", name, "consequences")
                yield Finding(
                    f"{name} ({marks[0]}) does not say what cannot be undone", origin, name
                )
