"""Pages of every kind, through the whole pipeline: one opaque cursor, bound to the tool and its arguments."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from toolcharter.pipeline import Options, generate_charter
from toolcharter_runtime.envelope import Success

from .building import import_catalog
from .stage import Fake, Stage, code_of
from .test_answers import TEXT, must, of

ITEM = must(id={"type": "integer"})
LIST = {"type": "array", "items": ITEM}
SIZE = {"query.limit": 3}
URLS = "https://evil.test/other/path?token={}&limit=99"


@dataclass
class Kind:
    """How one list is paged: its body, its `page`, and how the fake says what follows."""

    schema: Any
    at: str
    page: dict[str, Any]
    headers: dict[str, Any]


KINDS = {
    "answer": Kind(of(items=LIST, next=TEXT), "/items", {"next": "/next", "to": "query.token", "size": SIZE}, {}),
    "until": Kind(
        of(items=LIST, next=TEXT, done={"type": "boolean"}), "/items",
        {"next": "/next", "to": "query.token", "until": {"/done": True}, "size": SIZE}, {},
    ),
    "last": Kind(
        of(items=LIST, more={"type": "boolean"}), "/items",
        {"next": {"last": "/id"}, "to": "query.after", "until": {"/more": False}, "size": SIZE}, {},
    ),
    "short": Kind(LIST, "", {"next": {"last": "/id"}, "to": "query.after", "size": SIZE}, {}),
    "link": Kind(LIST, "", {"next": {"link": "next", "take": "token"}, "to": "query.token", "size": SIZE}, {"Link": {"schema": TEXT}}),
    "url_in_body": Kind(of(items=LIST, next={"type": "string"}), "/items", {"next": {"url": "/next", "take": "token"}, "to": "query.token", "size": SIZE}, {}),
    "url_in_header": Kind(LIST, "", {"next": {"url": "header.X-Next", "take": "token"}, "to": "query.token", "size": SIZE}, {"X-Next": {"schema": TEXT}}),
    "offset": Kind(LIST, "", {"next": "offset", "to": "query.skip", "size": SIZE}, {}),
    "number": Kind(LIST, "", {"next": "number", "to": "query.page", "size": SIZE}, {}),
}  # fmt: skip


class Lists(Fake):
    """Seven items, in pages of three, told in each of the ways; `url` is what the links look like."""

    def __init__(self, count: int = 7) -> None:
        super().__init__()
        self.items = [{"id": n} for n in range(1, count + 1)]
        self.url = URLS

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        assert request.url.host == "api.test"
        name = request.url.path.removeprefix("/")
        asked = request.url.params
        assert asked["limit"] == "3"
        assert set(asked) <= {"limit", "token", "after", "skip", "page", "filter"}
        if "after" in asked:
            start = int(asked["after"])
        elif "page" in asked:
            start = 3 * (int(asked["page"]) - 1)
        else:
            start = int(asked.get("token", asked.get("skip", 0)))
        page, more = self.items[start : start + 3], start + 3 < len(self.items)
        url = self.url.format(start + 3)
        match name:
            case "answer":
                return httpx2.Response(
                    200, json={"items": page, "next": str(start + 3) if more else ""}
                )
            case "until":
                return httpx2.Response(
                    200, json={"items": page, "next": str(start + 3), "done": not more}
                )
            case "last":
                return httpx2.Response(200, json={"items": page, "more": more})
            case "url_in_body":
                return httpx2.Response(200, json={"items": page, **({"next": url} if more else {})})
            case "link":
                links = (
                    f'<{url}>; rel="next"' if more else '<https://api.test/x?token=0>; rel="first"'
                )
                return httpx2.Response(200, json=page, headers={"Link": links})
            case "url_in_header":
                return httpx2.Response(200, json=page, headers={"X-Next": url} if more else {})
        return httpx2.Response(200, json=page)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("pages")
    wanted = {
        "limit": "integer",
        "token": "string",
        "after": "integer",
        "skip": "integer",
        "page": "integer",
    }
    parameters = [{"name": n, "in": "query", "schema": {"type": t}} for n, t in wanted.items()]
    parameters.append({"name": "filter", "in": "query", "schema": TEXT})
    paths = {
        f"/{name}": {"get": {"operationId": name, "parameters": parameters, "responses": {"200": {
            "description": "", "headers": kind.headers, "content": {"application/json": {"schema": kind.schema}},
        }}}}
        for name, kind in KINDS.items()
    }  # fmt: skip
    head = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}
    (folder / "openapi.json").write_text(json.dumps({**head, "paths": paths}), "utf-8")
    tools = {
        f"list_{name}": {
            "operation": name, "effect": "read", "description": "A list.", "input": {"filter": {}},
            "view": {"items": {"at": kind.at, "each": {"id": "/id"}}}, "page": kind.page,
        }
        for name, kind in KINDS.items()
    }  # fmt: skip
    text = {
        "charter": 1, "package": "page_tools", "spec": "openapi.json", "tools": tools,
        "ceilings": {"string": 20, "array": 5, "result": "4KiB"},
        "roles": {"reader": {"reads": "all", "purposes": ["production"]}},
    }  # fmt: skip
    (folder / "charter.yaml").write_text(json.dumps(text), "utf-8")
    report = generate_charter(folder / "charter.yaml", Options(out=folder / "out"))
    assert [one.message for one in report.diagnostics if one.severity == "error"] == []
    return import_catalog(folder / "out")


async def walked(run: Any, name: str, most: int = 9) -> list[list[int]]:
    pages: list[list[int]] = []
    arguments: dict[str, Any] = {"filter": "x"}
    for _ in range(most):
        reply = await run.call(f"list_{name}", arguments)
        assert isinstance(reply, Success), reply
        pages.append([item["id"] for item in reply.result["items"]])
        cursor = reply.result["next_cursor"]
        if cursor is None:
            return pages
        assert "token" not in cursor
        arguments["cursor"] = cursor
    raise AssertionError("the list does not end")


@pytest.mark.parametrize("name", KINDS)
def test_pages_to_their_end(catalog: Any, tmp_path: Path, name: str) -> None:
    """Seven items; a URL's host, path and other parameters count for nothing: only what is taken is sent on."""

    async def story() -> list[list[int]]:
        async with Stage(tmp_path, catalog, Lists(), "reader").run() as run:
            return await walked(run, name)

    assert asyncio.run(story()) == [[1, 2, 3], [4, 5, 6], [7]]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("count", [0, 2, 3, 6])
