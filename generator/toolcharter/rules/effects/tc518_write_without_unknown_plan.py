"""TC518."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["WriteWithoutUnknownPlan"]


class WriteWithoutUnknownPlan(CharterRule):
    """Finds writes that do not say how to ask after a lost answer.

    Why: a cut connection leaves open whether the effect happened. Either a read can tell, by key, marker or state, or a
    person has to look; inventing a result is the one thing that must not happen.

    Bad:

        refund: {effect: write}

    Good:

        refund:
          effect: write
          unknown: {read: find_operation, with: {key: "{$key}"}, where: {key: "{$key}"}}
    """

    code = "TC518"
    name = "write-without-unknown-plan"
    hint = "Name the read that can tell: `unknown: {read: …, where: …}`, or `unknown: operator`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter, "write"):
            origin, unknown = place(charter, "tools", name, "unknown"), tool.unknown
            if unknown is None:
                yield Finding(
                    f"{name} is a write without a plan for an unknown outcome", origin, name
                )
            elif unknown.operator is None and (unknown.read is None or not unknown.where):
                yield Finding(
                    f"{name} asks after a lost answer without a read or without `where`",
                    origin,
                    name,
                )
