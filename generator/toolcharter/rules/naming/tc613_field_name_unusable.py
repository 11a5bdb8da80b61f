"""TC613."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping

from toolcharter.charter import Charter
from toolcharter.charter.schema import InputSpec, ViewSpec
from toolcharter.rules._base import CharterRule, Finding, place, tools_of
from toolcharter.wording import visible

__all__ = ["FieldNameUnusable"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


class FieldNameUnusable(CharterRule):
    """Finds names of inputs and views that a contract cannot carry, or that pages use.

    Why: a name becomes a field of a model, a word in templates and conditions, and a key that the model writes. The
    cursor of a paged read is the boundary's own.

    Bad:

        input: {class: query.class, Customer-Id: path.id, cursor: query.cursor}

    Good:

        input: {grade: query.class, customer: path.id}
    """

    code = "TC613"
    name = "field-name-unusable"
    hint = "Name it in lower-case letters, digits and underscores, and say its place with `to` or `at`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter):
            for key, fields in (("input", tool.input), ("view", tool.view)):
                taken = (
                    {"input": "cursor", "view": "next_cursor"}[key] if tool.page is not None else ""
                )
                for path in self._paths(fields):
                    flaw = self._flaw(path[-1], taken if len(path) == 1 else "")
                    if flaw:
                        shown = visible(".".join(path), 80)
                        yield Finding(
                            f"{name}: the name `{shown}` {flaw}",
                            place(charter, "tools", name, key, *path),
                            name,
                        )

    def _flaw(self, name: str, taken: str) -> str:
        if not _NAME.fullmatch(name):
            return "is not of lower-case letters, digits and underscores"
        if name == taken:
            return "is the boundary's own in a paged read"
        return "is a word of Python" if keyword.iskeyword(name) else ""

    def _paths(
        self, fields: Mapping[str, InputSpec] | Mapping[str, ViewSpec]
    ) -> Iterator[tuple[str, ...]]:
        for name, spec in fields.items():
            yield (name,)
            if spec.each is not None:
                yield from ((name, "each", *path) for path in self._paths(spec.each))
            for tag, branch in (spec.branches or {}).items() if isinstance(spec, InputSpec) else ():
                yield from ((name, "branches", tag, *path) for path in self._paths(branch))
