"""TC530."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["IdempotencyOnlyAttested"]

_CLAIMS = frozenset(
    {
        "one effect per key",
        "a repeat changes nothing",
        "a second create is refused or returns the first",
        "a marker is found again",
    }
)
"""What the resolving stage calls them."""


class IdempotencyOnlyAttested(ToolRule):
    """Finds writes whose claim that a repeat has one effect rests on somebody's word alone.

    Why: the description cannot carry the claim, so nothing here can prove it. That may be the best there is; a reader
    of the catalog should know it.

    Bad:

        merge_pull_request:
          idempotency: {by: nature, because: A merged pull request cannot be merged again}

    Good:

        merge_pull_request:
          idempotency: {by: nature, because: A merged pull request cannot be merged again}
          silence: {TC530: {because: Measured on the live API, until: 2027-12-31}}
    """

    code = "TC530"
    name = "idempotency-only-attested"
    severity = "warning"
    hint = "Prefer a key or a version that the description declares; else silence it, saying what was tried."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        write = tool.contract.write
        if write is None:
            return
        for claim in tool.contract.claims:
            if claim.grade == "attested" and claim.claim in _CLAIMS:
                yield Finding(
                    f"{tool.contract.tool}: that a repeat has one effect (by {write.idempotency.by}) is only attested",
                    place(api.charter, "tools", tool.contract.tool, "idempotency"),
                    tool.contract.tool,
                )
                return
