"""TC614."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcharter.charter import Charter
from toolcharter.rules._base import CharterRule, Finding, place
from toolcharter.rules._schemas import as_list, as_map
from toolcharter.wording import hidden_characters, visible

__all__ = ["HiddenCharacterInCharter"]


class HiddenCharacterInCharter(CharterRule):
    """Finds characters that a reader cannot see, anywhere in a charter.

    Why: the charter is what people review. A name, a reason or a constant in it must be what it looks like.

    Bad:

        policies: {"support_lead\\u200b": {…}}

    Good:

        policies: {support_lead: {…}}
    """

    code = "TC614"
    name = "hidden-character-in-charter"
    hint = "Take the characters out."

    def check(self, charter: Charter) -> Iterator[Finding]:
        yield from self._search(charter, charter.raw, ())

    def _search(
        self, charter: Charter, value: Any, path: tuple[str | int, ...]
    ) -> Iterator[Finding]:
        for key, inner in as_map(value).items():
            yield from self._report(charter, key, (*path, key))
            yield from self._search(charter, inner, (*path, key))
        for index, item in enumerate(as_list(value)):
            yield from self._search(charter, item, (*path, index))
        if isinstance(value, str):
            yield from self._report(charter, value, path)

    def _report(
        self, charter: Charter, text: str, path: tuple[str | int, ...]
    ) -> Iterator[Finding]:
        found = hidden_characters(text)
        if found:
            named = ", ".join(f"U+{ord(character):04X}" for character in found[:5])
            where = visible(".".join(str(part) for part in path), 80)
            tool = str(path[1]) if len(path) > 1 and path[0] == "tools" else None
            yield Finding(f"{where} holds unseen characters: {named}", place(charter, *path), tool)
