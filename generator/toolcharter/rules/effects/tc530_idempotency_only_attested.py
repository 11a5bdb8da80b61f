"""TC530."""

from __future__ import annotations

import re
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
_GUARD = re.compile(r"idempoten|^if-match$", re.IGNORECASE)


class IdempotencyOnlyAttested(ToolRule):
    """Finds writes where more hangs on somebody's word that a repeat has one effect than need be.

    Why: a word is the best there is for many an API, and the catalog names it as such. It is worth a second look where
    the description offers a key or a precondition that the write does not send, and where the boundary sends again by
    itself, with nobody looking, on the word alone.

    Bad:

        message_reading:
          idempotency: {by: nature, because: A message that was read stays read}
          retry: resend

    Good:

        message_reading:
          idempotency: {by: nature, because: A message that was read stays read}
          retry: resend
          silence: {TC530: {because: Sent twice to the live API; the time of reading stayed, until: 2027-12-31}}
    """

    code = "TC530"
    name = "idempotency-only-attested"
    severity = "warning"
    hint = "Send what the description offers, or leave `retry: resend` out; else silence it, saying what was tried."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        write, name = tool.contract.write, tool.contract.tool
        if write is None or not any(
            claim.grade == "attested" and claim.claim in _CLAIMS for claim in tool.contract.claims
        ):
            return
        claim = f"{name}: that a repeat has one effect (by {write.idempotency.by}) is only attested"
        origin = place(api.charter, "tools", name, "idempotency")
        if write.resend:
            yield Finding(f"{claim}, and the boundary sends it again by itself", origin, name)
        for header in _unsent(tool):
            yield Finding(f"{claim}, and `{header}`, which is declared, is not sent", origin, name)


def _unsent(tool: ResolvedTool) -> Iterator[str]:
    """Yield the headers that guard a repeat, as the description declares them, and that the request leaves out."""
    sent = {parameter.name.lower() for parameter in tool.contract.request.parameters}
    for declared in tool.operation.parameters:
        is_guard = declared.location == "header" and _GUARD.search(declared.name)
        if is_guard and declared.name.lower() not in sent:
            yield f"header.{declared.name}"
