"""The HTTP request, whole but for its credential: what stands at each place, and that nothing is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

from toolcharter.charter.places import escape
from toolcharter_runtime.frozen import Parameter, Request
from toolcharter_runtime.language import (
    LanguageError,
    Place,
    Reference,
    parse_place,
    references,
    tokens_of,
)
from toolcharter_runtime.upstream.paths import parse_path
from toolcharter_runtime.upstream.request import is_sent

from .case import Case, Spot
from .completeness import check_parameters
from .credentials import credential_of_cookie
from .entries import Entry
from .findings import UncarriedError
from .forms import check_parts
from .holding import check_query_language, holds_slash
from .media import concrete
from .messages import check_sources, resolve_body, resolve_parameters
from .operations import answer_media, success_responses
from .places import find_spot
from .proofs import key_form_of, prove
from .values import Values
from .writable import check_writable

__all__ = ["resolve_request", "sent_references"]


def resolve_request(case: Case, before: Case | None) -> Request:
    """Return the request of a tool; `before` is the tool that reads the target."""
    entries = _single(case, [*_of_inputs(case), *_of_send(case, before), *_of_page(case)])
    form = key_form_of(case, [(entry.value, entry.spot, entry.pointer) for entry in entries])
    proved = [_proved(case, entry, Values(case, form or "uuid", before)) for entry in entries]
    if case.is_placed:
        check_parameters(
            case, [entry.place for entry in proved if entry.always], [e.place for e in proved]
        )
        check_sources(case, proved)
    check_parts(case)
    path, constants = _target(case, proved)
    return Request(
        method=case.operation.method,
        path=path,
        parameters=(*resolve_parameters(case, proved), *constants),
        body=resolve_body(case, proved),
        accept=_accept(case),
        key_form=form,
    )


def _accept(case: Case) -> str | None:
    """Return what the request asks for: the media types that the view is read from, in the order of the statuses."""
    found: dict[str, None] = {}
    for _, response in success_responses(case.operation):
        media = answer_media(response)
        if media is not None:
            found[concrete(media).partition(";")[0].strip()] = None
    return ", ".join(found) or None


def _target(case: Case, entries: list[Entry]) -> tuple[str, list[Parameter]]:
    """Return the path, and what a path that is written with a query sends in every call; a fragment is never sent."""
    bare, _, _ = case.operation.path.partition("#")
    path, _, query = bare.partition("?")
    filled = {entry.place.name for entry in entries if entry.place.location == "query"}
    constants = [
        Parameter(location="query", name=name, value=value, style="form", explode=True)
        for name, value in parse_qsl(query, keep_blank_values=True)
        if name not in filled
    ]
    method, problem = case.operation.method, None
    if "{" in query:
        problem = f"the path {case.operation.path} has a parameter behind its question mark"
    elif not is_sent(method):
        problem = f"the method {method} cannot be sent"
    else:
        try:
            parse_path(path)
        except LanguageError as error:
            problem = error.reason
    if problem is not None:
        case.findings.error("TC705", problem, case.operation.origin, "choose another operation")
    return path, constants


def sent_references(request: Request) -> Iterator[tuple[str, Reference, Any]]:
    """Yield (place, reference, whole template) for all that the request sends."""
    for parameter in request.parameters:
        for reference in references(parameter.value):
            yield f"{parameter.location}.{parameter.name}", reference, parameter.value
    for binding in request.body.bindings if request.body else ():
        for reference in references(binding.value):
            yield binding.at or "body", reference, binding.value


def _of_inputs(case: Case) -> Iterator[Entry]:
    for one in case.inputs.values():
        if one.place is not None:
            spot = Spot(None, False)
            yield Entry(one.place, f"{{{one.name}}}", spot, one.pointer, one.required, one=one)


def _of_send(case: Case, before: Case | None) -> Iterator[Entry]:
    own = {str(parse_place(place)).lower() for place in case.spec.send}
    own |= {str(one.place).lower() for one in case.inputs.values() if one.place is not None}
    for text, value in case.api.charter.defaults.send.items():
        place = parse_place(text)
        if str(place).lower() in own or not _default_fits(case, place, value):
            continue
        pointer = f"/defaults/send/{escape(text)}"
        case.api.used_defaults.add(pointer.removeprefix("/defaults"))
        yield from _sent(case, place, value, pointer, before)
    for text, value in case.spec.send.items():
        pointer = case.at("send", text)
        case.places[f"send.{text}"] = case.api.charter.origin(pointer)
        yield from _sent(case, parse_place(text), value, pointer, before)


def _default_fits(case: Case, place: Place, value: Any) -> bool:
    """Say whether a default has its place here; a read never sends what only a write has."""
    roots = {reference.root for reference in references(value)}
    if not case.is_write and roots & {"key", "marker", "version", "before"}:
        return False
    if any(r.root is None and r.path[0] not in case.inputs for r in references(value)):
        return False
    if place.location == "path":
        return place.name in case.operation.path_names
    if place.location in ("query", "header", "cookie"):
        attested = case.ledger.has(f"{place.location}.{place.name}")
        return attested or case.parameter(place.location, place.name) is not None
    if case.body is None:
        return False
    try:
        step = case.api.reader.walk(case.body.schema, tokens_of(place.pointer))
    except UncarriedError:
        return False
    return step.exists and step.schema is not None


def _sent(
    case: Case, place: Place, value: Any, pointer: str, before: Case | None
) -> Iterator[Entry]:
    names = [_names_exist(case, reference, pointer, before) for reference in references(value)]
    spot = find_spot(case, place, pointer)
    if not all(names) or spot is None:
        case.is_placed = False
    else:
        yield Entry(place, value, spot, pointer, Values(case).is_sure(value))


def _names_exist(case: Case, reference: Reference, pointer: str, before: Case | None) -> bool:
    problem = case.name_problem(reference, before)
    if problem is not None:
        case.findings.error("TC737", problem[0], pointer, problem[1])
    return problem is None


def _of_page(case: Case) -> Iterator[Entry]:
    page = case.spec.page
    if page is None:
        return
    pointer = case.at("page")
    for text, size in (page.size or {}).items():
        yield from _sent(case, parse_place(text), size, f"{pointer}/size/{escape(text)}", None)
    spot = find_spot(case, parse_place(page.to), f"{pointer}/to")
    if spot is not None:
        yield Entry(parse_place(page.to), "{$cursor}", spot, f"{pointer}/to", False)


def _single(case: Case, entries: list[Entry]) -> list[Entry]:
    """Report what is filled twice, and return the rest; what is filled as a whole has no other source inside it."""
    seen: set[str] = set()
    whole = {f"{_key(entry.place)}/": entry.place for entry in entries}
    single: list[Entry] = []
    for entry in entries:
        key = _key(entry.place)
        if key in seen:
            message, hint = f"`{entry.place}` is filled twice", "leave one of the two"
        elif outer := [place for prefix, place in whole.items() if key.startswith(prefix)]:
            message = f"`{entry.place}` lies inside `{outer[0]}`, which is filled too"
            hint = "fill one of the two"
        else:
            single.append(entry)
            seen.add(key)
            continue
        case.findings.error("TC118", message, entry.pointer, hint)
    return single


def _key(place: Place) -> str:
    """Return one text for one place: a body's is its pointer, and the names of headers ignore case."""
    if place.location == "body":
        return place.pointer
    return str(place).lower() if place.location == "header" else str(place)


