"""TC504."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._general import READING

__all__ = ["VerbContradictsEffect"]

_WRITING = frozenset({"DELETE", "PATCH", "PUT"})


class VerbContradictsEffect(ToolRule):
    """Finds a GET that is declared a write, and a PUT, PATCH or DELETE that is declared a read.

    Why: the declaration may well be right, since verbs lie; but then somebody looked, and should leave a note for the
    next reader. A POST that reads is ordinary.

    Bad:

        open_message:
          operation: readMessage      # GET /messages/{message_id}
          effect: write

    Good:

        open_message:
          operation: readMessage
          effect: write
          silence: {TC504: {because: Opening a message marks it as read, until: 2027-12-31}}
    """

    code = "TC504"
    name = "verb-contradicts-effect"
    severity = "warning"
    hint = "If the declared effect is right, silence TC504 on this tool and say why."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        contract = tool.contract
        against = READING if contract.effect == "write" else _WRITING
        if contract.request.method.upper() in against:
            yield Finding(
                f"{contract.tool} is declared a {contract.effect}, and its verb is {contract.request.method.upper()}",
                place(api.charter, "tools", contract.tool, "effect"),
                contract.tool,
            )
