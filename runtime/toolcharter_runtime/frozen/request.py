"""The HTTP request of a frozen contract: where each value goes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .part import Names, Part, Schema, Template

__all__ = ["Auth", "Binding", "Body", "Carried", "Encoding", "Parameter", "Request"]


class Parameter(Part):
    """One path, query or header parameter of the request."""

    location: Literal["path", "query", "header"]
    name: str
    value: Template
    style: Literal[
        "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"
    ]
    explode: bool = False
    allow_reserved: bool = False
    multi_segment: bool = False
    """A path value that may hold `/` (X1)."""
    accepts: Schema | None = None
    """Checked when the value is rendered, where the generator could not prove it (values of the run, versions)."""


class Binding(Part):
    """One place of the request body and what stands there.

    Either `value` is a template, or `each` names a list input and `item` binds each of its elements: places are then
    relative to the element, and `{name}` is a field of the element.
    """

    at: str
    """RFC 6901 pointer into the body; empty for all of it."""
    value: Template = None
    each: str | None = None
    item: tuple[Binding, ...] = ()
    accepts: Schema | None = None


class Encoding(Part):
    """How one property of a form body is written (OpenAPI 3.1, Encoding Object)."""

    style: Literal["form", "spaceDelimited", "pipeDelimited", "deepObject"] = "form"
    explode: bool = True
    allow_reserved: bool = False


class Carried(Part):
    """A full replacement: the target's own object is sent back with the bindings laid over it."""

    at: str
    """Pointer to the object, in the target's answer and in the request body alike."""
    without: tuple[str, ...] = ()
    """Pointers below it that are not carried."""


class Body(Part):
    """The request body."""

    media: str
    kind: Literal["json", "form"]
    bindings: tuple[Binding, ...] = ()
    encodings: dict[str, Encoding] = Field(default_factory=dict)
    carried: Carried | None = None
    partial: bool = False
    """An absent field leaves its value alone, so no default is written into the body (C3)."""


class Request(Part):
    """The HTTP request, whole but for credentials."""

    method: str
    path: str
    """The path template below the upstream's URL, e.g. `/customers/{customer_id}`."""
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    accept: str | None = None
    key_form: Literal["uuid", "base62"] | None = None
    """The form of `{$key}`; none where no key is sent or asked for."""


class Auth(Part):
    """Which credential the call needs; the application's `auth(caller, tool)` supplies it."""

    scheme: str
    kind: Literal["bearer", "basic", "api_key", "oauth2", "openid"]
    location: Literal["header", "query", "cookie"] = "header"
    name: str = "Authorization"
    scopes: Names = ()
    acts_as: Literal["service", "person"] = "service"
