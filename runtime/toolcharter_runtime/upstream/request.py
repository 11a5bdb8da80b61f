"""The HTTP request, a pure function of contract and scope (P3, X1 to X3).

Credentials are no part of it: where the contract sends one as a value, `BuiltRequest.credentials` says where, and the
client puts it there when the request leaves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import digest
from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.language import UNSET, LanguageError, Place, Scope, parse_place
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.bodies import BodyPlan
from toolcharter_runtime.upstream.parameters import (
    CredentialPlace,
    ParameterPlan,
    is_weak,
    names_version,
    plan_parameter,
    whole_credential,
)
from toolcharter_runtime.upstream.parts import Parts, extend
from toolcharter_runtime.upstream.paths import PathTemplate, parse_path
from toolcharter_runtime.upstream.rendering import render_checked
from toolcharter_runtime.upstream.styles import (
    Writer,
    cookie_pairs,
    header_text,
    write_pairs,
)
from toolcharter_runtime.upstream.writing import write_body

__all__ = [
    "BuiltRequest",
    "CredentialPlace",
    "build_request",
    "check_request",
    "is_sent",
    "request_digest",
]

_LONGEST_TARGET: Final = 16_000
_METHOD: Final = re.compile(r"[A-Z][A-Z0-9!#$%&'*+.^_`|~-]{0,31}")
_NEVER_SENT: Final = frozenset(("CONNECT", "TRACE"))
"""One asks for a tunnel, the other to be told what was sent, credentials included."""


def is_sent(method: str) -> bool:
    """Say whether a method is one that the boundary sends, as it is written: of HTTP, or an API's own in capitals."""
    return _METHOD.fullmatch(method) is not None and method not in _NEVER_SENT


@dataclass(frozen=True, slots=True)
class BuiltRequest:
    """A request that lacks only its credentials. `path` and `query` are encoded; the query has no question mark."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    credentials: tuple[CredentialPlace, ...] = ()
    precondition: bool = field(default=False, compare=False)
    """Whether the target's version, or `If-None-Match: *`, is in the request (V4)."""


def build_request(
    request: frozen.Request, scope: Scope, *, overlay: Mapping[str, Any] | None = None
) -> BuiltRequest:
    """Return the request of a call; raise `Rejected` with the place of the argument that does not fit.

    `overlay` lays values over places of the request (a dry run). A full replacement takes the target's object from the
    root `carried` of the scope (`carry`).
    """
    return _PLANS.of(request).build(scope, _overlay(overlay or {}))


def check_request(request: frozen.Request) -> None:
    """Raise `LanguageError` for a request that could never be sent, e.g. one that binds an input to `Cookie` (X3)."""
    _PLANS.of(request)


def request_digest(built: BuiltRequest) -> str:
    """Return the digest of method, path, query, headers and body bytes: all but credentials."""
    body = None if built.body is None else hashlib.sha256(built.body).hexdigest()
    places = [[place.location, place.name, place.credential] for place in built.credentials]
    headers = [list(header) for header in built.headers]
    return digest("request", [built.method, built.path, built.query, headers, body, places])


