"""Parameters of the request: what may stand in them, and who may put it there (X1, X3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from toolcharter_runtime import frozen
from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.language import LanguageError, references
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.laying import laying_of
from toolcharter_runtime.upstream.paths import PathValue, check_segment
from toolcharter_runtime.upstream.rendering import Rendered, origin_of
from toolcharter_runtime.upstream.styles import (
    SEPARATORS,
    document_text,
    joined,
    percent,
    scalar_text,
)

__all__ = [
    "CredentialPlace",
    "ParameterPlan",
    "is_weak",
    "names_version",
    "path_value",
    "plan_parameter",
    "whole_credential",
]

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


@dataclass(frozen=True, slots=True)
class CredentialPlace:
    """Where a named value of the credential goes, as a whole value: a parameter or a body field."""

    location: Literal["header", "query", "cookie", "body"]
    name: str
    """The parameter's name; in a body, the pointer."""
    credential: str


@dataclass(frozen=True, slots=True)
class ParameterPlan:
    """A parameter with its template parsed; `precondition` where it carries the target's version."""

    parameter: frozen.Parameter
    part: Rendered
    credential: CredentialPlace | None
    precondition: bool


def plan_parameter(item: frozen.Parameter) -> ParameterPlan:
    """Parse a parameter's template; raise `LanguageError` for a header that is not a tool's to set."""
    template: Any = item.value
    if item.location == "header":
        _check_header(item.name, template)
    if item.location == "cookie" and not _TOKEN.fullmatch(item.name):
        raise LanguageError(f"the cookie {item.name} has a name that no cookie can have")
    schema = item.accepts
    accepts = None if schema is None else compile_schema(schema)
    part = Rendered(template, origin_of(template), schema, accepts, laying_of(item.shape))
    precondition = names_version(template) or item.name.lower() == "if-none-match"
    name = whole_credential(item.name, template)
    if name is None:
        return ParameterPlan(item, part, None, precondition)
    if item.location == "path":
        raise LanguageError("a credential cannot stand in a path")
    return ParameterPlan(item, part, CredentialPlace(item.location, item.name, name), precondition)


def whole_credential(place: str, template: Any) -> str | None:
    """Return the credential's name where a template is `{$credential.NAME}`; it can be no part of anything else."""
    matched = _CREDENTIAL.fullmatch(template) if isinstance(template, str) else None
    if matched is not None:
        return matched.group(1)
    if any(found.root == "credential" for found in references(template)):
        raise LanguageError(f"the credential in {place} must be the whole value")
    return None


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


def names_version(template: Any) -> bool:
    """Return whether the template names the target's version."""
    return any(reference.root == "version" for reference in references(template))


def is_weak(plan: ParameterPlan, value: Any) -> bool:
    """Return whether this is `If-Match` with a weak validator, which is never sent (V3).

    Quotes that the template adds do not hide it.
    """
    if not plan.precondition or plan.parameter.name.lower() != "if-match":
        return False
    return isinstance(value, str) and value.lstrip('"').startswith("W/")


def path_value(item: frozen.Parameter, value: Any, origin: str) -> PathValue:
    """Return a path parameter in its style: simple, label or matrix (RFC 6570)."""
    if item.media is not None:
        return PathValue((document_text(value, item.media, origin),), origin)
    if is_object(value) or is_list(value):
        return _several(item, value, origin)
    text = scalar_text(value, origin)
    if item.style == "matrix":
        name = f";{percent(item.name)}"
        return PathValue((text,) if text else (), origin, marks=(f"{name}=" if text else name,))
    mark = "." if item.style == "label" else ""
    return PathValue((text,), origin, item.multi_segment, (mark,))


def _several(item: frozen.Parameter, value: Any, origin: str) -> PathValue:
    """Return a list or map: what stands before the first piece, and before each other."""
    exploded = {"label": ".", "matrix": ";"}.get(item.style, ",")
    between = exploded if item.explode else ","
    if item.style in SEPARATORS:
        between = percent(SEPARATORS[item.style])
    first = {"label": ".", "matrix": ";"}.get(item.style, "")
    pieces: list[str] = []
    marks: list[str] = []
    for key, text in _pieces(value, origin):
        mark = between if marks else first
        if item.style == "matrix" and (is_list(value) if item.explode else not marks):
            mark += f"{percent(item.name)}="
        if key is not None:
            check_segment(key, origin)
            mark += percent(key) + ("=" if item.explode else ",")
        joined((percent(key or "") + percent(text),), between, origin)
        pieces.append(text)
        marks.append(mark)
    if not pieces:
        raise Rejected(origin, "an empty list or object cannot be written in a path")
    return PathValue(tuple(pieces), origin, item.multi_segment, tuple(marks))


def _pieces(value: Any, origin: str) -> Iterator[tuple[str | None, str]]:
    if is_object(value):
        yield from ((key, scalar_text(value[key], f"{origin}/{key}")) for key in sorted(value))
    else:
        yield from ((None, scalar_text(one, f"{origin}/{i}")) for i, one in enumerate(value))
