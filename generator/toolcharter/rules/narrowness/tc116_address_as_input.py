"""TC116."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import input_nodes, place_of, types_of, words_of

__all__ = ["AddressAsInput"]

_NAMES = frozenset(
    {"url", "uri", "href", "callback", "webhook", "redirect", "link", "host", "hostname", "origin"}
)
_FORMATS = frozenset({"uri", "uri-reference", "iri", "iri-reference", "hostname", "idn-hostname"})


class AddressAsInput(ToolRule):
    """Finds inputs that are a web address or a host without an allow-list.

    Why: a service that fetches what it is given can be sent to an inner network, and one that calls back can be made to
    send data out.

    Bad:

        input: {callback: {to: /callback_url, format: uri, maxLength: 500}}

    Good:

        input: {callback: {to: /callback_url, pattern: "^https://hooks\\\\.example\\\\.com/[a-z]{1,20}$"}}
    """

    code = "TC116"
    name = "address-as-input"
    severity = "warning"
    hint = "Fence it with a pattern or an enum that names the hosts."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            schema = node.schema
            if "string" not in types_of(schema) or any(
                k in schema for k in ("pattern", "enum", "const")
            ):
                continue
            words = words_of(node.field)
            if schema.get("format") in _FORMATS or (words and words[-1] in _NAMES):
                yield Finding(
                    f"{tool.contract.tool} takes any address as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
