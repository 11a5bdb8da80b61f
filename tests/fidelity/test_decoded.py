"""What the boundary sends, a reader that knows only the description reads back: the same values, or nothing is sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fidelity.decode import ABSENT, Described, decode, same
from toolcharter_runtime.canonical import Rejected
from toolcharter_runtime.frozen import Binding, Body, Encoding, Parameter, Request
from toolcharter_runtime.language import Scope
from toolcharter_runtime.upstream import build_request

STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
INTEGERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
COLOR: dict[str, Any] = {
    "type": "object",
    "properties": {"R": {"type": "integer"}, "G": {"type": "string"}, "B": {"type": "boolean"}},
    "additionalProperties": False,
}
FILTER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "since": {"type": "object", "properties": {"gte": {"type": "integer"}}},
        "tags": STRINGS,
        "lines": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    },
}  # fmt: skip
STYLES = [
    *(("path", style, explode) for style in ("simple", "label", "matrix") for explode in (False, True)),
    *(("query", "form", explode) for explode in (False, True)),
    *(("query", style, False) for style in ("spaceDelimited", "pipeDelimited", "tabDelimited")),
    ("query", "deepObject", True),
    *(("header", "simple", explode) for explode in (False, True)),
    ("cookie", "form", False),
    *(("cookie", "cookie", explode) for explode in (False, True)),
]  # fmt: skip
VALUES: list[tuple[dict[str, Any], Any]] = [
    ({"type": "string"}, "blue"),
    ({"type": "integer"}, -12),
    ({"type": "number"}, 1.5),
    ({"type": "boolean"}, True),
    (STRINGS, ["blue", "black", "brown"]),
    (STRINGS, ["one"]),
    (INTEGERS, [1, -2, 30]),
    (COLOR, {"R": 100, "G": "200", "B": False}),
    (COLOR, {"G": "x"}),
]


def sent(place: str, style: str, explode: bool, value: Any, **more: Any) -> Any:
    parameter = Parameter.model_validate(
        {"location": place, "name": "color", "value": "{v}", "style": style, "explode": explode, **more}
    )  # fmt: skip
    path = "/x/{color}/y" if place == "path" else "/x"
    return build_request(
        Request(method="GET", path=path, parameters=(parameter,)), Scope({"v": value})
    )


def read(place: str, schema: Any, built: Any, **said: Any) -> Any:
    described = {"in": place, "name": "color", "schema": schema, **said}
    path = "/x/{color}/y" if place == "path" else "/x"
    return decode(Described(path, [described]), built).parameters.get((place, "color"), ABSENT)


@pytest.mark.parametrize(("place", "style", "explode"), STYLES)
@pytest.mark.parametrize(("schema", "value"), VALUES)
def test_every_style_of_every_value(
    place: str, style: str, explode: bool, schema: Any, value: Any
) -> None:
    built = sent(place, style, explode, value)
    assert same(value, read(place, schema, built, style=style, explode=explode))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@settings(max_examples=150)
@given(st.sampled_from(STYLES), st.lists(TEXTS, min_size=1, max_size=3))
def test_any_list_is_read_back_or_refused(style: tuple[str, str, bool], value: list[str]) -> None:
    """No separator, reserved or control character makes one value another."""
    place, name, explode = style
    try:
        built = sent(place, name, explode, value)
    except Rejected:
        return
    assert same(value, read(place, STRINGS, built, style=name, explode=explode))


@settings(max_examples=150)
@given(st.sampled_from(STYLES), TEXTS)
def test_any_text_is_read_back_or_refused(style: tuple[str, str, bool], value: str) -> None:
    place, name, explode = style
    try:
        built = sent(place, name, explode, value)
    except Rejected:
        return
    assert same(value, read(place, {"type": "string"}, built, style=name, explode=explode))


@settings(max_examples=100)
@given(st.booleans(), st.lists(TEXTS, min_size=1, max_size=3))
def test_reserved_characters_do_not_separate(explode: bool, value: list[str]) -> None:
    built = sent("query", "form", explode, value, allow_reserved=True)
    assert same(value, read("query", STRINGS, built, explode=explode, allowReserved=True))


@pytest.mark.parametrize(
    "value",
    [
        {"since": {"gte": 5}},
        {"tags": ["a", "b,c"], "lines": [{"n": 1}, {"n": 2}]},
        {"since": {"gte": 0}, "tags": ["&[x]="]},
    ],
)
def test_nested_deep_objects(value: Any) -> None:
    """As Stripe's servers read them: `a[b][c]=`, and lists by index."""
    built = sent("query", "deepObject", True, value)
    assert same(value, read("query", FILTER, built, style="deepObject", explode=True))


