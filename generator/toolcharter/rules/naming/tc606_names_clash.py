"""TC606."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place, tools_of

__all__ = ["NamesClash"]


class NamesClash(CharterRule):
    """Finds two tools that a model, a file system or Python would know by one name.

    Why: a write `move` is `preview_move` and `commit_move`; a read that is called `preview_move` would be the same tool
    to the model, with another effect.

    Bad:

        tools: {move: {effect: write}, preview_move: {effect: read}}

    Good:

        tools: {move: {effect: write}, price_of_move: {effect: read}}
    """

    code = "TC606"
    name = "names-clash"
    hint = "Rename one of them."

    def check(self, charter: Charter) -> Iterator[Finding]:
        owners: dict[str, str] = {}
        for name, tool in tools_of(charter):
            is_write = tool.effect == "write"
            names = (f"preview_{name}", f"commit_{name}", name) if is_write else (name,)
            for surfaced in names:
                same = "".join(
                    character for character in surfaced.casefold() if character.isalnum()
                )
                other = owners.setdefault(same, name)
                if other != name:
                    yield Finding(
                        f"{name} and {other} would both be called `{surfaced}`",
                        place(charter, "tools", name),
                        name,
                    )
                    break
