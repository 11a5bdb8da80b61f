"""The HTTP request, a pure function of contract and scope (P3, X1 to X3).

Credentials are no part of it: where the contract sends one as a value, `BuiltRequest.credentials` says where, and the
client puts it there when the request leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import digest
from toolcharter_runtime.language import UNSET, LanguageError, Place, Scope, parse_place
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.bodies import BodyPlan, write_body
from toolcharter_runtime.upstream.parameters import (
    CredentialPlace,
    ParameterPlan,
    is_weak,
    names_version,
    path_value,
    plan_parameter,
    whole_credential,
)
from toolcharter_runtime.upstream.paths import PathTemplate, PathValue, parse_path
from toolcharter_runtime.upstream.rendering import render_checked
from toolcharter_runtime.upstream.styles import Pair, header_text, pairs_of, write_pairs

__all__ = ["BuiltRequest", "CredentialPlace", "build_request", "check_request", "request_digest"]

_LONGEST_TARGET: Final = 16_000
_METHODS: Final = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"))


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
        if request.method not in _METHODS:
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
        paths: dict[str, PathValue] = {}
        pairs: list[Pair] = []
        headers: list[tuple[str, str]] = [("Accept", self._request.accept or "application/json")]
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
            self._write(plan, value, (paths, pairs, headers))
        pairs.extend(self._laid_query(overlay))
        body = self._build_body(scope, overlay, headers)
        path, query = self._path.build(paths), write_pairs(pairs)
        if len(path) + len(query) > _LONGEST_TARGET:
            raise Rejected("", "the request's URL would be too long")
        return BuiltRequest(
            method=self._request.method,
            path=path,
            query=query,
            headers=tuple(headers),
            body=body,
            credentials=tuple(credentials),
            precondition=precondition,
        )

    def _write(
        self,
        plan: ParameterPlan,
        value: Any,
        into: tuple[dict[str, PathValue], list[Pair], list[tuple[str, str]]],
    ) -> None:
        paths, pairs, headers = into
        item, origin = plan.parameter, plan.part.origin
        if item.location == "path":
            paths[item.name] = path_value(item, value, origin)
        elif item.location == "query":
            style = "form" if item.style == "simple" else item.style
            pairs.extend(
                pairs_of(
                    item.name,
                    value,
                    style,
                    explode=item.explode,
                    reserved=item.allow_reserved,
                    pointer=origin,
                )
            )
        else:
            headers.append((item.name, header_text(value, explode=item.explode, pointer=origin)))

    def _laid_query(self, overlay: Mapping[Place, Any]) -> list[Pair]:
        if not overlay:
            return []
        known = {item.name for item in self._request.parameters if item.location == "query"}
        pairs: list[Pair] = []
        for place, value in overlay.items():
            if place.location == "query" and place.name not in known:
                pairs.extend(
                    pairs_of(place.name, value, "form", explode=True, reserved=False, pointer="")
                )
        return pairs

    def _build_body(
        self, scope: Scope, overlay: Mapping[Place, Any], headers: list[tuple[str, str]]
    ) -> bytes | None:
        if self._body is None:
            return None
        laid = {
            place.pointer: value for place, value in overlay.items() if place.location == "body"
        }
        body = self._body.body
        headers.append(("Content-Type", body.media))
        return write_body(body, self._body.build(scope, laid))


_PLANS: PerObject[frozen.Request, _Plan] = PerObject(_Plan)


def _value(plan: ParameterPlan, scope: Scope, overlay: Mapping[Place, Any]) -> Any:
    item = plan.parameter
    if overlay:
        for place, value in overlay.items():
            if place.location == item.location and place.name.lower() == item.name.lower():
                return value
    return render_checked(plan.part, scope)


def _overlay(values: Mapping[str, Any]) -> dict[Place, Any]:
    places = {parse_place(text): value for text, value in values.items()}
    for place in places:
        if place.location in ("path", "http"):
            raise LanguageError(f"a dry run cannot change {place}")
    return places