@pytest.mark.parametrize("place", ["path", "query", "header", "cookie"])
def test_documents_as_parameters(place: str) -> None:
    value = {"a": [1, "é&=;,"], "b": None}
    built = sent(place, "simple", False, value, media="application/json")
    described = {"in": place, "name": "color", "content": {"application/json": {}}}
    path = "/x/{color}/y" if place == "path" else "/x"
    assert decode(Described(path, [described]), built).parameters[place, "color"] == value


FIELDS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "amount": {"type": "integer"},
        "draft": {"type": "boolean"},
        "tags": STRINGS,
        "address": {"type": "object", "properties": {"line1": {"type": "string"}}},
        "lines": {"type": "array", "items": {"type": "object"}},
        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "codes": INTEGERS,
        "color": COLOR,
        "note": {"type": "string"},
    },
}
ENCODINGS: dict[str, dict[str, Any]] = {
    "metadata": {"style": "deepObject", "explode": True},
    "codes": {"style": "pipeDelimited", "explode": False},
    "color": {"style": "form", "explode": False},
    "note": {"contentType": "text/plain"},
}
FORMS = {"form": "application/x-www-form-urlencoded", "multipart": "multipart/form-data"}


def form(kind: str, value: Any) -> Any:
    encodings = {
        name: Encoding(media=said["contentType"]) if "contentType" in said else Encoding(**said)
        for name, said in ENCODINGS.items()
    }
    body = Body.model_validate(
        {"media": FORMS[kind], "kind": kind, "bindings": [Binding(at="", value="{v}")], "encodings": encodings}
    )  # fmt: skip
    return build_request(Request(method="POST", path="/x", body=body), Scope({"v": value}))


def read_form(kind: str, built: Any) -> Any:
    content = {FORMS[kind]: {"schema": FIELDS, "encoding": ENCODINGS}}
    return decode(Described("/x", (), content), built).body


@pytest.mark.parametrize("kind", ["form", "multipart"])
def test_forms(kind: str) -> None:
    value = {
        "name": "a&b=c d\r\n--x\r\né", "amount": 5, "draft": False, "tags": ["a", "b c"], "address": {"line1": "x"},
        "lines": [{"n": 1}, {"n": [2, None]}], "metadata": {"k 1": "v", "é": ""}, "codes": [1, 2],
        "color": {"R": 1, "B": True}, "note": "plain",
    }  # fmt: skip
    assert same(value, read_form(kind, form(kind, value)))


@settings(max_examples=100)
@given(
    st.sampled_from(["form", "multipart"]),
    st.fixed_dictionaries(
        {},
        optional={
            "name": TEXTS,
            "note": TEXTS,
            "tags": st.lists(TEXTS, min_size=1, max_size=3),
            "metadata": st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=3),
        },
    ),
)
def test_any_form_is_read_back_or_refused(kind: str, value: dict[str, Any]) -> None:
    try:
        built = form(kind, value)
    except Rejected:
        return
    assert same(value, read_form(kind, built))


def test_equal_multipart_bodies_are_equal_bytes() -> None:
    """P3: the boundary is made of the content, and in none of it."""
    one, two = (
        form("multipart", {"name": "x", "amount": 1}),
        form("multipart", {"amount": 1, "name": "x"}),
    )
    assert (one.body, one.headers) == (two.body, two.headers)
    (header,) = [text for name, text in one.headers if name == "Content-Type"]
    boundary = header.partition("boundary=")[2]
    again = form("multipart", {"name": boundary, "amount": 1})
    assert same({"name": boundary, "amount": 1}, read_form("multipart", again))


@pytest.mark.parametrize(
    ("media", "content_type"),
    [("text/plain", "text/plain; charset=utf-8"), ("application/x-yaml", "application/x-yaml")],
)
def test_texts(media: str, content_type: str) -> None:
    body = Body(media=media, kind="text", bindings=(Binding(at="", value="{v}"),))
    built = build_request(Request(method="POST", path="/x", body=body), Scope({"v": "é\n- a"}))
    assert ("Content-Type", content_type) in built.headers
    described = Described("/x", (), {media: {"schema": {"type": "string"}}})
    assert decode(described, built).body == "é\n- a"
