"""TC611."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules.texts._read import names_read, texts_read
from toolcharter.wording import hidden_characters

__all__ = ["HiddenCharacter"]


class HiddenCharacter(ToolRule):
    """Finds characters that a reader cannot see in what a model reads: bidirectional, zero-width, tag, control.

    Why: a reviewer sees one text, and the model reads another. Tag characters spell whole sentences in nothing; a
    bidirectional override turns the visible order round.

    Bad:

        description: "One customer\\u2069\\u2066 and all of its orders"

    Good:

        description: One customer.
    """

    code = "TC611"
    name = "hidden-character"
    hint = "Take the characters out; if the description of the API has them, write your own text in the charter."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        name = tool.contract.tool
        for what, text, origin in texts_read(tool, api):
            found = hidden_characters(text)
            if found:
                yield Finding(f"{name}: {what} holds {_listed(found)}", origin, name)
        for text, origin in names_read(tool):
            found = hidden_characters(text)
            if found:
                yield Finding(
                    f"{name}: a name or value that the model reads holds {_listed(found)}",
                    origin,
                    name,
                )


def _listed(found: tuple[str, ...]) -> str:
    return "unseen characters: " + ", ".join(f"U+{ord(character):04X}" for character in found[:5])
