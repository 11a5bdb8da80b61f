"""openapi-core reads requests: JSON lines in, JSON lines out. Run by the reader's own environment, see `benchmarks/fidelity/independent.py`.

A line asks `{"document", "method", "path", "query", "headers", "body", "corrected"}`; the answer is
`{"parameters": {place: {name: value}}, "body"}` or `{"error"}`. Where openapi-core departs from OpenAPI's tables a
correction below takes its place; `tests/fidelity/test_independent.py` has a fixture for each of them.
"""

import json
import re
import sys
import warnings
from urllib.parse import unquote

from jsonschema_path import SchemaPath
from openapi_core import V30RequestValidator, V31RequestValidator, V32RequestValidator
from openapi_core.casting.schemas import (
    oas30_write_schema_casters_factory,
    oas31_schema_casters_factory,
)
from openapi_core.datatypes import RequestParameters
from openapi_core.deserializing.styles.deserializers import StyleDeserializer
from openapi_core.deserializing.styles.factories import StyleDeserializersFactory
from openapi_core.protocols import Request
from openapi_core.validation.request.exceptions import MissingRequestBody
from werkzeug.datastructures import Headers, ImmutableMultiDict

SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}


class Sent(Request):
    """A request as openapi-core takes it; its values decoded as a framework does, or left as they were sent."""

    def __init__(self, line, *, raw):
        decoded = str if raw else unquote
        pairs = [(unquote(n), decoded(v)) for n, v in _pairs(line["query"], "&")]
        headers = Headers([(n, v) for n, v in line["headers"] if n.lower() != "cookie"])
        cookie = next((v for n, v in line["headers"] if n.lower() == "cookie"), "")
        cookies = [(unquote(n), decoded(v)) for n, v in _pairs(cookie, "; ")]
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(pairs), header=headers, cookie=ImmutableMultiDict(cookies)
        )
        self._line, self._decoded = line, decoded

    host_url = "https://host.test"

    @property
    def path(self):
        return self._decoded(self._line["path"])

    @property
    def method(self):
        return self._line["method"].lower()

    @property
    def body(self):
        body = self._line["body"]
        return None if body is None else body.encode("latin-1")

    @property
    def content_type(self):
        return next((v for n, v in self._line["headers"] if n.lower() == "content-type"), "")


def _pairs(text, separator):
    for part in text.split(separator) if text else ():
        name, _, value = part.partition("=")
        yield name, value


def _several(texts, kind, mark=None):
    """Elements as they were sent, each decoded after they were taken apart."""
    if kind == "array":
        return [unquote(text) for text in texts]
    if mark is not None:
        return {unquote(n): unquote(v) for n, v in (text.split(mark, 1) for text in texts)}
    return dict(zip(map(unquote, texts[::2]), map(unquote, texts[1::2]), strict=True))


def simple(explode, name, kind, location):
    """Elements are taken apart before they are decoded; a header's are never encoded."""
    text = location[name]
    if isinstance(location, Headers):
        text = text.replace("%", "%25")
    if kind not in ("array", "object"):
        return unquote(text)
    return _several(text.split(","), kind, "=" if explode and kind == "object" else None)


def label(explode, name, kind, location):
    """The path's name has no dot in front."""
    text = location[name][1:]
    if kind not in ("array", "object"):
        return unquote(text)
    return _several(
        text.split("." if explode else ","), kind, "=" if explode and kind == "object" else None
    )


def matrix(explode, name, kind, location):
    """The path's name has no semicolon in front."""
    pieces = location[name][1:].split(";")
    if kind == "object" and explode:
        return _several(pieces, kind, "=")
    values = [piece.split("=", 1)[1] if "=" in piece else "" for piece in pieces]
    if kind == "array" and explode:
        return _several(values, kind)
    return (
        _several(values[0].split(","), kind) if kind in ("array", "object") else unquote(values[0])
    )


def form(explode, name, kind, location):
    """An exploded object is parameters of its own; in a form without an encoding it is a JSON text."""
    if kind == "object" and explode:
        if isinstance(location, Fields):
            return json.loads(unquote(location[name]))
        found = {n: unquote(v) for n, v in location.items()}
        if not found:
            raise KeyError(name)
        return found
    if kind == "array" and explode:
        if name not in location:
            raise KeyError(name)
        texts = [unquote(text) for text in location.getlist(name)]
        is_json = isinstance(location, Fields) and all(text[:1] == "{" for text in texts)
        return [json.loads(text) for text in texts] if is_json else texts
    text = location[name]
    return _several(text.split(","), kind) if kind in ("array", "object") else unquote(text)


