"""The HTTP request, whole but for its credential: what stands at each place, and that nothing is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from toolcharter.charter.places import escape
from toolcharter_runtime.frozen import Binding, Body, Carried, Encoding, Parameter, Request
from toolcharter_runtime.language import (
    Place,
    Reference,
    parse_place,
    pointer_of,
    references,
    tokens_of,
)

from .case import Case, Input, Spot
from .completeness import Source, check_body, check_parameters
from .findings import UncarriedError
from .merging import JsonSchema
from .operations import success_bodies
from .places import find_spot
from .proofs import key_form_of, prove
from .values import Values

__all__ = ["Entry", "resolve_request", "sent_references"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One place of the request and the template that stands there."""

    place: Place
    value: Any
    spot: Spot
    pointer: str
    always: bool
    """The place has a value in every call."""
    accepts: JsonSchema | None = None
    one: Input | None = None
    """The input that stands there as it is."""


def resolve_request(case: Case, before: Case | None) -> Request:
    """Return the request of a tool; `before` is the tool that reads the target."""
    entries = [*_of_inputs(case), *_of_send(case, before), *_of_page(case)]
    _check_single(case, entries)
    form = key_form_of(case, [(entry.value, entry.spot, entry.pointer) for entry in entries])
    proved = [_proved(case, entry, Values(case, form or "uuid", before)) for entry in entries]
    check_parameters(
        case, [entry.place for entry in proved if entry.always], [e.place for e in proved]
    )
    _check_body(case, proved)
    return Request(
        method=case.operation.method,
        path=case.operation.path,
        parameters=tuple(_parameters(case, proved)),
        body=_body(case, proved),
        accept="application/json" if success_bodies(case) else None,
        key_form=form,
    )


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
    if place.location in ("query", "header"):
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
    if all(names) and spot is not None:
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


def _check_single(case: Case, entries: list[Entry]) -> None:
    """One place has one source; a whole body has no other."""
    seen: dict[str, str] = {}
    for entry in entries:
        key = str(entry.place).lower() if entry.place.location == "header" else str(entry.place)
        if key in seen:
            message = f"`{entry.place}` is filled twice"
            case.findings.error("TC118", message, entry.pointer, "leave one of the two")
        seen[key] = entry.pointer
    bodies = [e for e in entries if e.place.location == "body"]
    for outer in bodies:
        for inner in bodies:
            prefix = f"{outer.place.pointer}/"
            if inner is not outer and inner.place.pointer.startswith(prefix):
                message = f"`{inner.place}` lies inside `{outer.place}`, which is filled too"
                case.findings.error("TC118", message, inner.pointer, "fill one of the two")


def _proved(case: Case, entry: Entry, values: Values) -> Entry:
    is_cursor = any(reference.root == "cursor" for reference in references(entry.value))
    if entry.one is not None or is_cursor:
        return entry
    accepts = prove(case, entry.value, entry.spot, values, entry.pointer)
    return Entry(entry.place, entry.value, entry.spot, entry.pointer, entry.always, accepts)


def _parameters(case: Case, entries: list[Entry]) -> Iterator[Parameter]:
    grouped: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.place.location != "body":
            name = entry.place.name
            declared = case.parameter(entry.place.location, name)
            grouped.setdefault(
                (entry.place.location, declared.name if declared else name), []
            ).append(entry)
    for key in sorted(grouped, key=_order(case)):
        yield _parameter(case, key, grouped[key])


def _order(case: Case) -> Any:
    places = {"path": 0, "query": 1, "header": 2}

    def order(key: tuple[str, str]) -> tuple[int, int, str]:
        names = case.operation.path_names
        return (places[key[0]], names.index(key[1]) if key[1] in names else 0, key[1])

    return order


def _parameter(case: Case, key: tuple[str, str], entries: list[Entry]) -> Parameter:
    location, name = key
    declared = case.parameter(location, name)
    value: Any = entries[0].value
    if any(entry.place.pointer for entry in entries):
        value = {}
        for entry in entries:
            _put(value, tokens_of(entry.place.pointer), entry.value)
    where: Literal["path", "query", "header"] = (
        "path" if location == "path" else "query" if location == "query" else "header"
    )
    style = declared.style if declared else "form" if where == "query" else "simple"
    single = entries[0] if len(entries) == 1 and not entries[0].place.pointer else None
    one = single.one if single else None
    return Parameter(
        location=where,
        name=name,
        value=value,
        style=style,
        explode=declared.explode if declared else where == "query",
        allow_reserved=declared.allow_reserved if declared else False,
        multi_segment=_may_span(one, value, where),
        accepts=single.accepts if single else None,
    )


