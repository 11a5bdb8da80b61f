"""Closing the boundary while calls are under way, from coroutines and from threads (O3, D2)."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.boundary import BoundaryError
from toolcharter_runtime.envelope import Success
from toolcharter_runtime.store import Store

from .world import CALLER, World

READ = {"customer": "C-1001"}


def test_a_commit_before_its_send_is_finished(tmp_path: Path) -> None:
    """O3: closing waits for a commit that is between its claim and its send; it leaves no lease behind."""
    world = World(tmp_path)
    reading = asyncio.Event()
    answer = world.crm.answer

    async def slow(request: httpx2.Request) -> httpx2.Response:
        reading.set()
        await asyncio.sleep(0.05)
        return await answer(request)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            world.crm.transport = httpx2.MockTransport(slow)
            given = {"proposal_id": proposal_id}
            commit = asyncio.create_task(run.call("commit_address_change", given))
            await reading.wait()
        assert commit.done()
        assert isinstance(await commit, Success)

    asyncio.run(story())
    assert len(world.crm.ledger) == 1


def test_a_run_of_a_closed_boundary_sends_nothing(tmp_path: Path) -> None:
    """D2: after closing every call is a BoundaryError, and nothing reaches the upstream."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            pass
        calls: list[tuple[str, Any]] = [
            ("get_customer", READ),
            ("search_customers", {"prefix": "N"}),
        ]
        for name, arguments in (*calls, ("nothing", {})):
            with pytest.raises(BoundaryError, match="closed"):
                await run.call(name, arguments)

    asyncio.run(story())
    assert world.crm.requests == []


def test_no_thread_waits_for_ever(tmp_path: Path) -> None:
    """O3: a thread whose call is under way when the edge closes gets its reply; a later call is refused."""
    world = World(tmp_path)
    reading, replies = threading.Event(), list[Any]()
    answer = world.crm.answer

    async def slow(request: httpx2.Request) -> httpx2.Response:
        reading.set()
        await asyncio.sleep(0.1)
        return await answer(request)

    world.crm.transport = httpx2.MockTransport(slow)
    with world.boundary().blocking() as edge:
        opened = edge.run(role="agent", caller=CALLER)
        run = opened.__enter__()
        thread = threading.Thread(target=lambda: replies.append(run.call("get_customer", READ)))
        thread.start()
        assert reading.wait(5)
    thread.join(5)
    assert not thread.is_alive()
    assert [type(reply) for reply in replies] == [Success]
    with pytest.raises(BoundaryError, match="closed"):
        run.call("get_customer", READ)
    with pytest.raises(BoundaryError, match="closed"):
        opened.__exit__(None, None, None)


def test_work_that_is_left_in_the_loop_ends(tmp_path: Path) -> None:
    """O3: what no call waits for is cancelled when the edge closes, so that whoever waits for it hears of it."""
    world = World(tmp_path)
    begun, heard = threading.Event(), list[str]()

    async def endless() -> None:
        begun.set()
        await asyncio.Event().wait()

    def wait() -> None:
        try:
            edge.wait(endless())
        except BaseException as error:
            heard.append(type(error).__name__)

    with world.boundary().blocking() as edge:
        thread = threading.Thread(target=wait)
        thread.start()
        assert begun.wait(5)
    thread.join(5)
    assert heard == ["CancelledError"]


def test_an_id_that_is_no_text_is_as_any_other(tmp_path: Path) -> None:
    """P11, R4: a run id with a lone surrogate names nothing; the error holds no value."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.boundary() as boundary:
            for run_id in ("run_\ud800", "", "\0", "run_é"):
                with pytest.raises(BoundaryError) as caught:
                    async with boundary.resume(run_id, CALLER):
                        pass
                assert str(caught.value) == "there is no such run of this caller"

    asyncio.run(story())


@pytest.mark.parametrize("method", ["claim", "release"])
def test_a_caller_that_is_cancelled_twice_leaves_no_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """O3, L2: cancelled while it claims or gives back, and again while that is undone: nothing stays locked."""
    world = World(tmp_path)
    real = getattr(Store, method)
    begun = asyncio.Event()

    async def slow(self: Store, *of: Any, **more: Any) -> Any:
        begun.set()
        await asyncio.sleep(0.03)
        return await real(self, *of, **more)

    def moved(parts: list[str], request: httpx2.Request) -> httpx2.Response:
        world.crm.customers["C-1001"]["version"] = 8
        return read(parts, request)

    read = world.crm._read

    async def story() -> None:
        async with world.run() as run:
            given = {"proposal_id": await world.approved(run)}
            world.crm._read = moved  # type: ignore[method-assign]
            monkeypatch.setattr(Store, method, slow)
            commit = asyncio.create_task(run.call("commit_address_change", given))
            await begun.wait()
            for _ in range(2):
                commit.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await commit

    asyncio.run(story())
    connection = sqlite3.connect(tmp_path / "boundary.db")
    assert connection.execute("SELECT owner FROM claims").fetchall() == []
    held = connection.execute("SELECT owner FROM slots WHERE owner IS NOT NULL")
    assert held.fetchall() == []
    connection.close()
    assert world.crm.ledger == []


def test_opening_says_that_nobody_can_approve(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A boundary without a desk's key or without approvers says so when it opens, not at the first commit."""
    from crm_tools import catalog

    from toolcharter_runtime import Boundary, Upstream

    async def open_and_close() -> None:
        upstream = Upstream("https://crm.example.test")
        store = f"sqlite:///{tmp_path / 'boundary.db'}"
        async with Boundary(
            catalog, upstream=upstream, store=store, approvers=tmp_path / "approvers.yaml"
        ):
            pass

    asyncio.run(open_and_close())
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "no desk key is configured: no person's approval can count",
        "no approvers are configured, or their file is not there: nobody can approve",
    ]
