"""openapi-core, which knows nothing of ours, reads the same values out of what the boundary sends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.fidelity.decode import same
from benchmarks.fidelity.independent import PYTHON, IndependentReader
from toolcharter_runtime.frozen import Binding, Body, Request
from toolcharter_runtime.language import Scope
from toolcharter_runtime.upstream import build_request

from .test_decoded import ENCODINGS, FIELDS, FORMS, STYLES, VALUES, form, sent

OWN_ONLY = ("tabDelimited", "cookie")
"""Styles that it does not know: Swagger 2.0's `tsv`, and OpenAPI 3.2's `cookie`."""


@pytest.fixture(scope="module")
def reader() -> Iterator[IndependentReader]:
    assert PYTHON.is_file(), "no openapi-core: run `make test`, which builds .venv-reader"
    with IndependentReader() as opened:
        yield opened


def document(path: str, operation: dict[str, Any]) -> dict[str, Any]:
    method = "post" if "requestBody" in operation else "get"
    described = {**operation, "responses": {"200": {"description": "ok"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://host.test"}],
        "paths": {path: {method: described}},
    }


def read(
    reader: IndependentReader,
    place: str,
    style: str,
    explode: bool,
    schema: Any,
    value: Any,
    *,
    corrected: bool = True,
) -> Any:
    said = {"name": "color", "in": place, "style": style, "explode": explode, "schema": schema}
    path = "/x/{color}/y" if place == "path" else "/x"
    described = document(path, {"parameters": [{**said, "required": place == "path"}]})
    answer = reader.read(described, "GET", sent(place, style, explode, value), corrected=corrected)
    return answer.get("parameters", {}).get(place, {}).get("color")


def read_form(reader: IndependentReader, kind: str, value: Any, *, corrected: bool = True) -> Any:
    content = {FORMS[kind]: {"schema": FIELDS, "encoding": ENCODINGS}}
    described = document("/x", {"requestBody": {"content": content}})
    body = reader.read(described, "POST", form(kind, value), corrected=corrected).get("body")
    return body and {name: item for name, item in body.items() if item != []}


@pytest.mark.parametrize(
    ("place", "style", "explode"), [row for row in STYLES if row[1] not in OWN_ONLY]
)
def test_every_style_of_every_value(
    reader: IndependentReader, place: str, style: str, explode: bool
) -> None:
    for schema, value in VALUES:
        assert same(value, read(reader, place, style, explode, schema, value)), (schema, value)


@pytest.mark.parametrize(
    ("place", "style", "explode"),
    [
        ("path", "simple", False), ("path", "simple", True), ("query", "form", False), ("header", "simple", False),
        ("header", "simple", True), ("cookie", "form", False),
    ],
)  # fmt: skip
def test_common_styles_need_no_correction(
    reader: IndependentReader, place: str, style: str, explode: bool
) -> None:
    for schema, value in VALUES:
        found = read(reader, place, style, explode, schema, value, corrected=False)
        assert same(value, found), (schema, value)


@pytest.mark.parametrize(
    ("place", "style", "explode", "schema", "value"),
    [
        ("query", "form", False, {"type": "array", "items": {"type": "string"}}, ["a,b", "c"]),
        ("path", "simple", False, {"type": "array", "items": {"type": "string"}}, ["a,b", "c"]),
        ("path", "label", False, {"type": "string"}, "blue"),
        ("path", "matrix", True, {"type": "string"}, "blue"),
        ("query", "form", True, {"type": "object", "properties": {"R": {"type": "integer"}}}, {"R": 1}),
        ("query", "spaceDelimited", False, {"type": "array", "items": {"type": "string"}}, ["a", "b"]),
        ("query", "pipeDelimited", False, {"type": "string"}, "blue"),
        ("query", "deepObject", True, {"type": "object"}, {"R": {"G": "x"}}),
        ("query", "deepObject", True, {"type": "array", "items": {"type": "string"}}, ["a", "b"]),
        ("query", "deepObject", True, {"type": "integer"}, 5),
        ("query", "form", True, {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, ["a", "b"]),
    ],
)  # fmt: skip
def test_a_correction_is_needed(
    reader: IndependentReader, place: str, style: str, explode: bool, schema: Any, value: Any
) -> None:
    """OpenAPI's style table, and RFC 6570: elements are taken apart before they are decoded."""
    assert not same(value, read(reader, place, style, explode, schema, value, corrected=False))
    assert same(value, read(reader, place, style, explode, schema, value))


WHOLE: dict[str, Any] = {
    "name": "a&b=c d\r\n%é", "amount": 5, "draft": False, "tags": ["a", "b c"], "address": {"line1": "x"},
    "lines": [{"n": 1}, {"n": 2}], "metadata": {"k": "v"}, "codes": [1, 2], "color": {"R": 1, "B": True},
    "note": "plain",
}  # fmt: skip


def test_forms(reader: IndependentReader) -> None:
    assert same(WHOLE, read_form(reader, "form", WHOLE))


def test_multipart(reader: IndependentReader) -> None:
    """It reads each text part as a string, and lists that are not there as empty; so numbers are left to `decode`."""
    texts = {name: WHOLE[name] for name in ("tags", "address", "lines", "metadata", "note")}
    assert same(
        {**texts, "name": "a&b=c d"}, read_form(reader, "multipart", {**texts, "name": "a&b=c d"})
    )


def test_an_object_in_a_form_needs_a_correction(reader: IndependentReader) -> None:
    """OpenAPI 3.x, Encoding Object: an object without an encoding is `application/json`."""
    value = {"address": {"line1": "x"}}
    assert not same(value, read_form(reader, "form", value, corrected=False))
    assert same(value, read_form(reader, "form", value))


def test_json(reader: IndependentReader) -> None:
    for media in (
        "application/json",
        "application/merge-patch+json",
        "application/json;charset=UTF-8",
    ):
        body = Body(media=media, kind="json", bindings=(Binding(at="", value="{v}"),))
        value = {"a": [1, None, {"é": "\u2028"}], "b": 1.5}
        built = build_request(Request(method="POST", path="/x", body=body), Scope({"v": value}))
        content = {media.partition(";")[0]: {"schema": {"type": "object"}}}
        described = document("/x", {"requestBody": {"content": content}})
        assert reader.read(described, "POST", built)["body"] == value
