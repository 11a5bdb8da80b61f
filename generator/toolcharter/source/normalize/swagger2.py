"""Swagger 2.0: bodies and forms among the parameters, media types beside them, and its spellings in schemas."""

from __future__ import annotations

from typing import Any, Final

from toolcharter.source.document import Anchor
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
from toolcharter.source.reading import Node, Reading, malformed
from toolcharter.source.shapes import is_object

from .openapi30 import admit_null, lift_bounds, lift_example, lift_tuple
from .parts import Parts, RequestParts

__all__ = ["Swagger2Parts", "lift"]

_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_DELIMITED: Final[dict[str, Style]] = {
    "ssv": "spaceDelimited",
    "tsv": "tabDelimited",
    "pipes": "pipeDelimited",
}
# What of a parameter, item or header object is not its schema.
_NOT_SCHEMA: Final = frozenset(
    {
        "allowEmptyValue",
        "collectionFormat",
        "description",
        "example",
        "examples",
        "in",
        "name",
        "required",
    }
)


def lift(schema: Schema, anchor: Anchor, reading: Reading) -> Schema:
    """Return the schema in the spelling of JSON Schema 2020-12; `x-nullable` is taken at its word."""
    lift_example(schema)
    lift_bounds(schema, anchor, reading)
    lift_tuple(schema)
    schema.pop("collectionFormat", None)
    if schema.get("type") == "file":
        schema.update({"type": "string", "format": "binary"})
    return admit_null(schema) if schema.pop("x-nullable", False) is True else schema


