"""Once the bytes may have left, no reply says that there was no effect; and no bytes leave too late."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.store import Store, StoreError

from .world import World, code_of

COMMIT = "commit_address_change"


@pytest.mark.parametrize("error", [StoreError("STORE_FAILED", "no"), RuntimeError("a bug")])
def test_an_outcome_that_cannot_be_recorded_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """I9, R1, R2: it is in progress, never `rejected`, which says that there was no effect; later it is found out."""
    world = World(tmp_path)

    async def fail(*_: Any, **__: Any) -> bool:
        raise error

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            with monkeypatch.context() as broken:
                broken.setattr(Store, "record_outcome", fail)
                reply = await run.call(COMMIT, {"proposal_id": proposal_id})
                assert isinstance(reply, Failure)
                assert (reply.status, reply.error.code) == ("accepted", "OPERATION_IN_PROGRESS")
                assert reply.operation_id is not None
            world.later(seconds=400)
            again = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(again, Success)
            assert (again.status, again.operation_id) == ("completed", reply.operation_id)

    asyncio.run(story())
    assert len(world.crm.ledger) == 1


def test_a_question_that_fails_leaves_the_outcome_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I9, R1: a store that fails while a lost answer is asked after does not make it `rejected`."""
    world = World(tmp_path)
    world.crm.faults = ["drop_after"]
    world.crm.is_status_down = True

    async def fail(*_: Any, **__: Any) -> None:
        raise StoreError("STORE_FAILED", "no")

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            assert (
                code_of(await run.call(COMMIT, {"proposal_id": proposal_id})) == "UNKNOWN_OUTCOME"
            )
            monkeypatch.setattr(Store, "adopt", fail)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert (reply.status, reply.error.code) == ("unknown", "UNKNOWN_OUTCOME")

    asyncio.run(story())
    assert len(world.crm.ledger) == 1


def test_a_write_whose_time_is_over_never_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L5, S5: a process that slept after the `sent` row sends nothing; somebody else may have taken the write over."""
    world = World(tmp_path)
    consume = Store.consume_and_send

    async def consume_and_sleep(self: Store, *of: Any, **more: Any) -> Any:
        sent = await consume(self, *of, **more)
        clock = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: clock() + 6)
        return sent

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            monkeypatch.setattr(Store, "consume_and_send", consume_and_sleep)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert (reply.status, reply.error.code) == ("rejected", "UPSTREAM_UNAVAILABLE")

    asyncio.run(story())
    assert [path for method, path in world.crm.requests if method == "POST"] == []


@pytest.mark.parametrize(
    "when",
    [
        "Fri, 31 Dec 999999999999999999999999 23:59:59 GMT",
        "Fri, 31 Dec 2026 23:59:59 +99999999999999999999999",
    ],
)
def test_no_time_to_wait_breaks_a_reply(tmp_path: Path, when: str) -> None:
    """R3, R1: a Retry-After that is no date is as none; the refusal is recorded and told as it is."""
    world = World(tmp_path)
    world.crm._write = lambda *_: httpx2.Response(429, headers={"Retry-After": when})  # type: ignore[method-assign]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            for _ in range(2):
                reply = await run.call(COMMIT, {"proposal_id": proposal_id})
                assert isinstance(reply, Failure)
                assert (reply.error.code, reply.error.retry_after) == ("RATE_LIMITED", None)

    asyncio.run(story())
