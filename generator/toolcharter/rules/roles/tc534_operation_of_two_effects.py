"""TC534."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["OperationOfTwoEffects"]


class OperationOfTwoEffects(CharterRule):
    """Finds an operation that one tool declares a read and another a write.

    Why: if the operation changes something, then a role that has only the read can change it too. A constant that asks
    for a dry run may explain it; then a note says so.

    Bad:

        peek_message: {operation: readMessage, effect: read}
        open_message: {operation: readMessage, effect: write}

    Good:

        get_envelope: {operation: getEnvelope, effect: read}
        open_message: {operation: readMessage, effect: write}
    """

    code = "TC534"
    name = "operation-of-two-effects"
    severity = "warning"
    hint = "Declare both writes, or silence TC534 on the read and say what keeps it from writing."

    def check(self, charter: Charter) -> Iterator[Finding]:
        writers = {tool.operation: name for name, tool in tools_of(charter, "write")}
        for name, tool in tools_of(charter, "read"):
            writer = writers.get(tool.operation)
            if writer is not None:
                yield Finding(
                    f"{name} reads with `{tool.operation}`, which {writer} declares a write",
                    place(charter, "tools", name, "effect"),
                    name,
                )
