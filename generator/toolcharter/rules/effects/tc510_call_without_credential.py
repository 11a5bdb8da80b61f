"""TC510."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["CallWithoutCredential"]


class CallWithoutCredential(ToolRule):
    """Finds writes that are called without any credential.

    Why: either the description forgot to say which, and every call will be refused, or anybody on the network can do what
    this tool asks two people for.

    Bad:

        refund: {operation: createRefund, effect: write}               # the description has no `security`

    Good:

        defaults: {auth: {scheme: bearer, because: "Vendor docs, Authentication: a token as bearer"}}
    """

    code = "TC510"
    name = "call-without-credential"
    severity = "warning"
    hint = "Name the credential with `auth: {scheme: …}`, and `because` where the description does not declare it."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.contract.write is not None and tool.contract.auth is None:
            yield Finding(
                f"{tool.contract.tool} is a write, and is called without a credential",
                place(api.charter, "tools", tool.contract.tool, "auth"),
                tool.contract.tool,
            )
