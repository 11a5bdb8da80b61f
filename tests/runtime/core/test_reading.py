"""Reads: views, pages, retries, limits (R3 to R5, X5, L1, T2)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from toolcharter_runtime.envelope import Failure, Success

from .contracts import GET_CUSTOMER, MemoryCatalog
from .world import CALLER, World, code_of

ONE = {"customer": "C-1001"}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the boundary waited, without waiting."""
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("toolcharter_runtime.boundary.pause", pause)
    return waited


def test_only_the_view_goes_out(tmp_path: Path) -> None:
    """X5, T2: undeclared members go no further, a masked field shows its length class."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call("get_customer", ONE)
            assert isinstance(reply, Success)
            assert reply.result == {
                "customer": "C-1001",
                "name": "Name 1",
                "city": "Ghent",
                "email": "••• (9-16)",
                "blocked": False,
                "version": 7,
            }
            assert (reply.status, reply.operation_id, reply.evidence) == ("completed", None, None)

    asyncio.run(story())


def test_pages_by_an_opaque_cursor(tmp_path: Path) -> None:
    """X5, C4: the cursor leads through all pages, and is of no use for other arguments, another run, or altered."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            found: list[str] = []
            arguments = {"prefix": "N"}
            while True:
                reply = await run.call("search_customers", arguments)
                assert isinstance(reply, Success)
                found += [one["customer"] for one in reply.result["customers"]]
                if reply.result["next_cursor"] is None:
                    break
                cursor = reply.result["next_cursor"]
                arguments = {"prefix": "N", "cursor": cursor}
            assert found == [f"C-100{n}" for n in range(5)]
            for wrong in (
                {"prefix": "M", "cursor": cursor},
                {"prefix": "N", "cursor": cursor + "x"},
            ):
                refused = await run.call("search_customers", wrong)
                assert isinstance(refused, Failure)
                assert (refused.error.code, refused.error.field) == ("INVALID_ARGUMENT", "/cursor")
        async with world.run() as other:
            assert code_of(await other.call("search_customers", arguments)) == "INVALID_ARGUMENT"

    asyncio.run(story())


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (404, "TARGET_NOT_FOUND", False),
        (410, "TARGET_NOT_FOUND", False),
        (400, "UPSTREAM_REJECTED", False),
        (206, "UPSTREAM_CONTRACT_VIOLATION", False),
        (503, "UPSTREAM_UNAVAILABLE", True),
        (429, "RATE_LIMITED", True),
    ],
)
def test_answers_become_codes(
    tmp_path: Path, pauses: list[float], status: int, code: str, retryable: bool
) -> None:
    """R2, R5: the defaults of a read's answers; transient ones are retryable."""
    world = World(tmp_path)
    world.crm.read_faults = [lambda: httpx2.Response(status, json={"secret": "x"})] * 9

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call("get_customer", ONE)
            assert isinstance(reply, Failure)
            assert (reply.error.code, reply.error.retryable) == (code, retryable)
            assert "secret" not in str(reply.to_json())
            assert len(world.crm.requests) == (4 if retryable else 1)
            assert len(pauses) == (3 if retryable else 0)

    asyncio.run(story())


def test_retry_until_it_works(tmp_path: Path, pauses: list[float]) -> None:
    """R3: a transient failure is tried again by the executor; the model sees the result only."""
    world = World(tmp_path)
    world.crm.read_faults = [lambda: httpx2.Response(503), lambda: httpx2.Response(502)]

    async def story() -> None:
        async with world.run() as run:
            assert isinstance(await run.call("get_customer", ONE), Success)
            assert len(pauses) == 2

    asyncio.run(story())


@pytest.mark.parametrize(
    ("header", "waits"), [("2", [2.0]), ("86400", []), ("Fri, 14 Aug 2026 16:00:03 GMT", [3.0])]
)
def test_retry_after_in_both_forms(
    tmp_path: Path, pauses: list[float], header: str, waits: list[float]
) -> None:
    """Case 43, R3: seconds or a date, waited up to the cap; beyond it RATE_LIMITED at once."""
    world = World(tmp_path)
    world.crm.read_faults = [lambda: httpx2.Response(429, headers={"Retry-After": header})]

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call("get_customer", ONE)
            assert pauses == waits
            if waits:
                assert isinstance(reply, Success)
            else:
                assert isinstance(reply, Failure)
                assert (reply.error.code, reply.error.retry_after) == ("RATE_LIMITED", 86400)

    asyncio.run(story())