class _Plan:
    """A request's templates, parsed and checked once."""

    __slots__ = ("_body", "_in_body", "_parameters", "_path", "_request", "_version_in_body")

    def __init__(self, request: frozen.Request) -> None:
        if not is_sent(request.method):
            raise LanguageError(f"`{request.method}` is not a method that is sent")
        self._request = request
        self._path: PathTemplate = parse_path(request.path)
        self._parameters = tuple(plan_parameter(item) for item in request.parameters)
        bindings = request.body.bindings if request.body is not None else ()
        places = [(item, whole_credential(item.at, item.value)) for item in bindings]
        self._in_body = tuple(
            CredentialPlace("body", item.at, name) for item, name in places if name is not None
        )
        sent = tuple(item for item, name in places if name is None)
        self._body = None if request.body is None else BodyPlan(request.body, sent)
        self._version_in_body = any(names_version(binding.value) for binding in bindings)
        known = {item.name for item in request.parameters if item.location == "path"}
        missing = [name for name in self._path.names if name not in known]
        if missing:
            raise LanguageError(f"the path parameter {missing[0]} has no source")

    def build(self, scope: Scope, overlay: Mapping[Place, Any]) -> BuiltRequest:
        parts = Parts(headers=[("Accept", self._request.accept or "application/json")])
        credentials: list[CredentialPlace] = [*self._in_body]
        precondition = self._version_in_body and "version" in scope.roots
        for plan in self._parameters:
            if plan.credential is not None:
                credentials.append(plan.credential)
                continue
            value = _value(plan, scope, overlay)
            if value is UNSET or is_weak(plan, value):
                continue
            precondition = precondition or plan.precondition
            parts.add(plan, value)
        self._lay_beside(overlay, parts)
        parts.close_cookies()
        body = self._build_body(scope, overlay, parts.headers)
        path, query = self._path.build(parts.paths), write_pairs(parts.pairs)
        if len(path) + len(query) > _LONGEST_TARGET:
            raise Rejected("", "the request's URL would be too long")
        return BuiltRequest(
            method=self._request.method,
            path=path,
            query=query,
            headers=tuple(parts.headers),
            body=body,
            credentials=tuple(credentials),
            precondition=precondition,
        )

    def _lay_beside(self, overlay: Mapping[Place, Any], parts: Parts) -> None:
        """Write what a dry run sends where the request itself has no parameter."""
        known = {(item.location, item.name.lower()) for item in self._request.parameters}
        for place, value in overlay.items():
            if (place.location, place.name.lower()) in known or place.location == "body":
                continue
            match place.location:
                case "query":
                    more = list(Writer().pairs(place.name, value, "form", explode=True, pointer=""))
                    extend(parts.pairs, more, "")
                case "header":
                    parts.headers.append(
                        (place.name, header_text(value, explode=False, pointer=""))
                    )
                case "cookie":
                    more = list(cookie_pairs(place.name, value, "form", explode=False, pointer=""))
                    extend(parts.cookies, more, "")
                case _:
                    raise LanguageError(f"a dry run cannot change {place}")

    def _build_body(
        self, scope: Scope, overlay: Mapping[Place, Any], headers: list[tuple[str, str]]
    ) -> bytes | None:
        laid = {
            place.pointer: value for place, value in overlay.items() if place.location == "body"
        }
        if self._body is None:
            if laid:
                raise LanguageError("a dry run needs a body, and the request has none")
            return None
        value = self._body.build(scope, laid)
        if value is UNSET:
            return None
        content, content_type = write_body(self._body.body, value)
        headers.append(("Content-Type", content_type))
        return content


_PLANS: PerObject[frozen.Request, _Plan] = PerObject(_Plan)


def _value(plan: ParameterPlan, scope: Scope, overlay: Mapping[Place, Any]) -> Any:
    item = plan.parameter
    if overlay:
        for place, value in overlay.items():
            if place.location == item.location and place.name.lower() == item.name.lower():
                return value
    value = render_checked(plan.part, scope)
    return value if value is UNSET else _without_unset(plan.part.template, value)


def _without_unset(template: Any, value: Any) -> Any:
    """Leave out the maps of a composed parameter in which no entry is set; an empty map of an input stays one."""
    if not is_object(template) or not is_object(value):
        return value
    kept = {name: _without_unset(template.get(name), item) for name, item in value.items()}
    kept = {name: item for name, item in kept.items() if item is not UNSET}
    return kept if kept or not template else UNSET


def _overlay(values: Mapping[str, Any]) -> dict[Place, Any]:
    places = {parse_place(text): value for text, value in values.items()}
    for place in places:
        if place.location in ("path", "http"):
            raise LanguageError(f"a dry run cannot change {place}")
    return places
