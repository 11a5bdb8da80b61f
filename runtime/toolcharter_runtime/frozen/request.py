"""The HTTP request of a frozen contract: where each value goes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .part import Names, Part, Schema, Template

__all__ = [
    "Auth",
    "Binding",
    "Body",
    "Carried",
    "Encoding",
    "Key",
    "KindShape",
    "Parameter",
    "Request",
    "Shape",
]


class Shape(Part):
    """How a value is laid where its members are not named as the API names them; what is not said here stays as it is."""

    at: dict[str, str] = Field(default_factory=dict)
    """Member → its pointer below the object; a member that is not here keeps its name."""
    inside: dict[str, Shape] = Field(default_factory=dict)
    """Member → how its own value is laid."""
    values: Shape | None = None
    """How the values of a map's further keys are laid."""
    element: Shape | None = None
    """How each element of a list is laid."""
    tag: str | None = None
    """Of a union: the member that tells its branches apart."""
    branches: dict[str, Shape] = Field(default_factory=dict)
    """Tag value → how an object of that branch is laid."""
    kinds: tuple[KindShape, ...] = ()
    """Of any other union: the first kind that accepts the value."""


class KindShape(Part):
    """One kind of a union: which values are of it, and how they are laid."""

    accepts: Schema
    shape: Shape | None = None


class Parameter(Part):
    """One path, query, header or cookie parameter of the request."""

    location: Literal["path", "query", "header", "cookie"]
    name: str
    value: Template
    style: Literal[
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
    explode: bool = False
    allow_reserved: bool = False
    media: str | None = None
    """Set where the value is a document of its own (`content`): JSON, or a scalar's text; style does not apply."""
    multi_segment: bool = False
    """A path value that may hold `/` (X1)."""
    shape: Shape | None = None
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
    shape: Shape | None = None
    """How the value that the template names is laid, where that is not as it is."""
    accepts: Schema | None = None


class Encoding(Part):
    """How one property of a form body is written (OpenAPI 3.x, Encoding Object)."""

    style: Literal["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"] = "form"
    explode: bool = True
    allow_reserved: bool = False
    media: str | None = None
    """Set where the value is a document of its own: JSON, or a scalar's text; style does not apply."""


class Carried(Part):
    """A full replacement: the target's own object is sent back with the bindings laid over it."""

    at: str
    """Pointer to the object, in the target's answer and in the request body alike."""
    without: tuple[str, ...] = ()
    """Pointers below it that are not carried."""


class Body(Part):
    """The request body."""

    media: str
    kind: Literal["json", "form", "multipart", "text"]
    """How it is written: JSON, an URL-encoded form, multipart/form-data, or a scalar's text."""
    bindings: tuple[Binding, ...] = ()
    encodings: dict[str, Encoding] = Field(default_factory=dict)
    carried: Carried | None = None
    partial: bool = False
    """An absent field leaves its value alone, so no default is written into the body (C3)."""
    optional: bool = False
    """Where nothing is set that stands in it, no body is sent: an empty one would not be valid."""


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


class Key(Part):
    """One more API key that the call needs; the credential gives it under the scheme's name."""

    scheme: str
    location: Literal["header", "query", "cookie"]
    name: str


class Auth(Part):
    """Which credential the call needs; the application's `auth(caller, tool)` supplies it."""

    scheme: str
    kind: Literal["bearer", "basic", "api_key", "oauth2", "openid"]
    location: Literal["header", "query", "cookie"] = "header"
    name: str = "Authorization"
    scopes: Names = ()
    acts_as: Literal["service", "person"] = "service"
    also: tuple[Key, ...] = ()
    """API keys that are sent beside it, where the description asks for several at once."""
