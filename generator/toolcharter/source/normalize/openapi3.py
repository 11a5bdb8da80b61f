"""Parameters, bodies, responses and security of OpenAPI 3."""

from __future__ import annotations

from typing import Any, Final, cast

from toolcharter.source.limits import shown
from toolcharter.source.operation import (
    BodySpec,
    EncodingSpec,
    ParameterSpec,
    ResponseSpec,
    Schema,
    SecurityScheme,
    Style,
)
from toolcharter.source.reading import Node, malformed
from toolcharter.source.shapes import is_object, members_of

from .parts import Parts, RequestParts

__all__ = ["OpenApi3Parts"]

_LOCATIONS: Final = ("path", "query", "header", "cookie")
_DEFAULT_STYLES: Final = {"path": "simple", "header": "simple", "query": "form", "cookie": "form"}
_STYLES: Final = {
    "path": frozenset({"simple", "label", "matrix"}),
    "header": frozenset({"simple"}),
    "query": frozenset({"form", "spaceDelimited", "pipeDelimited", "deepObject"}),
    "cookie": frozenset({"form", "cookie"}),
}
_NESTED: Final = frozenset({"encoding", "itemEncoding", "prefixEncoding"})
_STREAMED: Final = frozenset({"itemEncoding", "itemSchema", "prefixEncoding"})
# OpenAPI 3, Parameter Object: a header parameter of these names shall be ignored.
_IGNORED_HEADERS: Final = frozenset({"accept", "authorization", "content-type"})


