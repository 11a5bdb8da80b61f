"""The HTTP request, a pure function of contract and scope (P3, X1 to X3).

Credentials are no part of it: where the contract sends one as a value, `BuiltRequest.credentials` says where, and the
client puts it there when the request leaves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import digest
from toolcharter_runtime.language import UNSET, LanguageError, Place, Scope, parse_place, references
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.upstream.bodies import BodyPlan, write_body
from toolcharter_runtime.upstream.paths import PathTemplate, PathValue, parse_path
from toolcharter_runtime.upstream.rendering import Rendered, origin_of, render_checked
from toolcharter_runtime.upstream.styles import (
    Pair,
    header_text,
    pairs_of,
    scalar_text,
    write_pairs,
)

__all__ = ["BuiltRequest", "CredentialPlace", "build_request", "check_request", "request_digest"]

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}", re.ASCII)
_CREDENTIAL: Final = re.compile(r"\{\$credential\.([A-Za-z0-9_-]+)\}", re.ASCII)
_NEVER: Final = frozenset(
    (
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
_NEVER_FROM_INPUT: Final = frozenset(
    (
        "authorization",
        "cookie",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
    )
)
_METHODS: Final = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"))


@dataclass(frozen=True, slots=True)
class CredentialPlace:
    """Where a named value of the credential goes, as a whole value: a header, a query parameter or a body field."""

    location: Literal["header", "query", "body"]
    name: str
    """The header's or parameter's name; in a body, the pointer."""
    credential: str


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


@dataclass(frozen=True, slots=True)
class _ParameterPlan:
    parameter: frozen.Parameter
    part: Rendered
    credential: str | None
    precondition: bool


class _Plan:
    """A request's templates, parsed and checked once."""

    __slots__ = ("_body", "_parameters", "_path", "_request", "_version_in_body")

    def __init__(self, request: frozen.Request) -> None:
        if request.method not in _METHODS:
            raise LanguageError(f"`{request.method}` is not a method that is sent")
        self._request = request
        self._path: PathTemplate = parse_path(request.path)
        self._parameters = tuple(_parameter_plan(item) for item in request.parameters)
        self._body = None if request.body is None else BodyPlan(request.body)
        bindings = request.body.bindings if request.body is not None else ()
        self._version_in_body = any(_names_version(binding.value) for binding in bindings)
        known = {item.name for item in request.parameters if item.location == "path"}
        missing = [name for name in self._path.names if name not in known]
        if missing:
            raise LanguageError(f"the path parameter {missing[0]} has no source")

    def build(self, scope: Scope, overlay: Mapping[Place, Any]) -> BuiltRequest:
        paths: dict[str, PathValue] = {}
        pairs: list[Pair] = []
        headers: list[tuple[str, str]] = [("Accept", self._request.accept or "application/json")]
        credentials: list[CredentialPlace] = []
        precondition = self._version_in_body and "version" in scope.roots
        for plan in self._parameters:
            if plan.credential is not None:
                credentials.append(_credential_place(plan.parameter, plan.credential))
                continue
            value = _value(plan, scope, overlay)
            if value is UNSET or _is_weak(plan, value):
                continue
            precondition = precondition or plan.precondition
            self._write(plan, value, (paths, pairs, headers))
        pairs.extend(self._laid_query(overlay))
        body = self._build_body(scope, overlay, headers)
        return BuiltRequest(
            method=self._request.method,
            path=self._path.build(paths),
            query=write_pairs(pairs),
            headers=tuple(headers),
            body=body,
            credentials=tuple(credentials),
            precondition=precondition,
        )

    def _write(
        self,
        plan: _ParameterPlan,
        value: Any,
        into: tuple[dict[str, PathValue], list[Pair], list[tuple[str, str]]],
    ) -> None:
        paths, pairs, headers = into
        item, origin = plan.parameter, plan.part.origin
        if item.location == "path":
            paths[item.name] = _path_value(item, value, origin)
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


def _parameter_plan(item: frozen.Parameter) -> _ParameterPlan:
    template: Any = item.value
    if item.location == "header":
        _check_header(item.name, template)
    schema = item.accepts
    accepts = None if schema is None else compile_schema(schema)
    part = Rendered(template, origin_of(template), schema, accepts)
    matched = _CREDENTIAL.fullmatch(template) if isinstance(template, str) else None
    names_credential = any(found.root == "credential" for found in references(template))
    if names_credential and matched is None:
        raise LanguageError(f"the credential in {item.name} must be the whole value")
    precondition = _names_version(template) or item.name.lower() == "if-none-match"
    return _ParameterPlan(item, part, matched.group(1) if matched else None, precondition)


def _check_header(name: str, template: Any) -> None:
    lower = name.lower()
    if not _TOKEN.fullmatch(name) or lower in _NEVER:
        raise LanguageError(f"the header {name} is never a tool's to set")
    found = references(template)
    roots = {reference.root for reference in found}
    if lower in _NEVER_FROM_INPUT and None in roots:
        raise LanguageError(f"the header {name} cannot be bound to an input (X3)")
    if lower in ("authorization", "cookie") and roots != {"credential"}:
        raise LanguageError(f"the header {name} can only hold a credential")
    if None in roots and roots & {"key", "version", "credential"}:
        raise LanguageError(
            f"the header {name} mixes an input with a key, a version or a credential"
        )


def _names_version(template: Any) -> bool:
    return any(reference.root == "version" for reference in references(template))


def _credential_place(item: frozen.Parameter, credential: str) -> CredentialPlace:
    if item.location == "path":
        raise LanguageError("a credential cannot stand in a path")
    return CredentialPlace(item.location, item.name, credential)


def _value(plan: _ParameterPlan, scope: Scope, overlay: Mapping[Place, Any]) -> Any:
    item = plan.parameter
    if overlay:
        for place, value in overlay.items():
            if place.location == item.location and place.name.lower() == item.name.lower():
                return value
    return render_checked(plan.part, scope)


def _is_weak(plan: _ParameterPlan, value: Any) -> bool:
    """A weak validator is never sent in `If-Match` (V3); quotes that the template adds do not hide it."""
    if not plan.precondition or plan.parameter.name.lower() != "if-match":
        return False
    return isinstance(value, str) and value.lstrip('"').startswith("W/")


def _path_value(item: frozen.Parameter, value: Any, origin: str) -> PathValue:
    values = value if isinstance(value, list) else [value]
    if isinstance(value, dict):
        mark = "=" if item.explode else ","
        values = [f"{key}{mark}{scalar_text(value[key], origin)}" for key in sorted(value)]
    prefix = {"label": ".", "matrix": f";{item.name}="}.get(item.style, "")
    separator = {
        "label": "." if item.explode else ",",
        "matrix": prefix if item.explode else ",",
    }.get(item.style, ",")
    pieces = tuple(scalar_text(piece, origin) for piece in values)
    return PathValue(pieces, origin, item.multi_segment, prefix, separator)


def _overlay(values: Mapping[str, Any]) -> dict[Place, Any]:
    places = {parse_place(text): value for text, value in values.items()}
    for place in places:
        if place.location in ("path", "http"):
            raise LanguageError(f"a dry run cannot change {place}")
    return places
