"""Reads a request back as a server would that knows the description: OpenAPI's style tables, RFC 6570, RFC 7578.

Written from the specifications, and apart from the code that it checks. `decode` answers what each parameter and the
body hold; `same` compares that with what was sent. Where several types are allowed a text may be several things.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Final, Protocol
from urllib.parse import unquote

from .described import DecodeError, Either, Follow, Schemas, same
from .styled import ABSENT, OF_2, Reader, document, plain

__all__ = [
    "ABSENT",
    "DecodeError",
    "Decoded",
    "Described",
    "Either",
    "Wire",
    "decode",
    "describe",
    "same",
]

_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"


class Wire(Protocol):
    """A request as it is sent; the boundary's `BuiltRequest` is one."""

    @property
    def path(self) -> str:
        """Percent-encoded."""
        ...

    @property
    def query(self) -> str:
        """Percent-encoded, without the question mark."""
        ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]:
        """Names and values, in order."""
        ...

    @property
    def body(self) -> bytes | None:
        """The content, or none."""
        ...


@dataclass(frozen=True)
class Described:
    """One operation as it is written: references to parameters, headers and bodies followed, those of schemas not."""

    path: str
    """The path's template."""
    parameters: Sequence[Mapping[str, Any]] = ()
    """Parameter Objects, those of the path item included; of Swagger 2.0 too."""
    content: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Any])
    """The request body's media types; of Swagger 2.0, `{media: {"schema": …}}` made of its body or form fields."""
    follow: Follow = lambda schema: schema


def describe(
    path: str,
    item: Mapping[str, Any],
    operation: Mapping[str, Any],
    follow: Follow,
    consumes: Sequence[str] = (),
) -> Described:
    """Return an operation as it is written, of its path item and itself; `follow` answers references of any kind.

    Of Swagger 2.0 `consumes` is what the operation takes, its own or the whole description's.
    """
    own = [follow(one) for one in operation.get("parameters", ())]
    names = {(one.get("in"), one.get("name")) for one in own}
    shared = [follow(one) for one in item.get("parameters", ())]
    every = [*own, *(one for one in shared if (one.get("in"), one.get("name")) not in names)]
    content = {
        media: follow(said)
        for media, said in (follow(operation.get("requestBody", {})).get("content") or {}).items()
    }
    fields = [one for one in every if one.get("in") == "formData"]
    whole = next((one for one in every if one.get("in") == "body"), None)
    if whole is not None:
        said = {"schema": whole.get("schema", {})}
        content = dict.fromkeys(consumes or ("application/json",), said)
    elif fields:
        content = dict.fromkeys((_FORM, _MULTIPART), _of_fields(fields))
    placed = [one for one in every if one.get("in") not in ("body", "formData")]
    return Described(path, placed, content, follow)