class OpenApi3Parts(Parts):
    """Reads the parts of one operation."""

    def request(self, operation: Node, parameters: tuple[Node, ...]) -> RequestParts:
        """Return parameters and body; the nodes are followed, and unique by place and name."""
        specs = (self._parameter(node) for node in parameters)
        body = operation.get("requestBody")
        bodies, required = self._request_body(body) if body else ({}, False)
        return RequestParts(tuple(spec for spec in specs if spec), bodies, required)

    def _parameter(self, node: Node) -> ParameterSpec | None:
        location, name = node.value.get("in"), node.value.get("name")
        if location == "querystring":
            hint = "describe the query as parameters of their own, in an overlay of the description"
            message = "A `querystring` parameter, a whole query as one value, is not supported"
            self.reading.report("TC705", message, node.anchor / "in", hint)
            return None
        if location not in _LOCATIONS or not isinstance(name, str):
            malformed(self.reading, node.anchor, "A parameter has no `name` or no known `in`")
            return None
        if location == "header" and name.lower() in _IGNORED_HEADERS:
            return None
        reading = self.reading
        style = self._style(node, location)
        media, schema = self._value(node)
        return ParameterSpec(
            location=location,
            name=name,
            required=location == "path" or reading.flag(node.get("required"), "`required`"),
            style=style,
            explode=reading.flag(
                node.get("explode"), "`explode`", default=style in ("form", "cookie")
            ),
            allow_reserved=reading.flag(node.get("allowReserved"), "`allowReserved`"),
            media=media,
            schema=schema,
            description=reading.text(node.get("description"), "`description`"),
            deprecated=reading.flag(node.get("deprecated"), "`deprecated`"),
            anchor=node.anchor,
        )

    def _style(self, node: Node, location: str) -> Style:
        style = self.reading.text(node.get("style"), "`style`") or _DEFAULT_STYLES[location]
        if style not in _STYLES[location]:
            message = f"The style {shown(style)} is not known in a {location} parameter"
            malformed(self.reading, node.anchor / "style", message)
            style = _DEFAULT_STYLES[location]
        return cast("Style", style)

    def _value(self, node: Node) -> tuple[str | None, Schema]:
        """Return the media type and schema of a parameter or header; no media type where it has a style."""
        schema = node.get("schema")
        if schema is not None:
            return None, self.schemas.read(schema)
        content = node.get("content")
        for media, value in self._media(content):
            described = value.get("schema")
            return media, self.schemas.read(described) if described else {}
        malformed(
            self.reading, node.anchor, "A parameter or header has neither `schema` nor `content`"
        )
        return None, {"not": {}}

    def _media(self, content: Node | None) -> list[tuple[str, Node]]:
        found: list[tuple[str, Node]] = []
        for media in self.reading.mapping(content, "`content`"):
            node = self.follow(content / media) if content else None
            if node is not None:
                self.reading.mapping(node, f"The media type {shown(media)}")
                found.append((media, node))
        return found

    def _whole_media(self, content: Node | None, *, matters: bool = True) -> list[tuple[str, Node]]:
        """Return the media types whose content is read as one; where there is no other, streamed ones are refused."""
        found = self._media(content)
        whole = [each for each in found if _STREAMED.isdisjoint(members_of(each[1].value))]
        if matters and not whole:
            for _, node in found:
                for key in sorted(_STREAMED & members_of(node.value).keys()):
                    hint = "describe the content as a whole (`schema`), in an overlay of the description"
                    message = f"{shown(key)}: content that comes item by item is not supported"
                    self.reading.report("TC705", message, node.anchor / key, hint)
        return whole

    def _request_body(self, body: Node) -> tuple[dict[str, BodySpec], bool]:
        node = self.follow(body)
        if node is None:
            return {}, False
        self.reading.mapping(node, "`requestBody`")
        content = self._whole_media(node.get("content"))
        bodies = {media: self._body(value) for media, value in content}
        return bodies, self.reading.flag(node.get("required"), "`required`")

    def _body(self, node: Node) -> BodySpec:
        schema = node.get("schema")
        encoding = node.get("encoding")
        names = self.reading.mapping(encoding, "`encoding`")
        encodings = {name: self._encoding(encoding / name) for name in names} if encoding else {}
        read = self.schemas.read(schema) if schema else {}
        return BodySpec(schema=read, encodings=encodings, anchor=node.anchor)

    def _encoding(self, node: Node) -> EncodingSpec:
        for key in sorted(_NESTED & self.reading.mapping(node, "An encoding").keys()):
            hint = "leave the property out of the charter's inputs, or describe it by `contentType`"
            message = f"{shown(key)} inside an encoding is not supported"
            self.reading.report("TC705", message, node.anchor / key, hint)
        style = self._style(node, "query") if node.get("style") else "form"
        reading = self.reading
        return EncodingSpec(
            style=style,
            explode=reading.flag(node.get("explode"), "`explode`", default=style == "form"),
            allow_reserved=reading.flag(node.get("allowReserved"), "`allowReserved`"),
            styled=any(node.get(key) for key in ("style", "explode", "allowReserved")),
            media=reading.text(node.get("contentType"), "`contentType`"),
            headers=self._part_headers(node.get("headers")),
        )

    def _part_headers(self, declared: Node | None) -> tuple[str, ...]:
        """Return the headers that a part must have; `Content-Type` is said by `contentType`."""
        found: list[str] = []
        for name in self.reading.mapping(declared, "`headers`"):
            header = self.follow(declared / name) if declared else None
            if header is not None and is_object(header.value) and header.value.get("required"):
                found.append(name)
        return tuple(name for name in found if name.lower() != "content-type")

    def response(self, node: Node, operation: Node, status: str) -> ResponseSpec:
        """Return one response; the node is followed."""
        del operation  # in this version a response says all itself
        bodies: dict[str, Schema] = {}
        is_viewed = status.startswith("2") or status == "default"
        for media, value in self._whole_media(node.get("content"), matters=is_viewed):
            schema = value.get("schema")
            bodies[media] = self.schemas.read(schema) if schema else {}
        declared = node.get("headers")
        headers: dict[str, Schema] = {}
        for name in self.reading.mapping(declared, "`headers`"):
            header = self.follow(declared / name) if declared else None
            if header is not None and name.lower() != "content-type":
                self.reading.mapping(header, f"The header {shown(name)}")
                headers[name] = self._value(header)[1]
        return ResponseSpec(
            description=self._prose(node),
            bodies=bodies,
            headers=headers,
            anchor=node.anchor,
        )

    def _prose(self, node: Node) -> str:
        """Return the description, or what 3.2 lets stand without one."""
        text = self.reading.text
        summary = text(node.get("summary"), "`summary`")
        return text(node.get("description"), "`description`") or summary or ""

    def security_scheme(self, node: Node) -> SecurityScheme:
        """Return one security scheme; the node is followed."""
        raw: dict[str, Any] = node.value
        kind, scheme = raw.get("type"), str(raw.get("scheme", "")).lower()
        if kind == "apiKey":
            return self.key_scheme(node)
        if kind == "http" and scheme in {"bearer", "basic"}:
            return SecurityScheme(
                kind="bearer" if scheme == "bearer" else "basic", anchor=node.anchor
            )
        if kind == "openIdConnect":
            return SecurityScheme(kind="openid", anchor=node.anchor)
        if kind == "oauth2":
            flows = raw.get("flows")
            return SecurityScheme(
                kind="oauth2",
                scopes=_scopes_of(flows if is_object(flows) else {}),
                anchor=node.anchor,
            )
        return SecurityScheme(kind="other", anchor=node.anchor)


def _scopes_of(flows: dict[str, Any]) -> tuple[str, ...]:
    scopes: set[str] = set()
    for flow in flows.values():
        declared = flow.get("scopes") if is_object(flow) else None
        scopes.update(declared if is_object(declared) else ())
    return tuple(sorted(scopes))
