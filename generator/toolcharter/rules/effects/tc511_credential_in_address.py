"""TC511."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place

__all__ = ["CredentialInAddress"]


class CredentialInAddress(ToolRule):
    """Finds tools whose credential goes into the address of the request.

    Why: addresses are in the logs of every proxy on the way, where headers are not. Many APIs that take a key in the
    query take it in a header, too.

    Bad:

        auth: {scheme: api_key}                                # {type: apiKey, in: query, name: key}

    Good:

        auth: {scheme: api_key_header}                         # {type: apiKey, in: header, name: X-Api-Key}
    """

    code = "TC511"
    name = "credential-in-address"
    severity = "warning"
    hint = "Use a scheme that goes into a header; where the API has none, silence TC511 and keep query strings out of logs."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        auth = tool.contract.auth
        if auth is not None and auth.location == "query":
            yield Finding(
                f"{tool.contract.tool} sends its credential in the address, as `{auth.name}`",
                place(api.charter, "tools", tool.contract.tool, "auth"),
                tool.contract.tool,
            )
