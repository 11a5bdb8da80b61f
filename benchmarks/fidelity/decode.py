"""Reads a request back as a server would that knows the description: OpenAPI's style tables, RFC 6570, RFC 7578.

Written from the specifications, and apart from the code that it checks. `decode` answers what each parameter and the
body hold; `same` compares that with what was sent. Where several types are allowed a text may be several things.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Final, Protocol
from urllib.parse import unquote

from .described import DecodeError, Either, Follow, Schemas, same

__all__ = ["ABSENT", "DecodeError", "Decoded", "Described", "Either", "Wire", "decode", "same"]

ABSENT: Final = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()
"""The request has no body, or a parameter is not in it."""

_SEPARATORS: Final = {
    "spaceDelimited": (" ", "%20"), "pipeDelimited": ("|", "%7C"), "tabDelimited": ("\t", "%09"),
}  # fmt: skip
_OF_2: Final = {
    "ssv": ("spaceDelimited", False), "tsv": ("tabDelimited", False), "pipes": ("pipeDelimited", False),
    "multi": ("form", True), "csv": ("", False),
}  # fmt: skip


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


@dataclass(frozen=True)
class Decoded:
    """What a request holds."""

    parameters: Mapping[tuple[str, str], Any]
    """By place and name; those that are not in the request are not here."""
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
    found: dict[tuple[str, str], Any] = {}
    for parameter in operation.parameters:
        place, name = parameter["in"], parameter["name"]
        reader = _Reader(schemas, parameter, others - {name})
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


class _Reader:
    """Reads one parameter or form property by its style."""

    def __init__(
        self, schemas: Schemas, said: Mapping[str, Any], others: frozenset[str] | set[str]
    ) -> None:
        self._schemas, self._others = schemas, others
        self.name = said["name"]
        self.schema = said.get("schema", said if "in" in said and "content" not in said else {})
        self.media = next(iter(said.get("content", ())), None)
        place = said.get("in", "query")
        default = "form" if place in ("query", "cookie") else "simple"
        if "collectionFormat" in said or ("type" in said and "schema" not in said):
            style, self.explode = _OF_2[said.get("collectionFormat", "csv")]
            self.style = style or default
        else:
            self.style = said.get("style", default)
            self.explode = said.get("explode", self.style in ("form", "cookie"))
        self.types = schemas.types(self.schema)
        self.decoded: Callable[[str], str] = unquote

    def raw(self) -> _Reader:
        """Read what is not percent-encoded: the parts of multipart/form-data, and cookies of that style."""
        self.decoded = str
        return self

    def of_path(self, text: str) -> Any:
        if self.media is not None:
            return self._document(text)
        if self.style == "label":
            return self._of_text(text.removeprefix("."), "." if self.explode else ",", is_path=True)
        if self.style == "matrix":
            return self._of_matrix(text)
        return self._of_text(text, _SEPARATORS.get(self.style, ("", ","))[1], is_path=True)

    def _of_matrix(self, text: str) -> Any:
        pieces = [one.partition("=") for one in text.removeprefix(";").split(";")]
        if self.explode and "object" in self.types:
            return self._object([(name, value) for name, _, value in pieces])
        if self.explode and "array" in self.types:
            return self._array([value for _, _, value in pieces])
        return self._of_text(pieces[0][2], ",", is_path=False)

    def of_header(self, text: str) -> Any:
        self.decoded = str
        if self.media is not None:
            return self._document(text)
        return self._of_text(text, _SEPARATORS.get(self.style, (",",))[0], is_path=True)

    def of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Any:
        if self.style == "cookie":
            self.decoded = str
        named = [(self.decoded(name), text) for name, text in pairs]
        own = [text for name, text in named if name == self.name]
        if self.media is not None:
            return self._document(own[0]) if own else ABSENT
        if self.style == "deepObject":
            return self._deep(named)
        if self.explode and "object" in self.types and not own:
            return self._exploded(named)
        if not own:
            return ABSENT
        if self.explode and "array" in self.types:
            whole = self._array(own)
            is_one = len(own) == 1 and self.types & {"string", "integer", "number", "boolean"}
            return Either(whole, self._scalar(own[0])) if is_one else whole
        separators = _SEPARATORS.get(self.style, (",", ","))
        return self._of_text(own[0], separators[self.decoded is unquote], is_path=False)

    def _exploded(self, named: list[tuple[str, str]]) -> Any:
        known = self._schemas.members(self.schema)
        more = self._schemas.has_more(self.schema)
        mine = [(n, t) for n, t in named if n in known or (more and n not in self._others)]
        return {n: self._member(n, text) for n, text in mine} if mine else ABSENT

    def _of_text(self, text: str, separator: str, *, is_path: bool) -> Any:
        if "array" in self.types:
            whole = self._array(text.split(separator))
            is_several = self.types & {"string", "integer", "number", "boolean"}
            return Either(whole, self._scalar(text)) if is_several else whole
        if self.types <= {"object", "null"}:
            pieces = text.split(separator)
            if is_path and self.explode:
                return self._object([tuple(p.partition("=")[::2]) for p in pieces])
            return self._object(list(zip(pieces[::2], pieces[1::2], strict=True)))
        return self._scalar(text)

    def _scalar(self, text: str) -> Any:
        return self._schemas.scalar(self.decoded(text), self.schema)

    def _array(self, texts: list[str]) -> list[Any]:
        inner = self._schemas.elements(self.schema)
        return [self._schemas.scalar(self.decoded(text), inner) for text in texts]

    def _object(self, pairs: Sequence[tuple[str, ...]]) -> dict[str, Any]:
        return {self.decoded(name): self._member(self.decoded(name), text) for name, text in pairs}

    def _member(self, name: str, text: str) -> Any:
        return self._schemas.scalar(self.decoded(text), self._schemas.member(self.schema, name))

    def _document(self, text: str) -> Any:
        return _document(self._schemas, self.media or "", self.decoded(text), {})

    def _deep(self, named: list[tuple[str, str]]) -> Any:
        tree: Any = ABSENT
        for name, text in named:
            keys = re.findall(r"\[([^\[\]]*)\]", name.removeprefix(self.name))
            if name != self.name + "".join(f"[{key}]" for key in keys):
                continue
            tree = _put(tree, keys, self.decoded(text))
        return tree if tree is ABSENT else self._shaped(tree, self.schema)

    def _shaped(self, tree: Any, schema: Any) -> Any:
        if not isinstance(tree, dict):
            return self._schemas.scalar(tree, schema)
        if "array" in self._schemas.types(schema) and list(tree) == [
            str(i) for i in range(len(tree))
        ]:
            inner = self._schemas.elements(schema)
            return [self._shaped(item, inner) for item in tree.values()]
        return {n: self._shaped(item, self._schemas.member(schema, n)) for n, item in tree.items()}


def _put(tree: Any, keys: list[str], text: str) -> Any:
    if not keys:
        return text
    inside = tree if isinstance(tree, dict) else {}
    inside[keys[0]] = _put(inside.get(keys[0], ABSENT), keys[1:], text)
    return inside


def _body(operation: Described, schemas: Schemas, request: Wire) -> Any:
    sent = next((text for name, text in request.headers if name.lower() == "content-type"), None)
    if request.body is None or sent is None:
        return ABSENT
    plain = _plain(sent)
    declared = next(
        (said for media, said in operation.content.items() if _covers(_plain(media), plain)), None
    )
    if declared is None:
        raise DecodeError(f"the description has no body of {plain}")
    if plain == "application/x-www-form-urlencoded":
        pairs = list(_pairs(request.body.decode("ascii").replace("+", "%20"), "&"))
        return _form(schemas, declared, [(n, t, None) for n, t in pairs], is_raw=False)
    if plain == "multipart/form-data":
        return _form(schemas, declared, list(_parts(sent, request.body)), is_raw=True)
    return _document(schemas, plain, request.body.decode(), declared.get("schema", {}))


def _plain(media: str) -> str:
    return media.partition(";")[0].strip().lower()


def _covers(declared: str, sent: str) -> bool:
    return declared in (sent, "*/*", f"{sent.partition('/')[0]}/*")


def _document(schemas: Schemas, media: str, text: str, schema: Any) -> Any:
    plain = _plain(media)
    if "json" in plain or plain in ("*/*", "application/*"):
        return json.loads(text)
    return schemas.scalar(text, schema)


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
    names = dict.fromkeys(
        [*schemas.members(schema), *(unquote(n).partition("[")[0] for n, _, _ in fields)]
    )
    for name in names:
        said, inner = encodings.get(name, {}), schemas.member(schema, name)
        if {"style", "explode", "allowReserved"} & said.keys():
            reader = _Reader(
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
