"""Statuses and media types of answers: which complete, which can be read, and what of the others is told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from toolcharter.pipeline import Options, Report, generate_charter
from toolcharter_runtime.envelope import Failure, Success

from .building import import_catalog
from .stage import Stage, code_of
from .test_answers import TEXT, Echo, charter, must, of

PROBLEM = {
    "type": "object",
    "properties": {"type": {"type": "string"}, "detail": {"type": "string"}},
}


def body(schema: Any, media: str = "application/json") -> dict[str, Any]:
    return {"description": "", "content": {media: {"schema": schema}}}


EMPTY = {"description": ""}
OPERATIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "several": (
        {"200": body(must(a=TEXT)), "201": body(must(a=TEXT, b=TEXT)), "204": EMPTY},
        {"a": "/a", "b": "/b"},
    ),
    "range": ({"2XX": body(must(a=TEXT)), "4XX": body(PROBLEM, "application/problem+json")}, {"a": "/a"}),
    "default": ({"default": body(must(a=TEXT))}, {"a": "/a"}),
    "vendor": ({"200": body(must(a=TEXT), "application/vnd.x+json; version=2")}, {"a": "/a"}),
    "two_media": (
        {"200": {"description": "", "content": {
            "text/csv": {"schema": {"type": "string"}}, "application/json": {"schema": must(a=TEXT)},
        }}},
        {"a": "/a"},
    ),
    "nothing": ({"204": EMPTY}, {}),
    "headed": (
        {"200": {"description": "", "headers": {
            "X-Count": {"schema": {"type": "integer", "maximum": 99}},
            "X-Last": {"schema": {"type": "boolean"}},
            "X-Tags": {"schema": {"type": "array", "maxItems": 3, "items": TEXT}},
        }}},
        {"count": "header.x-count", "last": "header.X-Last", "tags": "header.X-Tags"},
    ),
    "text": ({"200": body({"type": "string"}, "text/plain")}, {"text": {"at": "body", "truncate": 10}}),
    "file": (
        {"200": body({"type": "string", "format": "binary"}, "image/png")},
        {"type": {"at": "header.Content-Type", "type": "string", "maxLength": 50},
         "bytes": {"at": "header.Content-Length", "type": "integer", "maximum": 10_000_000}},
    ),
}  # fmt: skip


def written(folder: Path, operations: dict[str, Any], views: dict[str, Any], **more: Any) -> Report:
    """Write a description and a charter of read tools, and generate the package."""
    paths = {
        f"/{name}": {"get": {"operationId": name, "responses": responses}}
        for name, responses in operations.items()
    }
    head = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}
    (folder / "openapi.json").write_text(json.dumps({**head, "paths": paths}), "utf-8")
    said = charter(views, "response_tools")
    for tool in said["tools"].values():
        tool.update(more)
    (folder / "charter.yaml").write_text(json.dumps(said), "utf-8")
    return generate_charter(folder / "charter.yaml", Options(out=folder / "out"))


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("responses")
    operations = {name: responses for name, (responses, _) in OPERATIONS.items()}
    report = written(folder, operations, {name: view for name, (_, view) in OPERATIONS.items()})
    assert [one.message for one in report.diagnostics if one.severity == "error"] == []
    return import_catalog(folder / "out")


def read(catalog: Any, folder: Path, name: str, response: httpx2.Response) -> Any:
    """Return the result, or the code."""
    echo = Echo()
    echo.response = response

    async def story() -> Success[Any] | Failure[Any]:
        async with Stage(folder, catalog, echo, "reader").run() as run:
            return await run.call(f"get_{name}", {})

    reply = asyncio.run(story())
    return reply.result if isinstance(reply, Success) else code_of(reply)


def as_json(value: Any, media: str = "application/json", status: int = 200) -> httpx2.Response:
    return httpx2.Response(
        status, content=json.dumps(value).encode(), headers={"Content-Type": media}
    )


VIOLATION = "UPSTREAM_CONTRACT_VIOLATION"


@pytest.mark.parametrize(
    ("name", "response", "expected"),
    [
        ("several", as_json({"a": "x"}), {"a": "x"}),
        ("several", as_json({"a": "x", "b": "y"}, status=201), {"a": "x", "b": "y"}),
        ("several", httpx2.Response(204), {}),
        ("several", as_json({"a": "x"}, status=202), VIOLATION),
        ("several", as_json({"a": 1}), VIOLATION),
        ("range", as_json({"a": "x"}, status=226), {"a": "x"}),
        ("range", as_json({"a": "x"}, status=302), VIOLATION),
        ("range", as_json({"detail": "secret"}, "application/problem+json", 422), "UPSTREAM_REJECTED"),
        ("range", as_json({"detail": "secret"}, "application/problem+json", 429), "RATE_LIMITED"),
        ("range", as_json({"detail": "secret"}, "application/problem+json", 410), "TARGET_NOT_FOUND"),
        ("range", as_json({"detail": "secret"}, status=503), "UPSTREAM_UNAVAILABLE"),
        ("range", httpx2.Response(200), VIOLATION),
        ("default", as_json({"a": "x"}), {"a": "x"}),
        ("default", as_json({"a": "x"}, status=400), "UPSTREAM_REJECTED"),
        ("vendor", as_json({"a": "x"}, "application/vnd.x+json"), {"a": "x"}),
        ("vendor", as_json({"a": "é"}, "application/json; charset=UTF-8"), {"a": "é"}),
        ("two_media", as_json({"a": "x"}), {"a": "x"}),
        ("two_media", as_json({"a": "x"}, "text/csv"), VIOLATION),
        ("nothing", httpx2.Response(204), {}),
        ("headed", httpx2.Response(200, headers={"X-Count": "7", "X-Last": "true", "X-Tags": "a, b"}),
         {"count": 7, "last": True, "tags": ["a", "b"]}),
        ("headed", httpx2.Response(200, headers={"X-Count": "100"}), VIOLATION),
        ("headed", httpx2.Response(200, headers={"X-Count": "seven"}), VIOLATION),
        ("headed", httpx2.Response(200), {}),
        ("text", httpx2.Response(200, content="naïve text".encode(), headers={"Content-Type": "text/plain"}), {"text": "naïve text"}),
        ("text", httpx2.Response(200, content=b"a longer text", headers={"Content-Type": "text/plain; charset=utf-8"}), {"text": "a longer …"}),
        ("text", httpx2.Response(200, content=b"na\xefve", headers={"Content-Type": "text/plain; charset=ISO-8859-1"}), {"text": "naïve"}),
        ("text", httpx2.Response(200, content=b"<p>", headers={"Content-Type": "text/html"}), VIOLATION),
        ("text", httpx2.Response(500, content=b"secret", headers={"Content-Type": "text/plain"}), "UPSTREAM_UNAVAILABLE"),
        ("file", httpx2.Response(200, content=b"\x89PNG", headers={"Content-Type": "image/png"}), {"type": "image/png", "bytes": 4}),
    ],
)  # fmt: skip
def test_response(
    catalog: Any, tmp_path: Path, name: str, response: httpx2.Response, expected: Any
) -> None:
    assert read(catalog, tmp_path, name, response) == expected


@pytest.mark.parametrize(
    ("charset", "encoded"),
    [
        ("utf-16", '{"a": "é"}'.encode("utf-16")),
        ("iso-8859-1", '{"a": "é"}'.encode("iso-8859-1")),
        ('"UTF-8"', b'\xef\xbb\xbf{"a": "\xc3\xa9"}'),
    ],
)
def test_json_in_the_charset_that_it_says(
    catalog: Any, tmp_path: Path, charset: str, encoded: bytes
) -> None:
    media = {"Content-Type": f"application/json; charset={charset}"}
    response = httpx2.Response(200, content=encoded, headers=media)
    assert read(catalog, tmp_path, "default", response) == {"a": "é"}


def test_bytes_that_are_no_json_whatever_they_say(catalog: Any, tmp_path: Path) -> None:
    media = {"Content-Type": "application/json; charset=utf-16"}
    response = httpx2.Response(200, content=b'{"a": "x"', headers=media)
    assert read(catalog, tmp_path, "default", response) == VIOLATION


@pytest.mark.parametrize(
    ("responses", "view", "code", "words"),
    [
        ({"200": body({"type": "string", "format": "binary"}, "image/png")}, {}, "TC405", "image/png"),
        ({"200": body({"type": "string"}, "application/octet-stream")}, {"a": "/a"}, "TC405", "octet-stream"),
        ({"200": body(of(a=TEXT), "application/xml")}, {"a": "/a"}, "TC405", "application/xml"),
        ({"200": body({"type": "string"}, "text/plain")}, {"a": "/a"}, "TC405", "text/plain"),
        ({"200": body({"type": "string"}, "text/event-stream")}, {}, "TC405", "event-stream"),
        ({"204": EMPTY}, {"a": "/a"}, "TC407", "no JSON answer"),
        ({"404": body(of(a=TEXT))}, {"a": "/a"}, "TC407", "declares no success"),
        ({"200": body({**of(a=TEXT), "additionalProperties": False})}, {"b": "/b"}, "TC110", "`/b`"),
        ({"200": body(must(a={**TEXT, "writeOnly": True}))}, {"a": "/a"}, "TC401", "`a`"),
        ({"200": body(of(it={**of(a=TEXT), "writeOnly": True}))}, {"it": {"at": "/it", "fields": {"a": "/a"}}}, "TC401", "it.a"),
        ({"200": body(of(a=of(b=TEXT)))}, {"a": "/a"}, "TC113", "`a`"),
        ({"200": body(of(a={"oneOf": [of(b=TEXT), of(c=TEXT)]}))}, {"a": {"at": "/a", "branch": "object", "fields": {"b": "/b"}}}, "TC113", "`a`"),
        ({"200": body(of(a=TEXT))}, {"a": {"at": "/a", "fields": {"b": "/b"}}}, "TC113", "no object"),
        ({"200": body(of(a=of(b=TEXT)))}, {"a": {"at": "/a", "each": {"b": "/b"}}}, "TC113", "no list"),
        ({"200": body(of(a=of(b=TEXT)))}, {"a": {"at": "/a", "values": {"fields": {"b": "/b"}}}}, "TC113", "names of its own"),
        ({"200": body(of(a={"type": "integer"}))}, {"a": {"at": "/a", "truncate": 5}}, "TC731", "only a text"),
        ({"200": body(of(a=of(b=TEXT)))}, {"a": {"at": "/a", "fields": {"b": "/b"}, "each": {"b": "/b"}}}, "TC731", "both"),
        ({"200": EMPTY}, {"a": "header.X-None"}, "TC110", "header"),
    ],
)  # fmt: skip
def test_what_no_view_can_show_is_refused_by_name(
    tmp_path: Path, responses: dict[str, Any], view: dict[str, Any], code: str, words: str
) -> None:
    report = written(tmp_path, {"it": responses}, {"it": view})
    errors = [one for one in report.diagnostics if one.severity == "error"]
    assert [one.code for one in errors] == [code]
    assert words in errors[0].message
    assert errors[0].hint


PROBLEMS = "https://api.test/problems/"


def test_problem_details_give_a_code_a_field_and_fixed_text(tmp_path: Path) -> None:
    """RFC 9457: rules look at the problem; its title, detail and extensions stay outside."""
    problem = {**PROBLEM, "properties": {**PROBLEM["properties"], "status": {"type": "integer"}}}
    parameters = [{"name": "seat", "in": "query", "schema": {"type": "integer", "maximum": 99}}]
    operation = {"operationId": "it", "parameters": parameters, "responses": {
        "200": body(must(a=TEXT)), "4XX": body(problem, "application/problem+json"),
    }}  # fmt: skip
    head = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}
    document = {**head, "paths": {"/it": {"get": operation}}}
    (tmp_path / "openapi.json").write_text(json.dumps(document), "utf-8")
    written = charter({"it": {"a": "/a"}}, "problem_tools")
    rule = {"when": {"http": 422, "/type": f"{PROBLEMS}taken"}, "is": "rejected"}
    written["tools"]["get_it"] |= {
        "input": {"seat": {}}, "answers": [{**rule, "code": "INVALID_ARGUMENT", "field": "seat"}],
    }  # fmt: skip
    (tmp_path / "charter.yaml").write_text(json.dumps(written), "utf-8")
    report = generate_charter(tmp_path / "charter.yaml", Options(out=tmp_path / "out"))
    assert [one.message for one in report.diagnostics if one.severity == "error"] == []
    catalog, echo = import_catalog(tmp_path / "out"), Echo()

    async def story() -> None:
        async with Stage(tmp_path, catalog, echo, "reader").run() as run:
            for kind, code, at in (
                ("taken", "INVALID_ARGUMENT", "/seat"),
                ("other", "UPSTREAM_REJECTED", None),
            ):
                told = {
                    "type": PROBLEMS + kind,
                    "title": "secret",
                    "detail": "secret",
                    "status": 422,
                }
                echo.response = as_json(told, "application/problem+json", 422)
                reply = await run.call("get_it", {"seat": 7})
                assert isinstance(reply, Failure)
                assert (reply.error.code, reply.error.field) == (code, at)
                assert "secret" not in repr(reply)
                assert PROBLEMS not in repr(reply)

    asyncio.run(story())


def test_a_rule_says_which_status_completes_where_none_is_declared(tmp_path: Path) -> None:
    rules = {
        "answers": [{"when": {"http": 204}, "is": "completed"}],
        "attest": {"http 204": "As measured"},
    }
    report = written(tmp_path, {"it": {"404": EMPTY}}, {"it": {}}, **rules)
    assert [one.message for one in report.diagnostics if one.severity == "error"] == []


def test_a_name_inside_an_answer_is_spelled_as_a_member(tmp_path: Path) -> None:
    view = {"it": {"at": "/it", "fields": {"a b": "/a", "max-size": "/a"}}}
    report = written(tmp_path, {"it": {"200": body(of(it=of(a=TEXT)))}}, {"it": view})
    errors = [one for one in report.diagnostics if one.severity == "error"]
    assert [one.code for one in errors] == ["TC613"]
    assert "a b" in errors[0].message
