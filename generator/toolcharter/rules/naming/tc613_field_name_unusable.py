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
_NOT_A_MEMBER = "is not of letters, digits and _ . $ @ -, at most 64"
_MEMBER = re.compile(r"[A-Za-z0-9_.$@-]{1,64}", re.ASCII)


class FieldNameUnusable(CharterRule):
    """Finds names of inputs and views that a contract cannot carry, or that pages use.

    Why: a name becomes a field of a model, a word in templates and conditions, and a key that the model writes. The
    cursor of a paged read is the boundary's own. Members inside an input may keep the API's own spelling.

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
                for path, is_inside in self._paths(fields):
                    flaw = self._flaw(path[-1], taken if len(path) == 1 else "", is_inside)
                    if flaw:
                        shown = visible(".".join(path), 80)
                        yield Finding(
                            f"{name}: the name `{shown}` {flaw}",
                            place(charter, "tools", name, key, *path),
                            name,
                        )

    def _flaw(self, name: str, taken: str, is_inside: bool) -> str:
        if is_inside:
            return "" if _MEMBER.fullmatch(name) else _NOT_A_MEMBER
        if not _NAME.fullmatch(name):
            return "is not of lower-case letters, digits and underscores"
        if name == taken:
            return "is the boundary's own in a paged read"
        return "is a word of Python" if keyword.iskeyword(name) else ""

    def _paths(
        self, fields: Mapping[str, InputSpec] | Mapping[str, ViewSpec]
    ) -> Iterator[tuple[tuple[str, ...], bool]]:
        """Yield each name behind the steps to it, and whether it is a member inside another."""
        for name, spec in fields.items():
            yield (name,), False
            if isinstance(spec, InputSpec) or spec.each is None:
                yield from (((name, *path), True) for path in self._members(spec))
            else:
                yield from (
                    ((name, "each", *path), is_inside) for path, is_inside in self._paths(spec.each)
                )

    def _members(self, spec: InputSpec | ViewSpec) -> Iterator[tuple[str, ...]]:
        for steps, inner in spec.inner():
            if steps[0] not in ("element", "values", "kinds"):
                yield steps
            yield from ((*steps, *path) for path in self._members(inner))
