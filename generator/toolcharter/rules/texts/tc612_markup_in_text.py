"""TC612."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules.texts._read import texts_read
from toolcharter.wording import flaws

__all__ = ["MarkupInText"]


class MarkupInText(ToolRule):
    """Finds template tags, HTML and links in descriptions.

    Why: what one program shows as text, the next one renders, expands or follows. A description is plain words.

    Bad:

        description: "Reads {{ user.name }}. <script>…</script> See [the docs](…)."

    Good:

        description: Reads a user.
    """

    code = "TC612"
    name = "markup-in-text"
    hint = "Write plain words; if the description of the API has the markup, describe it in the charter."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        if tool.contract.hidden:
            return
        for what, text, origin in texts_read(tool, api):
            for flaw in flaws(text):
                if flaw.kind == "markup":
                    yield Finding(
                        f"{tool.contract.tool}: {what} holds markup: “{flaw.found}”",
                        origin,
                        tool.contract.tool,
                    )
