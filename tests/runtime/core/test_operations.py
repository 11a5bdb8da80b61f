"""Long operations (docs/promises.md, cases 34 and 36, O1 to O4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from toolcharter_runtime.caller import Caller
from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.run import Run

from .world import CALLER, World, code_of


async def started(world: World, run: Run) -> str:
    proposal_id = await world.approved(run, "export", kind="all")
    reply = await run.call("commit_export", {"proposal_id": proposal_id})
    assert isinstance(reply, Success), reply
    assert reply.status == "accepted"
    assert reply.evidence is None
    assert reply.operation_id is not None
    return reply.operation_id


def told(tmp_path: Path, story: Callable[[World, Run, str], Awaitable[None]]) -> World:
    world = World(tmp_path)

    async def play() -> None:
        async with world.run() as run:
            await story(world, run, await started(world, run))

    asyncio.run(play())
    return world


def finish(world: World, state: str, **more: str) -> None:
    for operation in world.crm.operations.values():
        operation.update(status=state, **more)


def test_operation_runs_and_succeeds(tmp_path: Path) -> None:
    """O1, O4: polled by a read tool from running to succeeded, with evidence at the end; terminal stays."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        reply = await run.call("get_operation", {"operation_id": operation_id})
        assert isinstance(reply, Success)
        assert reply.result["state"] == "running"
        finish(world, "succeeded")
        await asyncio.sleep(0.03)
        for _ in range(2):
            reply = await run.call("get_operation", {"operation_id": operation_id})
            assert isinstance(reply, Success)
            assert reply.result["state"] == "succeeded"
            assert reply.evidence is not None
            assert reply.evidence.next_state == "succeeded"
            finish(world, "failed")

    told(tmp_path, story)


def test_handle_is_found_by_another_process(tmp_path: Path) -> None:
    """Case 36, O2: another boundary on the same file finds it at once, and may finish it."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        finish(world, "succeeded")
        async with world.boundary() as other, other.resume(run.id, CALLER) as again:
            reply = await again.call("get_operation", {"operation_id": operation_id})
            assert isinstance(reply, Success)
            assert reply.result["state"] == "succeeded"

    told(tmp_path, story)


def test_operation_of_others_is_not_found(tmp_path: Path) -> None:
    """O2: another run and another tenant get what a random id gets."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        random = await run.call("get_operation", {"operation_id": "op_ABCDEFGHIJKLMNOPQRSTUV"})
        async with world.boundary() as boundary:
            foreign = Caller(tenant="other", agent="assistant", person="u17")
            for caller in (CALLER, foreign):
                async with boundary.run(role="agent", caller=caller) as other:
                    for tool in ("get_operation", "cancel_operation"):
                        reply = await other.call(tool, {"operation_id": operation_id})
                        assert isinstance(reply, Failure)
                        assert isinstance(random, Failure)
                        assert reply.error == random.error
        assert code_of(random) == "OPERATION_NOT_FOUND"

    told(tmp_path, story)


def test_failed_operation(tmp_path: Path) -> None:
    """O1: a followed operation that failed is UPSTREAM_REJECTED when committed again; its reason is bounded text."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        finish(world, "failed", reason="no space")
        reply = await run.call("get_operation", {"operation_id": operation_id})
        assert isinstance(reply, Success)
        assert (reply.result["state"], reply.result["reason"]) == ("failed", "no space")

    told(tmp_path, story)


def test_cancel_that_works(tmp_path: Path) -> None:
    """O3: stopped, without an approval; asked again it has already finished."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        reply = await run.call("cancel_operation", {"operation_id": operation_id})
        assert isinstance(reply, Success)
        assert (reply.result["answer"], reply.result["state"]) == ("stopped", "cancelled")
        reply = await run.call("cancel_operation", {"operation_id": operation_id})
        assert isinstance(reply, Success)
        assert reply.result["answer"] == "already_finished"

    told(tmp_path, story)


def test_cancel_promises_nothing(tmp_path: Path) -> None:
    """Case 34, O3: acknowledged, and the work finishes all the same."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        world.crm.cancel_works = False
        reply = await run.call("cancel_operation", {"operation_id": operation_id})
        assert isinstance(reply, Success)
        assert reply.result["answer"] == "requested"
        finish(world, "succeeded")
        await asyncio.sleep(0.03)
        reply = await run.call("get_operation", {"operation_id": operation_id})
        assert isinstance(reply, Success)
        assert reply.result["state"] == "succeeded"

    told(tmp_path, story)


def test_deadline_ends_in_unknown(tmp_path: Path) -> None:
    """O4: past the deadline of the contract the outcome is unknown, and an operator has it."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        world.later(seconds=1801)
        reply = await run.call("get_operation", {"operation_id": operation_id})
        assert code_of(reply) == "UNKNOWN_OUTCOME"
        async with world.store() as store:
            assert len(await store.unknown_items("acme")) == 1

    told(tmp_path, story)


def test_gone_status_is_asked_after(tmp_path: Path) -> None:
    """O4, I6: the status resource is gone; the question by key decides."""

    async def story(world: World, run: Run, operation_id: str) -> None:
        finish(world, "succeeded")
        (name,) = world.crm.operations
        operation = world.crm.operations.pop(name)
        world.crm.operations["found-by-key"] = operation
        world.crm.by_key = dict.fromkeys(world.crm.by_key, "found-by-key")
        reply = await run.call("get_operation", {"operation_id": operation_id})
        assert isinstance(reply, Success)
        assert reply.result["state"] == "succeeded"
        assert reply.evidence is not None
        assert reply.evidence.proof == "effect"

    told(tmp_path, story)


def test_lost_answer_of_a_long_operation(tmp_path: Path) -> None:
    """I6: the match by key says running, so the operation is accepted and followed."""
    world = World(tmp_path)
    world.crm.faults = ["drop_after"]

    async def play() -> None:
        async with world.run() as run:
            operation_id = await started(world, run)
            finish(world, "succeeded")
            reply = await run.call("get_operation", {"operation_id": operation_id})
            assert isinstance(reply, Success)
            assert reply.result["state"] == "succeeded"

    asyncio.run(play())