def test_lists_that_end_at_a_page(catalog: Any, tmp_path: Path, name: str, count: int) -> None:
    """A full last page may be followed by an empty one, where nothing says that it is the last."""

    async def story() -> list[list[int]]:
        async with Stage(tmp_path, catalog, Lists(count), "reader").run() as run:
            return await walked(run, name)

    pages = asyncio.run(story())
    assert [item for page in pages for item in page] == list(range(1, count + 1))
    assert len(pages) <= count // 3 + 1


@pytest.mark.parametrize("name", ["link", "url_in_body", "url_in_header"])
@pytest.mark.parametrize(
    "url",
    [
        "https://api.test/x?other={}",
        "https://api.test/x?token={0}&token={0}",
        "https://api.test/x",
        "https://api.test/x#token={}",
        "https://[api.test/x?token={}",
    ],
)
def test_next_urls_without_the_one_parameter(
    catalog: Any, tmp_path: Path, name: str, url: str
) -> None:
    lists = Lists()
    lists.url = url

    async def story() -> None:
        async with Stage(tmp_path, catalog, lists, "reader").run() as run:
            reply = await run.call(f"list_{name}", {})
            assert code_of(reply) == "UPSTREAM_CONTRACT_VIOLATION"

    asyncio.run(story())


def test_a_cursor_is_of_its_tool_arguments_and_caller(catalog: Any, tmp_path: Path) -> None:
    stage = Stage(tmp_path, catalog, Lists(), "reader")

    async def story() -> None:
        async with stage.run() as run:
            reply = await run.call("list_answer", {"filter": "x"})
            assert isinstance(reply, Success)
            cursor = reply.result["next_cursor"]
            for tool, more in (
                ("list_until", {"filter": "x"}),
                ("list_answer", {"filter": "y"}),
                ("list_answer", {}),
            ):
                wrong = await run.call(tool, {**more, "cursor": cursor})
                assert code_of(wrong) == "INVALID_ARGUMENT"
            changed = cursor[:-2] + ("A" if cursor[-2] != "A" else "B") + cursor[-1]
            wrong = await run.call("list_answer", {"filter": "x", "cursor": changed})
            assert code_of(wrong) == "INVALID_ARGUMENT"
            right = await run.call("list_answer", {"filter": "x", "cursor": cursor})
            assert isinstance(right, Success)

    asyncio.run(story())


@pytest.mark.parametrize("name", ["answer", "link", "url_in_body"])
def test_an_upstream_that_repeats_its_cursor_ends_the_list(
    catalog: Any, tmp_path: Path, name: str
) -> None:
    lists = Lists()
    original = lists.answer

    def stuck(request: httpx2.Request) -> httpx2.Response:
        url = request.url.copy_remove_param("token")
        return original(httpx2.Request("GET", url))

    lists.answer = stuck  # type: ignore[method-assign]

    async def story() -> list[list[int]]:
        async with Stage(tmp_path, catalog, lists, "reader").run() as run:
            return await walked(run, name)

    assert asyncio.run(story()) == [[1, 2, 3], [1, 2, 3]]
