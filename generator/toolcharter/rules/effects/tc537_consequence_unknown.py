"""TC537."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["ConsequenceUnknown"]

_MARKS = ("bulk", "credential", "deletion", "deployment", "event", "external_message", "payment")


class ConsequenceUnknown(CharterRule):
    """Finds consequence marks that are not of the closed set, and marks on a read.

    Why: policies and reviewers go by the marks. A misspelled one carries nothing, and a read has no consequence; if it
    has one, it is a write.

    Bad:

        refund: {effect: write, consequences: [paymnt]}

    Good:

        refund: {effect: write, consequences: [payment]}
    """

    code = "TC537"
    name = "consequence-unknown"
    hint = "Use bulk, credential, deletion, deployment, event, external_message or payment."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter):
            for index, mark in enumerate(tool.consequences):
                origin = place(charter, "tools", name, "consequences", index)
                if mark not in _MARKS:
                    near = get_close_matches(mark, _MARKS, n=1)
                    advice = f"Did you mean `{near[0]}`?" if near else None
                    yield Finding(f"{name}: `{mark}` is no consequence mark", origin, name, advice)
                elif tool.effect == "read":
                    yield Finding(
                        f"{name} is declared a read, and has the consequence {mark}",
                        origin,
                        name,
                        hint="Declare it a write, or take the mark away.",
                    )
