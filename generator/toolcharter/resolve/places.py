"""Where a place of the request leads in the description."""

from __future__ import annotations

import re
from typing import Final

from toolcharter.charter.findings import nearest
from toolcharter.source import ParameterSpec
from toolcharter_runtime.language import Place, tokens_of

from .case import Case, Spot
from .findings import UncarriedError
from .media import document_media
from .merging import types_of

__all__ = ["find_spot", "is_owned"]

_SENT = "it is sent as the request needs it; leave it out"
_OWNED: Final = {
    "accept": "it names what the view is read from; leave it out",
    "content-type": "`media` says which; leave it out",
    **dict.fromkeys(
        (
            "connection",
            "content-length",
            "expect",
            "host",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
        ),
        _SENT,
    ),
    "content-encoding": "a body is sent as it is; leave it out",
}
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}", re.ASCII)


def find_spot(case: Case, place: Place, pointer: str) -> Spot | None:
    """Return the place in the description; reports one that is not there, unless it is attested.

    A place is looked for once: what is wrong with it is reported once.
    """
    key = str(place)
    if key not in case.spots:
        case.spots[key] = _find(case, place, pointer)
    return case.spots[key]


def _find(case: Case, place: Place, pointer: str) -> Spot | None:
    if place.location == "body":
        return _in_body(case, place, pointer)
    if place.location == "http":
        message = "`http` is an answer's status, not a place of the request"
        case.findings.error("TC735", message, pointer)
        return None
    return _in_parameters(case, place, pointer)


def _in_parameters(case: Case, place: Place, pointer: str) -> Spot | None:
    if place.location == "header" and is_owned(place.name):
        message = f"the header `{place.name}` is the boundary's own to send"
        case.findings.error(
            "TC705", message, pointer, _OWNED.get(place.name.lower(), "leave it out")
        )
        return None
    parameter = case.parameter(place.location, place.name)
    is_lost = place.location == "path" and place.name not in case.operation.path_names
    if parameter is None or is_lost:
        return _undeclared(case, place, pointer)
    problem = _unwritable(case, parameter)
    if problem is not None:
        case.findings.error("TC705", problem, parameter.origin, "leave it out")
        return None
    try:
        step = case.api.reader.walk(parameter.schema, tokens_of(place.pointer))
    except UncarriedError as error:
        case.findings.uncarried(error, f"`{place}`", pointer)
        return None
    if not step.exists:
        message = f"`{place.location}.{place.name}` has no `{place.pointer}`"
        case.findings.error(
            "TC110", message, pointer, nearest(place.pointer.rpartition("/")[2], step.known)
        )
        return None
    case.ledger.state(f"place {place}", "proved")
    required = (parameter.required or place.location == "path") and step.required
    return Spot(step.schema, required, parameter, description=parameter.description)


def _unwritable(case: Case, parameter: ParameterSpec) -> str | None:
    """Return why a declared parameter cannot be sent, or None."""
    place = f"`{parameter.location}.{parameter.name}`"
    if parameter.media is not None:
        if document_media(parameter.media) is None:
            return f"{place} holds a document of {parameter.media}, which cannot be sent"
        return None
    if parameter.location in ("header", "cookie") and not _TOKEN.fullmatch(parameter.name):
        return f"{place} has a name that no {parameter.location} can have"
    is_delimited = parameter.style in ("spaceDelimited", "pipeDelimited", "tabDelimited")
    if is_delimited and parameter.explode and _is_several(case, parameter):
        return f"{place} is {parameter.style} and exploded, which no two servers read alike"
    is_form_cookie = parameter.location == "cookie" and parameter.style == "form"
    if is_form_cookie and parameter.explode and _is_several(case, parameter):
        return f"{place} is an exploded list or object, which has no form in a cookie"
    return None


def _is_several(case: Case, parameter: ParameterSpec) -> bool:
    try:
        branches = case.api.reader.expand(parameter.schema).branches
    except UncarriedError:
        return False
    return any(kind in ("array", "object") for b in branches for kind in types_of(b.schema) or ())


def is_owned(name: str) -> bool:
    """Say whether a header is the boundary's own, whatever the description declares (OpenAPI ignores most of them)."""
    return name.lower() in _OWNED


def _undeclared(case: Case, place: Place, pointer: str) -> Spot | None:
    if place.location == "path":
        if place.name in case.operation.path_names:
            case.ledger.state(
                f"place {place}", "proved", "in the path's template; typed in the charter"
            )
            return Spot(None, True)
        message = f"the path of {case.operation.key} has no `{place.name}`"
        near = nearest(place.name, case.operation.path_names)
        case.findings.error("TC110", message, pointer, near or "leave it out")
        return None
    key = f"{place.location}.{place.name}"
    if case.ledger.attested(key, f"place {key}"):
        return Spot(None, False, is_described=False)
    known = [p.name for p in case.operation.parameters if p.location == place.location]
    near = nearest(place.name, known)
    message = f"{case.operation.key} declares no {place.location} parameter `{place.name}`"
    if near.startswith("did you mean"):
        case.findings.error("TC110", message, pointer, near)
    else:
        case.ledger.need(key, f"place {key}", message, pointer)
    return None


def _in_body(case: Case, place: Place, pointer: str) -> Spot | None:
    if case.body is None:
        if not case.operation.bodies:
            message = f"{case.operation.key} declares no request body"
            case.findings.error(
                "TC110", message, pointer, "send it elsewhere, or add the body with an overlay"
            )
        return None
    tokens = tokens_of(place.pointer)
    try:
        step = case.api.reader.walk(case.body.schema, tokens)
    except UncarriedError as error:
        case.findings.uncarried(error, f"`{place}`", pointer)
        return None
    if not step.exists:
        message = f"the body of {case.operation.key} has no `{place}`"
        case.findings.error("TC110", message, pointer, nearest(tokens[-1], step.known))
        return None
    typed_here = step.schema is None and bool(tokens)
    note = "under an open object; typed in the charter" if typed_here else None
    case.ledger.state(f"place {place}", "declared" if typed_here else "proved", note)
    described = None if step.schema is None else step.schema.get("description")
    return Spot(
        step.schema, case.body.required and step.required, description=described, known=step.known
    )