def _check_slashes(case: Case, entry: Entry, values: Values) -> None:
    """A slash written in a path's template stays one, and no input may bring another."""
    if entry.place.location != "path" or not isinstance(entry.value, str) or "/" not in entry.value:
        return
    spanning = frozenset(name for name, one in case.inputs.items() if one.spec.multi_segment)
    found = holds_slash(entry.value, values, spanning)
    if found is not None:
        message = f"input `{found}` may hold a slash, and `{entry.place}` spans segments"
        hint = "bound it by an anchored pattern without `/`, or say `multi_segment: true`"
        case.findings.error("TC121", message, entry.pointer, hint)


def _check_cookie(case: Case, entry: Entry) -> None:
    """A cookie that is a credential is filled from credentials only."""
    if entry.place.location != "cookie" or {r.root for r in references(entry.value)} == {
        "credential"
    }:
        return
    scheme = credential_of_cookie(case, entry.place.name)
    if scheme is not None:
        message = f"`{entry.place}` is the credential of the scheme `{scheme}`"
        case.findings.error("TC118", message, entry.pointer, "leave it out; `auth` fills it")


def _proved(case: Case, entry: Entry, values: Values) -> Entry:
    is_cursor = any(reference.root == "cursor" for reference in references(entry.value))
    _check_cookie(case, entry)
    check_writable(case, entry)
    if entry.one is not None or is_cursor:
        return entry
    check_query_language(case, entry.place, entry.value, values, entry.pointer)
    _check_slashes(case, entry, values)
    accepts = prove(case, entry.value, entry.spot, values, entry.pointer)
    return Entry(entry.place, entry.value, entry.spot, entry.pointer, entry.always, accepts)
