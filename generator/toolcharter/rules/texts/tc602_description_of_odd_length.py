"""TC602."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.diagnostics import Related
from toolcharter.resolve import ResolvedApi
from toolcharter.rules._base import ApiRule, Finding, place

__all__ = ["DescriptionOfOddLength"]

_SHORTEST = 16
_LONGEST = 1024


class DescriptionOfOddLength(ApiRule):
    """Finds descriptions that are too short to say anything, too long to be read, or the same on two tools.

    Why: a model chooses among descriptions; two equal ones are a coin toss, and a page of text hides the sentence that
    matters.

    Bad:

        get_customer: {description: Customer.}

    Good:

        get_customer: {description: "One customer with name, e-mail, current address and version."}
    """

    code = "TC602"
    name = "description-of-odd-length"
    severity = "warning"
    hint = "Write one or two sentences of this tool's own."

    def check(self, api: ResolvedApi) -> Iterator[Finding]:
        first: dict[str, str] = {}
        for tool in api.tools:
            name, text = tool.contract.tool, tool.contract.description.strip()
            if tool.contract.hidden or not text:
                continue
            origin = place(api.charter, "tools", name, "description")
            if not _SHORTEST <= len(text) <= _LONGEST:
                kind = "short" if len(text) < _SHORTEST else "long"
                yield Finding(
                    f"{name}: a description of {len(text)} characters is too {kind}", origin, name
                )
            other = first.setdefault(text, name)
            if other != name:
                also = Related(other, place(api.charter, "tools", other, "description"))
                message = f"{name} has the same description as {other}"
                yield Finding(message, origin, name, related=(also,))
