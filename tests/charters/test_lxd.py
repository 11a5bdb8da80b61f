"""A copy in the background: its operation is gone five seconds after it ended, and the volume is the proof."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Success
from toolcharter_runtime.run import Run

from .stage import Fake, Stage, code_of, json_of

COPY = {"pool": "fast", "source": "data", "copy": "data-copy"}
OPERATION = "2f0c1e9a-3c1b-4b5e-9d3e-1a2b3c4d5e6f"


class Lxd(Fake):
    """One pool; a copy shows its volume, description and all, while it is still being made."""

    def __init__(self) -> None:
        super().__init__()
        self.volumes: dict[str, str] = {"data": "the original"}
        self.operation: dict[str, Any] | None = None

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == f"/1.0/operations/{OPERATION}":
            return self._sync(self.operation)
        volumes = "/1.0/storage-pools/fast/volumes/custom"
        assert path.startswith(volumes), path
        assert request.url.params["project"] == "lab"
        if request.method == "POST":
            return self._copy(json_of(request))
        name = path.removeprefix(f"{volumes}/")
        note = self.volumes.get(name)
        return self._sync(None if note is None else {"name": name, "description": note})

    def _sync(self, metadata: dict[str, Any] | None) -> httpx2.Response:
        if metadata is None:
            return httpx2.Response(404, json={"type": "error", "error_code": 404})
        return httpx2.Response(
            200, json={"type": "sync", "status": "Success", "metadata": metadata}
        )

    def _copy(self, body: dict[str, Any]) -> httpx2.Response:
        if body["name"] in self.volumes:
            return httpx2.Response(409, json={"type": "error", "error_code": 409})
        assert body["source"] == {
            "name": "data",
            "type": "copy",
            "pool": "fast",
            "volume_only": True,
        }
        self.volumes[body["name"]] = body["description"]
        self.operation = {"id": OPERATION, "status_code": 103, "err": ""}
        answer = {"type": "async", "status_code": 100, "metadata": self.operation}
        return httpx2.Response(202, json=answer)

    def end(self, status: int, reason: str = "") -> None:
        assert self.operation is not None
        self.operation.update(status_code=status, err=reason)


@pytest.fixture
def lxd() -> Lxd:
    return Lxd()


@pytest.fixture
def store(stage: Callable[..., Stage], lxd: Lxd) -> Stage:
    return stage("lxd", lxd, "storage_agent", context={"project": "lab"})


Told = Callable[[Run, str], Awaitable[None]]


def followed(store: Stage, story: Told) -> None:
    """Start the copy, and tell the story with its handle."""

    async def play() -> None:
        async with store.run() as run:
            reply = await store.write(run, "copy_volume", COPY)
            assert isinstance(reply, Success), reply
            assert (reply.status, reply.evidence) == ("accepted", None)
            assert reply.operation_id is not None
            await story(run, reply.operation_id)

    asyncio.run(play())


async def end_of(store: Stage, run: Run, operation_id: str) -> Any:
    reply = await store.end_of(run, operation_id)
    assert isinstance(reply, Success), reply
    return reply


def test_copy_that_succeeds(store: Stage, lxd: Lxd) -> None:
    async def story(run: Run, handle: str) -> None:
        running = await run.call("get_operation", {"operation_id": handle})
        assert isinstance(running, Success)
        assert running.result["state"] == "running"
        lxd.end(200)
        ended = await end_of(store, run, handle)
        assert ended.result["state"] == "succeeded"
        assert ended.evidence.upstream_operation_id == OPERATION

    followed(store, story)


@pytest.mark.parametrize(("status", "state"), [(400, "failed"), (401, "cancelled")])
def test_copy_that_ends_badly_with_http_200(
    store: Stage, lxd: Lxd, status: int, state: str
) -> None:
    async def story(run: Run, handle: str) -> None:
        lxd.end(status, "no space left")
        ended = await end_of(store, run, handle)
        assert ended.result["state"] == state
        assert ended.result.get("reason") == ("no space left" if state == "failed" else None)

    followed(store, story)


def test_operation_that_is_gone_leaves_the_volume_as_proof(store: Stage, lxd: Lxd) -> None:
    """Attested: a failed copy leaves no volume, so what is there with the marker was made."""

    async def story(run: Run, handle: str) -> None:
        lxd.operation = None
        ended = await end_of(store, run, handle)
        assert ended.result["state"] == "succeeded"
        assert ended.evidence.proof == "effect"

    followed(store, story)


def test_operation_that_is_gone_with_its_volume_is_unknown(store: Stage, lxd: Lxd) -> None:
    async def story(run: Run, handle: str) -> None:
        lxd.operation = None
        del lxd.volumes["data-copy"]
        reply = await store.end_of(run, handle)
        assert code_of(reply) == "UNKNOWN_OUTCOME"

    followed(store, story)


def test_lost_answer_is_accepted_with_its_end_unseen(store: Stage, lxd: Lxd) -> None:
    """The volume shows while it is still copied, so its being there is no end; whose it is, the marker says."""
    lxd.loses = 1
    reply = store.written("copy_volume", COPY)
    assert isinstance(reply, Success), reply
    assert reply.status == "accepted"
    assert len(lxd.writes) == 1


def test_name_that_was_taken_meanwhile(store: Stage, lxd: Lxd) -> None:
    original = lxd._copy

    def late(body: dict[str, Any]) -> httpx2.Response:
        lxd.volumes["data-copy"] = "somebody else's"
        return original(body)

    lxd._copy = late  # type: ignore[method-assign]
    assert code_of(store.written("copy_volume", COPY)) == "VERSION_CONFLICT"


def test_source_that_is_not_there(store: Stage, lxd: Lxd) -> None:
    del lxd.volumes["data"]

    async def story() -> None:
        async with store.run() as run:
            reply = await run.call("preview_copy_volume", COPY)
            assert code_of(reply) == "PRECONDITION_FAILED"

    asyncio.run(story())