def _of_fields(fields: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    styles = {one["name"]: OF_2[one.get("collectionFormat", "csv")] for one in fields}
    return {
        "schema": {"type": "object", "properties": {one["name"]: one for one in fields}},
        "encoding": {
            one["name"]: {
                "style": styles[one["name"]][0] or "form",
                "explode": styles[one["name"]][1],
            }
            for one in fields
            if one.get("type") == "array"
        },
    }


@dataclass(frozen=True)
class Decoded:
    """What a request holds."""

    parameters: Mapping[tuple[str, str], Any]
    """By place and name; those that are not in the request are not here. What only the path's template has is text."""
    body: Any = ABSENT


def decode(operation: Described, request: Wire) -> Decoded:
    """Return the values of a request; raise `DecodeError`."""
    schemas = Schemas(operation.follow)
    raw_path = _match(operation.path, request.path)
    queries = list(_pairs(request.query, "&"))
    cookies = [
        p for k, text in request.headers if k.lower() == "cookie" for p in _pairs(text, "; ")
    ]
    others = {p["name"] for p in operation.parameters if p["in"] == "query"}
    found: dict[tuple[str, str], Any] = {
        ("path", name): unquote(text) for name, text in raw_path.items()
    }
    for parameter in operation.parameters:
        place, name = parameter["in"], parameter["name"]
        reader = Reader(schemas, parameter, others - {name})
        match place:
            case "path":
                value = reader.of_path(raw_path.get(name, ""))
            case "query":
                value = reader.of_pairs(queries)
            case "header":
                texts = [text for key, text in request.headers if key.lower() == name.lower()]
                value = reader.of_header(texts[0]) if texts else ABSENT
            case "cookie":
                value = reader.of_pairs(cookies)
            case _:
                continue
        if value is not ABSENT:
            found[place, name] = value
    return Decoded(found, _body(operation, schemas, request))


def _match(template: str, path: str) -> dict[str, str]:
    template = template.partition("#")[0].partition("?")[0]
    parts = re.split(r"\{([^{}/]+)\}", template)
    names = parts[1::2]
    pattern = "".join("(.*?)" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    matched = re.fullmatch(pattern, path) or re.fullmatch(pattern, unquote(path))
    if matched is None:
        raise DecodeError(f"the path is not of the template {template}")
    return dict(zip(names, matched.groups(), strict=True))


def _pairs(text: str, separator: str) -> Iterator[tuple[str, str]]:
    for part in text.split(separator) if text else ():
        name, _, value = part.partition("=")
        yield name, value


def _body(operation: Described, schemas: Schemas, request: Wire) -> Any:
    sent = next((text for name, text in request.headers if name.lower() == "content-type"), None)
    if request.body is None or sent is None:
        return ABSENT
    kind = plain(sent)
    declared = next(
        (said for media, said in operation.content.items() if _covers(plain(media), kind)), None
    )
    if declared is None:
        raise DecodeError(f"the description has no body of {kind}")
    if kind == _FORM:
        pairs = list(_pairs(request.body.decode("ascii").replace("+", "%20"), "&"))
        return _form(schemas, declared, [(n, t, None) for n, t in pairs], is_raw=False)
    if kind == _MULTIPART:
        return _form(schemas, declared, list(_parts(sent, request.body)), is_raw=True)
    return document(schemas, kind, request.body.decode(), declared.get("schema", {}))


def _covers(declared: str, sent: str) -> bool:
    return declared in (sent, "*/*", f"{sent.partition('/')[0]}/*")


def _parts(content_type: str, content: bytes) -> Iterator[tuple[str, str, str | None]]:
    message = BytesParser(policy=HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + content
    )
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        media = part.get_content_type() if "content-type" in part else None
        text = part.get_payload(decode=True)
        yield str(name), bytes(text).decode(), media


def _form(
    schemas: Schemas,
    declared: Mapping[str, Any],
    fields: list[tuple[str, str, str | None]],
    *,
    is_raw: bool,
) -> dict[str, Any]:
    schema, found = declared.get("schema", {}), {}
    encodings: Mapping[str, Any] = declared.get("encoding", {})
    inside = set(_of_exploded(schemas, schema, encodings))
    others = (unquote(n).partition("[")[0] for n, _, _ in fields)
    names = dict.fromkeys([*schemas.members(schema), *(n for n in others if n not in inside)])
    for name in names:
        said, inner = encodings.get(name, {}), schemas.member(schema, name)
        if {"style", "explode", "allowReserved"} & said.keys():
            reader = Reader(
                schemas,
                {"name": name, "in": "query", "schema": inner, **said},
                names.keys() - {name},
            )
            value = (reader.raw() if is_raw else reader).of_pairs([(n, t) for n, t, _ in fields])
        else:
            decoded = str if is_raw else unquote
            own = [(decoded(t), m) for n, t, m in fields if decoded(n) == name]
            value = _property(schemas, inner, own, said.get("contentType"))
        if value is not ABSENT:
            found[name] = value
    return found


def _of_exploded(schemas: Schemas, schema: Any, encodings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of fields that are members of a property written exploded: they are no properties themselves."""
    for name in schemas.members(schema):
        said = encodings.get(name, {})
        if said.get("style", "form") == "form" and said.get("explode", True) and said:
            yield from schemas.members(schemas.member(schema, name))


def _property(
    schemas: Schemas, schema: Any, own: list[tuple[str, str | None]], said: str | None
) -> Any:
    """A property without a style: an element a field, objects as JSON (OpenAPI 3.x, Encoding Object)."""
    if not own:
        return ABSENT
    types = schemas.types(schema)
    if "array" not in types:
        return _element(schemas, schema, own[0], said)
    inner = schemas.elements(schema)
    whole = [_element(schemas, inner, one, said) for one in own]
    is_one = len(own) == 1 and types - {"array", "null"}
    return Either(whole, _element(schemas, schema, own[0], said)) if is_one else whole


def _element(schemas: Schemas, schema: Any, field: tuple[str, str | None], said: str | None) -> Any:
    text, media = field
    types = schemas.types(schema)
    is_json = "json" in (media or said or "") or types <= {"object", "array", "null"}
    if is_json:
        return json.loads(text)
    if types & {"object", "array"} and text[:1] in ("{", "["):
        return Either(json.loads(text), text)
    return schemas.scalar(text, schema)