def delimited(separator):
    def load(explode, name, kind, location):
        """The separator is what was sent, `%7C` too."""
        text = location[name].replace("+", "%20")
        return (
            _several(text.split(separator), kind) if kind in ("array", "object") else unquote(text)
        )

    return load


def deep(explode, name, kind, location):
    """Objects nest, lists go by index, and a scalar stands alone."""
    tree = None
    for key, text in location.items():
        keys = re.findall(r"\[([^\[\]]*)\]", key.removeprefix(name))
        if key == name + "".join(f"[{k}]" for k in keys):
            tree = _put(tree, keys, text.decode() if isinstance(text, bytes) else unquote(text))
    if tree is None:
        raise KeyError(name)
    return _listed(tree)


def _put(tree, keys, text):
    if not keys:
        return text
    tree = tree if isinstance(tree, dict) else {}
    tree[keys[0]] = _put(tree.get(keys[0]), keys[1:], text)
    return tree


def _listed(tree):
    if not isinstance(tree, dict):
        return tree
    if list(tree) == [str(i) for i in range(len(tree))]:
        return [_listed(item) for item in tree.values()]
    return {name: _listed(item) for name, item in tree.items()}


class Fields(ImmutableMultiDict):
    """The fields of a form."""


def urlencoded(content, **_):
    """A form's values, to be decoded when they are taken apart."""
    text = content.decode("ascii").replace("+", "%20")
    return Fields([(unquote(n), v) for n, v in _pairs(text, "&")])


def as_json(content, **_):
    """Of the types that are JSON by their suffix it knows a few."""
    return json.loads(content)


JSON = ("application/merge-patch+json", "application/json-patch+json")
CORRECTED = {
    "simple": simple,
    "label": label,
    "matrix": matrix,
    "form": form,
    "deepObject": deep,
    **{style: delimited(separator) for style, separator in SEPARATORS.items()},
}


class Kinds(StyleDeserializersFactory):
    """A union or a list of types has the kind that its style is for: a list or an object, if one is among them."""

    def create(self, spec, schema, style, explode, name):
        caster = self.schema_casters_factory.create(spec, schema)
        loads = self.style_deserializers.get(style)
        return StyleDeserializer(style, explode, name, kind_of(schema), caster, loads)


def kind_of(schema):
    said = (schema / "type").read_value() if "type" in schema else None
    if isinstance(said, str):
        return said
    kinds = said or [
        kind_of(one) for word in ("anyOf", "oneOf", "allOf") if word in schema for one in schema / word
    ]
    return next((kind for kind in ("object", "array") if kind in kinds), "")


class Values:
    """Reads values and judges none: what a schema refuses is not the question, and a date stays a text."""

    def _validate_schema(self, schema, value):
        return None

    def values(self, request):
        path, operation, _, matched, _ = self._find_path(request)
        request.parameters.path = matched.variables
        parameters = self._get_parameters(request.parameters, operation, path)
        try:
            body = self._get_body(request.body, request.content_type, operation)
        except MissingRequestBody:
            body = None
        return parameters, body


class Values30(Values, V30RequestValidator):
    pass


class Values31(Values, V31RequestValidator):
    pass


class Values32(Values, V32RequestValidator):
    pass


VERSIONS = {"3.0": Values30, "3.1": Values31, "3.2": Values32}


def reader(document, corrected):
    version = document["openapi"][:3]
    spec = SchemaPath.from_dict(document)
    if not corrected:
        return VERSIONS[version](spec)
    casters = oas30_write_schema_casters_factory if version == "3.0" else oas31_schema_casters_factory
    media = {"application/x-www-form-urlencoded": urlencoded} | dict.fromkeys(JSON, as_json)
    return VERSIONS[version](
        spec,
        style_deserializers_factory=Kinds(casters, style_deserializers=CORRECTED),
        extra_media_type_deserializers=media,
    )


def plain(value):
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def main():
    warnings.simplefilter("ignore")
    readers = {}
    for text in sys.stdin:
        line = json.loads(text)
        try:
            key = json.dumps([line["document"], line["corrected"]])
            if key not in readers:
                readers = {key: reader(line["document"], line["corrected"])}
            found, body = readers[key].values(Sent(line, raw=line["corrected"]))
            places = {
                place: plain(getattr(found, place)) for place in ("path", "query", "header", "cookie")
            }
            answer = {"parameters": places, "body": plain(body)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error} {error.__cause__ or ''}"[:500]}
        print(json.dumps(answer), flush=True)


main()
