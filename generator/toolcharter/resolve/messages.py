"""The parts of the HTTP message: parameters with their styles, the body with its bindings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

from toolcharter_runtime.frozen import Binding, Body, Carried, Parameter, Shape
from toolcharter_runtime.language import pointer_of, tokens_of

from .case import Case, Input
from .completeness import Source, check_body
from .entries import Entry
from .forms import resolve_encodings
from .laying import is_plain_list, is_plain_union, relative, shape_of
from .media import concrete, document_media

__all__ = ["check_sources", "resolve_body", "resolve_parameters"]

_Location: TypeAlias = Literal["path", "query", "header", "cookie"]
_LOCATIONS: Final[tuple[_Location, ...]] = ("path", "query", "header", "cookie")


def resolve_parameters(case: Case, entries: list[Entry]) -> Iterator[Parameter]:
    """Yield the parameters in the order of path, query, header, cookie; places below one are one value."""
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
    places: dict[str, int] = {location: index for index, location in enumerate(_LOCATIONS)}

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
    where: _Location = next(known for known in _LOCATIONS if known == location)
    style = declared.style if declared else "form" if where in ("query", "cookie") else "simple"
    single = entries[0] if len(entries) == 1 and not entries[0].place.pointer else None
    one = single.one if single else None
    return Parameter(
        location=where,
        name=name,
        value=value,
        style=style,
        explode=declared.explode if declared else where == "query",
        allow_reserved=declared.allow_reserved if declared else False,
        media=document_media(declared.media) if declared and declared.media else None,
        multi_segment=_may_span(one, value, where),
        accepts=single.accepts if single else None,
        shape=_shape([(tokens_of(entry.place.pointer), entry) for entry in entries]),
    )


def _shape(entries: list[tuple[tuple[str, ...], Entry]]) -> Shape | None:
    """Return how the values below a parameter are laid, each at its own pointer."""
    if len(entries) == 1 and not entries[0][0]:
        one = entries[0][1].one
        return None if one is None else shape_of(one)
    groups: dict[str, list[tuple[tuple[str, ...], Entry]]] = {}
    for tokens, entry in entries:
        if tokens:
            groups.setdefault(tokens[0], []).append((tokens[1:], entry))
    made = {name: _shape(group) for name, group in groups.items()}
    inside = {name: shape for name, shape in made.items() if shape is not None}
    return Shape(inside=inside) if inside else None


def _may_span(one: Input | None, value: Any, location: str) -> bool:
    """A slash written in a path's template stays one."""
    if location != "path":
        return False
    if one is not None:
        return bool(one.spec.multi_segment)
    return isinstance(value, str) and "/" in value


def _put(target: dict[str, Any], tokens: tuple[str, ...], value: Any) -> None:
    for segment in tokens[:-1]:
        target = target.setdefault(segment, {})
    target[tokens[-1]] = value


def resolve_body(case: Case, entries: list[Entry]) -> Body | None:
    """Return the body with its bindings in the order of their places; None where none is sent."""
    inside = sorted(
        (e for e in entries if e.place.location == "body"), key=lambda e: e.place.pointer
    )
    carried = _carried(case)
    if case.body is None or (not inside and carried is None and not case.body.required):
        return None
    bindings = tuple(binding for entry in inside for binding in _bindings(entry))
    partial = case.spec.partial
    return Body(
        media=concrete(case.body.media),
        kind=case.body.kind,
        bindings=bindings,
        encodings=resolve_encodings(case, inside),
        carried=carried,
        partial=_is_partial(case) if partial is None else partial,
        optional=case.is_body_optional,
    )


def _is_partial(case: Case) -> bool:
    """An absent field leaves its value alone: of a PATCH, and of a merge patch (RFC 7396) by any method."""
    is_merge = case.body is not None and "merge-patch" in case.body.media
    return case.operation.method == "PATCH" or is_merge


def _carried(case: Case) -> Carried | None:
    replaces = case.spec.replaces
    if replaces is None or replaces.at is None:
        return None
    return Carried(at=replaces.at, without=replaces.without)


def _bindings(entry: Entry) -> Iterator[Binding]:
    one, at = entry.one, entry.place.pointer
    if one is None:
        yield Binding(at=at, value=entry.value, accepts=entry.accepts)
    elif is_plain_list(one):
        members = one.element.fields if one.element is not None else None
        items = tuple(
            Binding(at=relative(inner), value=f"{{{inner.name}}}") for inner in members or ()
        )
        yield Binding(at=at, each=one.name, item=items)
    elif is_plain_union(one):
        yield Binding(at=at + pointer_of(str(one.tag)), value=f"{{{one.name}.{one.tag}}}")
        seen: set[tuple[str, str]] = set()
        for branch in (one.branches or {}).values():
            for inner in branch:
                found = (relative(inner), inner.name)
                if found not in seen:
                    seen.add(found)
                    yield Binding(at=at + found[0], value=f"{{{one.name}.{inner.name}}}")
    else:
        yield Binding(at=at, value=entry.value, shape=shape_of(one))


def check_sources(case: Case, entries: list[Entry]) -> None:
    """Report what the body requires and nothing fills."""
    if case.body is None:
        return
    sources = [_source(entry) for entry in entries if entry.place.location == "body"]
    at = None if case.spec.replaces is None else case.spec.replaces.at
    if at is not None and (not at or at.startswith("/")):  # any other is TC735
        tokens = tokens_of(at)
        sources = [s for s in sources if s.tokens[: len(tokens)] != tokens]
        sources.append(Source(tokens, True, "replaces", case.at("replaces"), True))
    check_body(case, sources)


def _source(entry: Entry) -> Source:
    tokens = tokens_of(entry.place.pointer)
    is_whole = entry.one is None or not entry.one.is_leaf
    name = entry.one.name if entry.one else str(entry.place)
    return Source(tokens, entry.always, name, entry.pointer, is_whole)