def _may_span(one: Input | None, value: Any, location: str) -> bool:
    """A slash written in a path's template stays one (charter.md, section 5)."""
    if location != "path":
        return False
    if one is not None:
        return bool(one.spec.multi_segment)
    return isinstance(value, str) and "/" in value


def _put(target: dict[str, Any], tokens: tuple[str, ...], value: Any) -> None:
    for segment in tokens[:-1]:
        target = target.setdefault(segment, {})
    target[tokens[-1]] = value


def _body(case: Case, entries: list[Entry]) -> Body | None:
    inside = sorted(
        (e for e in entries if e.place.location == "body"), key=lambda e: e.place.pointer
    )
    carried = _carried(case)
    if case.body is None or (not inside and carried is None and not case.body.required):
        return None
    bindings = tuple(binding for entry in inside for binding in _bindings(entry))
    declared = case.operation.bodies[case.body.media].encodings
    used = {tokens_of(entry.place.pointer)[0] for entry in inside if entry.place.pointer}
    encodings = {
        name: Encoding(
            style=_form_style(e.style), explode=e.explode, allow_reserved=e.allow_reserved
        )
        for name, e in declared.items()
        if name in used
    }
    partial = case.spec.partial
    return Body(
        media=case.body.media,
        kind="form" if case.body.kind == "form" else "json",
        bindings=bindings,
        encodings=encodings if case.body.kind == "form" else {},
        carried=carried,
        partial=case.operation.method == "PATCH" if partial is None else partial,
    )


def _form_style(style: str) -> Literal["form", "spaceDelimited", "pipeDelimited", "deepObject"]:
    match style:
        case "spaceDelimited" | "pipeDelimited" | "deepObject":
            return style
        case _:
            return "form"


def _carried(case: Case) -> Carried | None:
    replaces = case.spec.replaces
    if replaces is None or replaces.at is None:
        return None
    return Carried(at=replaces.at, without=replaces.without)


def _bindings(entry: Entry) -> Iterator[Binding]:
    one, at = entry.one, entry.place.pointer
    if one is None:
        yield Binding(at=at, value=entry.value, accepts=entry.accepts)
    elif one.each is not None:
        items = tuple(Binding(at=_relative(inner), value=f"{{{inner.name}}}") for inner in one.each)
        yield Binding(at=at, each=one.name, item=items)
    elif one.branches is not None:
        yield Binding(at=at + pointer_of(str(one.tag)), value=f"{{{one.name}.{one.tag}}}")
        seen: set[tuple[str, str]] = set()
        for branch in one.branches.values():
            for inner in branch:
                found = (_relative(inner), inner.name)
                if found not in seen:
                    seen.add(found)
                    yield Binding(at=at + found[0], value=f"{{{one.name}.{inner.name}}}")
    else:
        yield Binding(at=at, value=entry.value)


def _relative(inner: Input) -> str:
    return inner.spec.to if inner.spec.to is not None else pointer_of(inner.name)


def _check_body(case: Case, entries: list[Entry]) -> None:
    if case.body is None:
        return
    sources = [_source(entry) for entry in entries if entry.place.location == "body"]
    if case.spec.replaces is not None and case.spec.replaces.at is not None:
        tokens = tokens_of(case.spec.replaces.at)
        sources = [s for s in sources if s.tokens[: len(tokens)] != tokens]
        sources.append(Source(tokens, True, "replaces", case.at("replaces"), True))
    check_body(case, sources)


def _source(entry: Entry) -> Source:
    tokens = tokens_of(entry.place.pointer)
    is_whole = entry.one is None or entry.one.branches is not None or entry.one.each is not None
    name = entry.one.name if entry.one else str(entry.place)
    return Source(tokens, entry.always, name, entry.pointer, is_whole)
