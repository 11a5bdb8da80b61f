"""How one more page of a list is asked for."""

from __future__ import annotations

from typing import Literal

from toolcharter.charter.schema import PageNext, PageSpec
from toolcharter_runtime.frozen import Page
from toolcharter_runtime.language import parse_place, tokens_of

from .case import Case
from .findings import UncarriedError
from .operations import success_bodies, success_headers

__all__ = ["resolve_page"]

_Kind = Literal["answer", "last", "link", "url", "offset", "number"]


def resolve_page(case: Case) -> Page | None:
    """Return the paging of a list; None where the tool has none, or where it cannot be said."""
    spec = case.spec.page
    if spec is None or case.items is None:
        return None
    pointer = case.at("page")
    kind = _kind(case, spec.next, f"{pointer}/next")
    size = _size(case, spec, pointer)
    if kind is None or size is None:
        return None
    _check_places(case, spec, kind, pointer)
    return Page(
        kind=kind,
        next=spec.next.at or spec.next.last or spec.next.url,
        take=spec.next.take,
        until=spec.until,
        items=case.items,
        size=size,
    )


def _kind(case: Case, spec: PageNext, pointer: str) -> _Kind | None:
    said: list[_Kind] = []
    if spec.at is not None:
        said.append("answer")
    if spec.last is not None:
        said.append("last")
    if spec.link is not None:
        said.append("link")
    if spec.url is not None:
        said.append("url")
    if spec.counted is not None:
        said.append(spec.counted)
    if len(said) != 1:
        message = "`next` says one thing: a place, `last`, `link`, `url`, `offset` or `number`"
        case.findings.error("TC731", message, pointer)
        return None
    if said[0] in ("link", "url") and spec.take is None:
        message = f"`{said[0]}` needs `take`: the parameter of the address that is the cursor"
        case.findings.error("TC732", message, pointer)
    if spec.link not in (None, "next"):
        message = "`link` reads the relation `next` and no other"
        case.findings.error("TC731", message, pointer, "write `link: next`")
    return said[0]


def _size(case: Case, spec: PageSpec, pointer: str) -> int | None:
    if spec.size:
        return next(iter(spec.size.values()))
    spec_of_list = case.spec.view.get(case.items or "")
    if spec_of_list is not None and spec_of_list.max_items is not None:
        return spec_of_list.max_items
    message = f"the pages of {case.name} have no size"
    case.findings.error(
        "TC732", message, pointer, "state `size: {PLACE: N}`, or `maxItems` of the list"
    )
    return None


def _check_places(case: Case, spec: PageSpec, kind: _Kind, pointer: str) -> None:
    if kind == "answer" and spec.next.at is not None:
        _check_answer(case, spec.next.at, f"{pointer}/next")
    if kind == "url" and spec.next.url is not None:
        _check_answer(case, spec.next.url, f"{pointer}/next/url")
    if kind == "last" and spec.next.last is not None:
        _check_item(case, spec.next.last, f"{pointer}/next/last")
    for place in spec.until or {}:
        _check_answer(case, place, f"{pointer}/until")


def _check_answer(case: Case, text: str, pointer: str) -> None:
    place = parse_place(text)
    if place.location == "http":
        return
    if place.location == "header":
        names = {name.lower() for name in success_headers(case.operation)}
        if place.name.lower() not in names:
            why = f"no success of {case.operation.key} declares the header `{place.name}`"
            case.ledger.need(text, f"answer {text}", why, pointer)
        return
    segments = tokens_of(place.pointer)
    try:
        steps = [case.api.answer_reader.walk(schema, segments) for schema in success_bodies(case)]
    except UncarriedError as error:
        case.findings.uncarried(error, f"`{text}`", pointer)
        return
    if not any(step.exists and step.schema is not None for step in steps):
        why = f"no success of {case.operation.key} describes `{text}`"
        case.ledger.need(text, f"answer {text}", why, pointer)


def _check_item(case: Case, text: str, pointer: str) -> None:
    at = next((field.at for field in case.view if field.name == case.items), None) or ""
    segments = (*tokens_of("" if at == "body" else at), "*", *tokens_of(text))
    try:
        steps = [case.api.answer_reader.walk(schema, segments) for schema in success_bodies(case)]
    except UncarriedError as error:
        case.findings.uncarried(error, f"`last: {text}`", pointer)
        return
    if not any(step.exists and step.schema is not None for step in steps):
        message = f"the items of {case.name} have no `{text}`"
        case.findings.error("TC110", message, pointer)