class Swagger2Parts(Parts):
    """Reads the parts of one operation."""

    def request(self, operation: Node, parameters: tuple[Node, ...]) -> RequestParts:
        """Return parameters and body; the nodes are followed, and unique by place and name."""
        specs: list[ParameterSpec] = []
        fields: list[Node] = []
        bodies: dict[str, BodySpec] = {}
        required = False
        for node in parameters:
            location, name = node.value.get("in"), node.value.get("name")
            if not isinstance(name, str):
                malformed(self.reading, node.anchor, "A parameter has no `name`")
            elif location == "body":
                bodies = self._body(node, operation)
                required = self.reading.flag(node.get("required"), "`required`")
            elif location == "formData":
                fields.append(node)
            elif location in ("path", "query", "header"):
                specs.append(self._parameter(node))
            else:
                malformed(self.reading, node.anchor, "A parameter has no known `in`")
        if fields:
            if bodies:
                malformed(
                    self.reading, fields[0].anchor, "A body and form fields exclude each other"
                )
            bodies = self._form(fields, operation)
            required = any(node.value.get("required") is True for node in fields)
        return RequestParts(tuple(specs), bodies, required)

    def _parameter(self, node: Node) -> ParameterSpec:
        location = node.value["in"]
        style, explode = self._style(node)
        return ParameterSpec(
            location=location,
            name=node.value["name"],
            required=location == "path" or self.reading.flag(node.get("required"), "`required`"),
            style="simple" if location != "query" and style == "form" else style,
            explode=explode,
            schema=self._schema(node),
            description=self.reading.text(node.get("description"), "`description`"),
            anchor=node.anchor,
        )

    def _style(self, node: Node) -> tuple[Style, bool]:
        """Return style and explode of a `collectionFormat`; arrays alone have one, `csv` if it is not said."""
        form = self.reading.text(node.get("collectionFormat"), "`collectionFormat`")
        location = node.value.get("in")
        if node.value.get("type") != "array":
            return "form", location in ("query", "formData")
        if form == "multi" and location in ("query", "formData"):
            return "form", True
        if form in _DELIMITED and (form != "tsv" or location != "header"):
            return _DELIMITED[form], False
        if form not in (None, "csv"):
            hint = (
                "csv, ssv and pipes can be written, multi in queries and forms, tsv not in headers"
            )
            message = f"The collection format {shown(form or '')} is not supported here"
            self.reading.report("TC705", message, node.anchor / "collectionFormat", hint)
        return "form", False

    def _schema(self, node: Node) -> Schema:
        """Return the schema that a parameter, item or header object is in itself."""
        raw = {key: value for key, value in node.value.items() if key not in _NOT_SCHEMA}
        items = raw.get("items")
        if is_object(items) and items.get("type") == "array":
            hint = "lists inside lists have no form in Swagger 2.0 that every server reads alike"
            self.reading.report(
                "TC705", "A list of lists is not supported", node.anchor / "items", hint
            )
        return self.schemas.read(Node(node.anchor, raw))

    def _body(self, node: Node, operation: Node) -> dict[str, BodySpec]:
        declared = node.get("schema")
        schema = self.schemas.read(declared) if declared else {}
        media = self._media(operation, "consumes") or ["application/json"]
        return {name: BodySpec(schema=schema, anchor=node.anchor) for name in media}

    def _form(self, fields: list[Node], operation: Node) -> dict[str, BodySpec]:
        properties: dict[str, Schema] = {}
        encodings: dict[str, EncodingSpec] = {}
        for node in fields:
            name = node.value["name"]
            properties[name] = self._field(node)
            if node.value.get("type") == "array":
                style, explode = self._style(node)
                encodings[name] = EncodingSpec(style=style, explode=explode, styled=True)
        required = [node.value["name"] for node in fields if node.value.get("required") is True]
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        self.schemas.origins.keep(schema, operation.anchor)
        self.schemas.origins.keep(properties, operation.anchor)
        media = [m for m in self._media(operation, "consumes") if m in {_FORM, _MULTIPART}]
        if any(node.value.get("type") == "file" for node in fields):
            media = [_MULTIPART]
        body = BodySpec(schema=schema, encodings=encodings, anchor=fields[0].anchor)
        return dict.fromkeys(media or [_FORM], body)

    def _field(self, node: Node) -> Schema:
        schema = self._schema(node)
        description = node.value.get("description")
        if isinstance(description, str):
            schema["description"] = description
        return schema

    def _media(self, operation: Node, key: str) -> list[str]:
        """Return `consumes` or `produces` of the operation, or else of the whole description."""
        node = operation.get(key) or self.root.get(key)
        return [
            media for media in self.reading.elements(node, f"`{key}`") if isinstance(media, str)
        ]

    def response(self, node: Node, operation: Node, status: str) -> ResponseSpec:
        """Return one response; the node is followed."""
        del status  # a body is described alike under every status
        declared = node.get("schema")
        bodies: dict[str, Schema] = {}
        if declared is not None:
            schema = self.schemas.read(declared)
            media = self._media(operation, "produces") or ["application/json"]
            bodies = dict.fromkeys(media, schema)
        headers_node = node.get("headers")
        headers: dict[str, Schema] = {}
        for name in self.reading.mapping(headers_node, "`headers`"):
            header = self.follow(headers_node / name) if headers_node else None
            if header is not None:
                self.reading.mapping(header, f"The header {shown(name)}")
                headers[name] = self._schema(header) if is_object(header.value) else {}
        return ResponseSpec(
            description=self.reading.text(node.get("description"), "`description`") or "",
            bodies=bodies,
            headers=headers,
            anchor=node.anchor,
        )

    def security_scheme(self, node: Node) -> SecurityScheme:
        """Return one security scheme; the node is followed."""
        raw: dict[str, Any] = node.value
        if raw.get("type") == "apiKey":
            return self.key_scheme(node)
        if raw.get("type") == "basic":
            return SecurityScheme(kind="basic", anchor=node.anchor)
        if raw.get("type") == "oauth2":
            scopes = raw.get("scopes")
            names = tuple(sorted(scopes)) if is_object(scopes) else ()
            return SecurityScheme(kind="oauth2", scopes=names, anchor=node.anchor)
        return SecurityScheme(kind="other", anchor=node.anchor)
