"""What an operation of a description is, whichever version described it.

Every schema in here has JSON Schema 2020-12 meaning; `$ref` occurs only as `#/$defs/<Name>`, which
`Description.definition` answers. Values are shared and must not be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from toolcharter.diagnostics import Origin

from .document import Anchor

__all__ = [
    "LOOSE_NULL",
    "BodySpec",
    "EncodingSpec",
    "Operation",
    "OperationKey",
    "ParameterSpec",
    "ResponseSpec",
    "Schema",
    "SecurityScheme",
    "SourceFile",
    "Style",
]

Schema: TypeAlias = dict[str, Any]

LOOSE_NULL: Final = "x-loose-null"
"""Marks a schema that takes null by its author's word alone: OpenAPI 3.0 gives `nullable` no force there."""
Style: TypeAlias = Literal[
    "simple",
    "label",
    "matrix",
    "form",
    "spaceDelimited",
    "pipeDelimited",
    "tabDelimited",
    "deepObject",
    "cookie",
]
"""OpenAPI's styles; `tabDelimited` is what Swagger 2.0 calls `tsv`."""


@dataclass(frozen=True, slots=True, order=True)
class SourceFile:
    """One file of a description: path relative to the folder of its root file, and the digest of its bytes."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class OperationKey:
    """How an operation is named: upper-case method and path, and its `operationId` if it has one."""

    method: str
    path: str
    operation_id: str | None

    def __str__(self) -> str:
        return self.operation_id or f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSpec:
    """One parameter, path-level ones included, with the defaults of its style written out."""

    location: Literal["path", "query", "header", "cookie"]
    name: str
    required: bool = False
    style: Style
    explode: bool = False
    allow_reserved: bool = False
    media: str | None = None
    """Set where the value is a serialized document (`content`) and style does not apply."""
    schema: Schema
    description: str | None = None
    deprecated: bool = False
    anchor: Anchor = field(repr=False)

    @property
    def origin(self) -> Origin:
        """Return where the parameter is declared."""
        return self.anchor.origin


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingSpec:
    """How one property of a form or multipart body is written."""

    style: Style = "form"
    explode: bool = True
    allow_reserved: bool = False
    styled: bool = False
    """A style, or what goes with one, is said: then `media` does not apply."""
    media: str | None = None
    """`contentType`: then the property is a document of its own."""
    headers: tuple[str, ...] = ()
    """Headers that its part must have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySpec:
    """A request body in one media type; encodings by property, only those that are declared."""

    schema: Schema
    encodings: Mapping[str, EncodingSpec] = field(default_factory=dict[str, EncodingSpec])
    anchor: Anchor = field(repr=False)

    @property
    def origin(self) -> Origin:
        """Return where the media type is declared."""
        return self.anchor.origin


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseSpec:
    """What one status answers: schema by media type (`{}` where none is declared) and by header name."""

    description: str = ""
    bodies: Mapping[str, Schema] = field(default_factory=dict[str, Schema])
    headers: Mapping[str, Schema] = field(default_factory=dict[str, Schema])
    anchor: Anchor = field(repr=False)

    @property
    def origin(self) -> Origin:
        """Return where the response is declared."""
        return self.anchor.origin


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityScheme:
    """How a caller authenticates; `other` is one that the boundary cannot carry (digest, mutual TLS)."""

    kind: Literal["bearer", "basic", "api_key", "oauth2", "openid", "other"]
    location: Literal["header", "query", "cookie"] = "header"
    name: str = "Authorization"
    scopes: tuple[str, ...] = ()
    """Every scope that the scheme's flows declare, sorted."""
    anchor: Anchor = field(repr=False)

    @property
    def origin(self) -> Origin:
        """Return where the scheme is declared."""
        return self.anchor.origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation, normalized."""

    method: str
    path: str
    path_names: tuple[str, ...]
    """Names in the path's template in order, declared as parameters or not."""
    operation_id: str | None = None
    summary: str | None = None
    description: str | None = None
    deprecated: bool = False
    parameters: tuple[ParameterSpec, ...] = ()
    bodies: Mapping[str, BodySpec] = field(default_factory=dict[str, BodySpec])
    body_required: bool = False
    responses: Mapping[str, ResponseSpec] = field(default_factory=dict[str, ResponseSpec])
    """By status as it is declared: `200`, `2XX`, `default`."""
    security: tuple[Mapping[str, tuple[str, ...]], ...] | None = None
    """Alternatives, each scheme → scopes; None where the description says nothing."""
    anchor: Anchor = field(repr=False)

    @property
    def key(self) -> OperationKey:
        """Return how the operation is named."""
        return OperationKey(self.method, self.path, self.operation_id)

    @property
    def origin(self) -> Origin:
        """Return where the operation is declared."""
        return self.anchor.origin
