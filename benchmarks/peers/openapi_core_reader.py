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

from openapi_core import Config, OpenAPI
from openapi_core.casting.schemas import (
    oas30_write_schema_casters_factory,
    oas31_schema_casters_factory,
)
from openapi_core.datatypes import RequestParameters
from openapi_core.deserializing.styles.factories import StyleDeserializersFactory
from openapi_core.protocols import Request
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
            tree = _put(tree, keys, unquote(text))
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


def reader(document, corrected):
    if not corrected:
        return OpenAPI.from_dict(document, config=Config(spec_validator_cls=None))
    casters = (
        oas30_write_schema_casters_factory
        if document["openapi"].startswith("3.0")
        else oas31_schema_casters_factory
    )
    config = Config(
        spec_validator_cls=None,
        style_deserializers_factory=StyleDeserializersFactory(
            casters, style_deserializers=CORRECTED
        ),
        extra_media_type_deserializers={"application/x-www-form-urlencoded": urlencoded} | dict.fromkeys(JSON, as_json),
    )
    return OpenAPI.from_dict(document, config=config)


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
            found = readers[key].unmarshal_request(Sent(line, raw=line["corrected"]))
            places = {
                place: plain(getattr(found.parameters, place))
                for place in ("path", "query", "header", "cookie")
            }
            answer = {"parameters": places, "body": plain(found.body)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error} {error.__cause__ or ''}"[:500]}
        print(json.dumps(answer), flush=True)


main()
