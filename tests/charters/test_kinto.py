"""A full replacement that keeps what it does not name, a version that every write moves, pages by a URL in a header."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.upstream.credentials import Credential

from .stage import CALLER, Fake, Stage, code_of, json_of

BASE = f"/buckets/{CALLER.tenant}/collections/contacts/records"
CHANGE = {"contact": "c1", "name": "Marta O."}


class Kinto(Fake):
    """A collection of records; PUT erases what it does not name, and a stale tag is 412 with the whole record."""

    def __init__(self) -> None:
        super().__init__()
        self.tick = 1000
        self.records: dict[str, dict[str, Any]] = {}
        for n in range(1, 6):
            self.put(f"c{n}", name=f"Name {n}", email=f"n{n}@example.org", vip=n == 1, tags=["a"])
        self.next_page = f"https://api.test{BASE}?_limit=2&_token={{}}"

    def put(self, name: str, /, **fields: Any) -> None:
        self.tick += 1
        self.records[name] = {"id": name, "last_modified": self.tick, **fields}

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        name = request.url.path.removeprefix(BASE).removeprefix("/")
        if not name:
            return self._list(request)
        record = self.records.get(name)
        if record is None:
            return httpx2.Response(404, json={"code": 404, "error": "Not Found"})
        tag = f'"{record["last_modified"]}"'
        if request.method == "GET":
            return httpx2.Response(200, json={"data": record}, headers={"ETag": tag})
        if request.headers.get("if-match") != tag:
            body = {"code": 412, "details": {"existing": record}}
            return httpx2.Response(412, json=body, headers={"ETag": tag})
        data = json_of(request)["data"]
        assert "last_modified" not in data
        self.put(name, **{key: value for key, value in data.items() if key != "id"})
        answered = self.records[name]
        new = f'"{answered["last_modified"]}"'
        return httpx2.Response(200, json={"data": answered}, headers={"ETag": new})

    def _list(self, request: httpx2.Request) -> httpx2.Response:
        limit, start = (
            int(request.url.params["_limit"]),
            int(request.url.params.get("_token", 0)),
        )
        items = list(self.records.values())
        more = start + limit < len(items)
        headers = {"Next-Page": self.next_page.format(start + limit)} if more else {}
        return httpx2.Response(200, json={"data": items[start : start + limit]}, headers=headers)


@pytest.fixture
def kinto() -> Kinto:
    return Kinto()


@pytest.fixture
def table(stage: Callable[..., Stage], kinto: Kinto) -> Stage:
    return stage("kinto", kinto, "editor", credential=Credential.basic("desk", "p"))


def changed(table: Stage, meanwhile: Callable[[], Any] = dict) -> Success[Any] | Failure[Any]:
    return table.written("update_contact", CHANGE, meanwhile)


def test_fields_that_the_charter_does_not_know_survive(table: Stage, kinto: Kinto) -> None:
    reply = changed(table)
    assert isinstance(reply, Success), reply
    assert reply.result == {"contact": "c1"}
    assert kinto.records["c1"] == {
        "id": "c1",
        "last_modified": 1006,
        "name": "Marta O.",
        "email": "n1@example.org",
        "vip": True,
        "tags": ["a"],
    }
    assert kinto.writes[0].headers["if-match"] == '"1001"'
    assert reply.evidence is not None
    assert (reply.evidence.new_version, reply.evidence.version_check) == ('"1006"', "atomic")


def test_a_race_is_the_servers_412_and_tells_nothing_of_the_record(
    table: Stage, kinto: Kinto
) -> None:
    original = kinto.answer

    def late(request: httpx2.Request) -> httpx2.Response:
        if request.method == "PUT":
            kinto.put("c1", name="Faster", email="secret@example.org")
        return original(request)

    kinto.answer = late  # type: ignore[method-assign]
    reply = changed(table)
    assert code_of(reply) == "VERSION_CONFLICT"
    assert "secret" not in repr(reply)
    assert kinto.records["c1"]["name"] == "Faster"


def test_a_record_that_moved_before_the_commit(table: Stage, kinto: Kinto) -> None:
    reply = changed(table, lambda: kinto.put("c1", name="Somebody else"))
    assert code_of(reply) == "VERSION_CONFLICT"
    assert kinto.writes == []


def test_a_lost_answer(table: Stage, kinto: Kinto) -> None:
    """The name is there and the tag has moved: the state is proved, and not who did it."""
    kinto.loses = 1
    reply = changed(table)
    assert isinstance(reply, Success), reply
    assert reply.evidence is not None
    assert (reply.evidence.proof, reply.evidence.new_version) == ("state", '"1006"')
    assert len(kinto.writes) == 1


def test_a_change_of_nothing_is_refused(table: Stage) -> None:
    async def story() -> None:
        async with table.run() as run:
            reply = await run.call("preview_update_contact", {"contact": "c1"})
            assert code_of(reply) == "INVALID_ARGUMENT"

    asyncio.run(story())


def test_pages_of_a_url_in_a_header(table: Stage) -> None:
    async def story() -> list[str]:
        names: list[str] = []
        async with table.run() as run:
            arguments: dict[str, Any] = {}
            while True:
                reply = await run.call("list_contacts", arguments)
                assert isinstance(reply, Success), reply
                names += [one["contact"] for one in reply.result["contacts"]]
                if reply.result["next_cursor"] is None:
                    return names
                arguments = {"cursor": reply.result["next_cursor"]}

    assert asyncio.run(story()) == ["c1", "c2", "c3", "c4", "c5"]