def test_tool_without_retry_is_tried_once(tmp_path: Path, pauses: list[float]) -> None:
    """R3: the class is declared by the tool."""
    world = World(tmp_path)
    world.catalog = MemoryCatalog(GET_CUSTOMER.model_copy(update={"retry": False}))
    world.crm.read_faults = [lambda: httpx2.Response(503)]

    async def story() -> None:
        async with world.run() as run:
            assert code_of(await run.call("get_customer", ONE)) == "UPSTREAM_UNAVAILABLE"
            assert pauses == []

    asyncio.run(story())


def test_broken_answer_of_a_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """X5: a declared member of the wrong type, or a missing one, is a violation; only its place is told, to the log."""
    world = World(tmp_path)
    world.crm.customers["C-1001"]["version"] = "seven"

    async def story() -> None:
        async with world.run() as run:
            assert code_of(await run.call("get_customer", ONE)) == "UPSTREAM_CONTRACT_VIOLATION"
            world.crm.customers["C-1001"]["version"] = 7
            del world.crm.customers["C-1001"]["name"]
            assert code_of(await run.call("get_customer", ONE)) == "UPSTREAM_CONTRACT_VIOLATION"

    asyncio.run(story())
    told = [one.getMessage().partition(" ")[2] for one in caplog.records]
    assert told == [
        "the answer to get_customer.v1 breaks its contract at /version: must be an integer",
        "the answer to get_customer.v1 breaks its contract at /name: is missing",
    ]


def test_too_large_answer(tmp_path: Path) -> None:
    """X5: the bound is on the bytes that are read."""
    world = World(tmp_path)
    world.crm.customers["C-1001"]["secret"] = "x" * 200_000

    async def story() -> None:
        async with world.run() as run:
            assert code_of(await run.call("get_customer", ONE)) == "RESULT_TOO_LARGE"

    asyncio.run(story())


def test_calls_of_a_run_are_counted_over_processes(tmp_path: Path) -> None:
    """L1: forty calls of a read in one run, however many processes make them."""
    world = World(tmp_path)

    async def story() -> None:
        done = 0
        async with (
            world.boundary() as one,
            world.boundary() as two,
            one.run(role="agent", caller=CALLER) as first,
            two.resume(first.id, CALLER) as second,
        ):
            for run in (first, second) * 25:
                reply = await run.call("get_customer", ONE)
                done += isinstance(reply, Success)
            assert code_of(reply) == "RUN_BUDGET_EXHAUSTED"
        assert done == 40
        assert len(world.crm.requests) == 40

    asyncio.run(story())


def test_leased_calls_are_given_back(tmp_path: Path) -> None:
    """L1: what was leased and not used is there for the next process."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            for _ in range(3):
                await run.call("get_customer", ONE)
        async with world.boundary() as boundary, boundary.resume(run.id, CALLER) as again:
            for _ in range(37):
                assert isinstance(await again.call("get_customer", ONE), Success)
            assert code_of(await again.call("get_customer", ONE)) == "RUN_BUDGET_EXHAUSTED"

    asyncio.run(story())


def test_places_in_flight(tmp_path: Path) -> None:
    """L1, L3: never more than the limit at once; the rest wait, and all are answered."""
    world = World(tmp_path)
    world.catalog = MemoryCatalog(
        GET_CUSTOMER.model_copy(
            update={"limits": GET_CUSTOMER.limits.model_copy(update={"per_run_in_flight": 2})}
        )
    )
    now, most = 0, 0
    answer = world.crm.answer

    async def count(request: httpx2.Request) -> httpx2.Response:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        return await answer(request)

    world.crm.transport.handler = count  # type: ignore[assignment]

    async def story() -> None:
        async with world.run() as run:
            replies = await asyncio.gather(*(run.call("get_customer", ONE) for _ in range(8)))
            assert all(isinstance(one, Success) for one in replies)
            assert most == 2

    asyncio.run(story())
