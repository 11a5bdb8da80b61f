"""Every place, template and condition of a charter: whether it can be read, and whether its roots may stand there.

Which names exist is settled where tools are resolved; what is wrong with a text alone is found here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolcharter.diagnostics import Diagnostic
from toolcharter_runtime.language import (
    LanguageError,
    Reference,
    check_condition,
    parse_place,
    parse_template,
    references,
    tokens_of,
)

from .fields import InputSpec, ViewSpec
from .places import escape
from .schema import Charter, PageSpec, ToolSpec

__all__ = ["language_findings"]

_ASKED: Final = frozenset({"run", "before", "via"})
_SENT: Final = frozenset({"run", "key", "marker", "version", "before", "credential"})
_SENT_BY_READS: Final = frozenset({"run", "credential"})
_TEXTS: Final = frozenset({"run", "records", "environment", "before"})
_CONDITIONS: Final = frozenset({"run", "key", "marker", "version", "before"})
_SEARCHED: Final = frozenset({"run", "key", "marker", "version", "before", "sent_at"})
_AFTERWARDS: Final = frozenset({"run", "key", "before", "answer", "after"})
_APPROVAL: Final = frozenset({"run", "records", "environment", "before"})


@dataclass(frozen=True, slots=True)
class _Reader:
    """Yields what is wrong with the sentences of one tool (or of the defaults)."""

    charter: Charter
    tool: str | None

    def place(
        self, text: str | None, pointer: str, *, relative: bool = False
    ) -> Iterator[Diagnostic]:
        if text is None:
            return
        try:
            if relative:
                tokens_of(text)
            else:
                parse_place(text)
        except LanguageError as error:
            yield self._finding("TC735", error.reason, pointer)

    def template(self, value: Any, roots: frozenset[str], pointer: str) -> Iterator[Diagnostic]:
        try:
            found = references(value)
        except LanguageError as error:
            yield self._finding("TC734", error.reason, pointer)
            return
        yield from self.roots(found, roots, pointer)
        if any(reference.root == "credential" for reference in found) and not _is_whole(value):
            reason = "a credential stands as a whole value, never inside a text"
            yield self._finding("TC734", reason, pointer)

    def templates(
        self, values: Mapping[str, Any], roots: frozenset[str], pointer: str
    ) -> Iterator[Diagnostic]:
        for key, value in values.items():
            yield from self.template(value, roots, f"{pointer}/{escape(key)}")

    def condition(
        self,
        condition: Mapping[str, Any] | None,
        roots: frozenset[str],
        pointer: str,
        *,
        places: bool = False,
    ) -> Iterator[Diagnostic]:
        if condition is None:
            return
        try:
            found = check_condition(condition)
        except LanguageError as error:
            yield self._finding("TC736", error.reason, pointer)
            return
        yield from self.roots(found, roots, pointer)
        if places:
            for key in condition:
                yield from self.place(key, f"{pointer}/{escape(key)}")

    def roots(
        self, found: Iterable[Reference], allowed: frozenset[str], pointer: str
    ) -> Iterator[Diagnostic]:
        for reference in found:
            if reference.root is not None and reference.root not in allowed:
                known = ", ".join(f"${root}" for root in sorted(allowed)) or "none"
                reason = f"`{{{reference}}}` has no value here; roots that have one: {known}"
                yield self._finding("TC734", reason, pointer)

    def _finding(self, code: str, reason: str, pointer: str) -> Diagnostic:
        return Diagnostic(
            code=code,
            severity="error",
            message=reason[0].upper() + reason[1:],
            origin=self.charter.origin(pointer),
            tool=self.tool,
        )


def language_findings(charter: Charter) -> Iterator[Diagnostic]:
    """Yield what is wrong with the places, templates and conditions of a charter, as far as they alone tell."""
    common = _Reader(charter, None)
    for name, spec in charter.fields.items():
        yield from _input(common, spec, f"/fields/{escape(name)}")
    yield from _send(common, charter.defaults.send, _SENT, "/defaults/send")
    for index, rule in enumerate(charter.defaults.answers):
        pointer = f"/defaults/answers/{index}/when"
        yield from common.condition(rule.when, _CONDITIONS, pointer, places=True)
    for name, tool in charter.tools.items():
        yield from _tool(_Reader(charter, name), tool, f"/tools/{escape(name)}")


def _tool(reader: _Reader, tool: ToolSpec, at: str) -> Iterator[Diagnostic]:
    for name, spec in tool.input.items():
        yield from _input(reader, spec, f"{at}/input/{escape(name)}")
    yield from _send(
        reader, tool.send, _SENT if tool.effect != "read" else _SENT_BY_READS, f"{at}/send"
    )
    for name, view in tool.view.items():
        yield from _view(reader, view, f"{at}/view/{escape(name)}")
    for index, rule in enumerate(tool.answers):
        pointer = f"{at}/answers/{index}/when"
        yield from reader.condition(rule.when, _CONDITIONS, pointer, places=True)
    if tool.page is not None:
        yield from _page(reader, tool.page, f"{at}/page")
    yield from _before(reader, tool, at)
    yield from _after(reader, tool, at)


def _input(
    reader: _Reader, spec: InputSpec, at: str, *, relative: bool = False
) -> Iterator[Diagnostic]:
    yield from reader.place(spec.to, f"{at}/to", relative=relative)
    for steps, inner in spec.inner():
        pointer = at + "".join("/" + escape(step) for step in steps)
        yield from _input(reader, inner, pointer, relative=True)


def _view(
    reader: _Reader, spec: ViewSpec, at: str, *, relative: bool = False
) -> Iterator[Diagnostic]:
    yield from reader.place(spec.at, f"{at}/at", relative=relative)
    yield from reader.place(spec.count, f"{at}/count", relative=relative)
    for steps, inner in spec.inner():
        pointer = at + "".join("/" + escape(step) for step in steps)
        yield from _view(reader, inner, pointer, relative=True)


def _send(
    reader: _Reader, send: Mapping[str, Any], roots: frozenset[str], at: str
) -> Iterator[Diagnostic]:
    for place, value in send.items():
        pointer = f"{at}/{escape(place)}"
        yield from reader.place(place, pointer)
        yield from reader.template(value, roots, pointer)


def _page(reader: _Reader, page: PageSpec, at: str) -> Iterator[Diagnostic]:
    yield from reader.place(page.next.at, f"{at}/next")
    yield from reader.place(page.next.last, f"{at}/next/last", relative=True)
    yield from reader.place(page.next.url, f"{at}/next/url")
    yield from reader.place(page.to, f"{at}/to")
    yield from reader.condition(page.until, frozenset(), f"{at}/until", places=True)
    for place in page.size or {}:
        yield from reader.place(place, f"{at}/size/{escape(place)}")


def _before(reader: _Reader, tool: ToolSpec, at: str) -> Iterator[Diagnostic]:
    """What is said before the commit: summary, approval, target, checks, changes, preview."""
    if tool.summary is not None:
        yield from reader.template(tool.summary, _TEXTS, f"{at}/summary")
    for index, row in enumerate(tool.approval or ()):
        yield from reader.condition(row.when, _APPROVAL, f"{at}/approval/{index}/when")
    if (target := tool.target) is not None:
        yield from reader.template(target.id, _ASKED, f"{at}/target/id")
        yield from reader.templates(target.arguments, _ASKED, f"{at}/target/with")
        if target.via is not None:
            yield from reader.templates(target.via.arguments, _ASKED, f"{at}/target/via/with")
        yield from reader.condition(target.require, _CONDITIONS, f"{at}/target/require")
    for index, check in enumerate(tool.checks):
        yield from reader.templates(check.arguments, _ASKED, f"{at}/checks/{index}/with")
        yield from reader.condition(check.require, _CONDITIONS, f"{at}/checks/{index}/require")
    for label, change in tool.changes.items():
        for key in ("after", "add", "remove"):
            pointer = f"{at}/changes/{escape(label)}/{key}"
            yield from reader.template(getattr(change, key), frozenset({"run", "before"}), pointer)
    if (preview := tool.preview) is not None:
        yield from reader.templates(preview.arguments, _ASKED, f"{at}/preview/with")
        for place in preview.dry_run or {}:
            yield from reader.place(place, f"{at}/preview/dry_run/{escape(place)}")
        yield from reader.condition(
            preview.confirmed_by, _CONDITIONS, f"{at}/preview/confirmed_by", places=True
        )
    if tool.replaces is not None:
        yield from reader.place(tool.replaces.at, f"{at}/replaces/at", relative=True)
        for index, pointer in enumerate(tool.replaces.without):
            yield from reader.place(pointer, f"{at}/replaces/except/{index}", relative=True)


def _after(reader: _Reader, tool: ToolSpec, at: str) -> Iterator[Diagnostic]:
    """What is said after it: the unknown, the operation that is followed, evidence, compensation."""
    if (unknown := tool.unknown) is not None:
        yield from reader.templates(unknown.arguments, _SEARCHED, f"{at}/unknown/with")
        yield from reader.condition(unknown.where, _CONDITIONS, f"{at}/unknown/where")
        for state, condition in unknown.states.items():
            yield from reader.condition(
                condition, _CONDITIONS, f"{at}/unknown/states/{escape(state)}"
            )
    if (follow := tool.follow) is not None:
        yield from reader.templates(follow.arguments, _AFTERWARDS, f"{at}/follow/with")
        for state, condition in follow.states.items():
            yield from reader.condition(
                condition, _CONDITIONS, f"{at}/follow/states/{escape(state)}"
            )
    if tool.evidence is not None:
        roots = _CONDITIONS | {"answer"}
        yield from reader.condition(tool.evidence.proof, roots, f"{at}/evidence/proof")
    if tool.compensation is not None:
        yield from reader.templates(
            tool.compensation.arguments, _AFTERWARDS, f"{at}/compensation/with"
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, str) and len(parse_template(value)) == 1
