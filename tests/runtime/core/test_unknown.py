"""Idempotency and unknown outcomes (docs/promises.md, cases 24 to 30, I4 to I11)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from toolcharter_runtime.envelope import Failure, Success

from .world import CALLER, CITY, World, code_of

COMMIT = "commit_address_change"
NOTE = {"customer": "C-1001", "text": "hello"}


def requests_to(world: World, ending: str) -> int:
    return sum(
        1 for method, path in world.crm.requests if method == "POST" and path.endswith(ending)
    )


@pytest.mark.parametrize("fault", ["drop_after", "500_after"])
def test_lost_answer_is_asked_after_by_key(tmp_path: Path, fault: str) -> None:
    """Case 24, I6: applied and cut off; the status by key says succeeded, one effect, one attempt."""
    world = World(tmp_path)
    world.crm.faults = [fault]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Success)
            assert reply.status == "completed"
            assert reply.result["state"] == "succeeded"
            assert reply.evidence is not None
            assert reply.evidence.proof == "effect"
            assert reply.evidence.resolved_by == "status"
            assert reply.evidence.attempts == 1
            assert (reply.evidence.previous_version, reply.evidence.new_version) == (7, 8)
            assert len(world.crm.ledger) == 1
            assert requests_to(world, "address-changes") == 1

    asyncio.run(story())


def test_no_question_means_unknown(tmp_path: Path) -> None:
    """Case 25, I6, I7: no key and no question; one request, UNKNOWN_OUTCOME, an operator's item, a paused run."""
    world = World(tmp_path)
    world.crm.faults = ["drop_after"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "note", **NOTE)
            reply = await run.call("commit_note", {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert (reply.status, reply.error.code) == ("unknown", "UNKNOWN_OUTCOME")
            assert reply.error.next_action == "wait_for_operator"
            assert reply.operation_id is not None
            assert requests_to(world, "notes") == 1
            assert isinstance(await run.call("get_customer", {"customer": "C-1001"}), Success)
            paused = await run.call("preview_address_change", CITY)
            assert isinstance(paused, Failure)
            assert (paused.status, paused.error.code) == ("unknown", "UNKNOWN_OUTCOME")
            again = await run.call("commit_note", {"proposal_id": proposal_id})
            assert code_of(again) == "UNKNOWN_OUTCOME"
            assert requests_to(world, "notes") == 1
        async with world.store() as store:
            (item,) = await store.unknown_items("acme")
            assert item.execution.execution_id == reply.operation_id

    asyncio.run(story())


def test_operator_confirms_that_it_was_not_done(tmp_path: Path) -> None:
    """Case 29, I7: the old proposal stays closed, and the run goes on."""
    world = World(tmp_path)
    world.crm.faults = ["drop_before"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "note", **NOTE)
            reply = await run.call("commit_note", {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            await world.settle(str(reply.operation_id), "confirmed_not_done")
            closed = await run.call("commit_note", {"proposal_id": proposal_id})
            assert isinstance(closed, Failure)
            assert closed.status == "rejected"
            assert world.crm.ledger == []
            fresh = await world.approved(run, "note", **NOTE)
            assert isinstance(await run.call("commit_note", {"proposal_id": fresh}), Success)

    asyncio.run(story())


def test_operator_confirms_that_it_was_done(tmp_path: Path) -> None:
    """I7, E1: the evidence says who resolved it, and invents nothing."""
    world = World(tmp_path)
    world.crm.faults = ["drop_after"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "note", **NOTE)
            reply = await run.call("commit_note", {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            await world.settle(str(reply.operation_id), "confirmed_done")
            done = await run.call("commit_note", {"proposal_id": proposal_id})
            assert isinstance(done, Success)
            assert done.evidence is not None
            assert done.evidence.resolved_by == "operator:olga"
            assert done.evidence.changed_fields is None
            assert "changed_fields" in done.evidence.absent
            assert done.evidence.approved_by == ("ann",)
            assert done.evidence.facts == {}

    asyncio.run(story())


def test_mixed_bulk_result_is_unknown(tmp_path: Path) -> None:
    """I6, E1: what was blocked and what was not is in the evidence, for the caller and for the operator."""
    world = World(tmp_path)
    world.crm.unblockable = {"C-1002"}
    items = {
        "results": [
            {"customer": "C-1001", "status": "BLOCKED"},
            {"customer": "C-1002", "status": "REFUSED"},
        ]
    }

    async def story() -> None:
        async with world.run() as run:
            both = ["C-1001", "C-1002"]
            proposal_id = await world.approved(run, "block_customers", customers=both)
            given = {"proposal_id": proposal_id}
            for _ in range(2):
                reply = await run.call("commit_block_customers", given)
                assert code_of(reply) == "UNKNOWN_OUTCOME"
                assert reply.evidence is not None
                assert reply.evidence.facts == {"items": items}
            async with world.store() as store:
                (item,) = await store.unknown_items("acme")
                assert item.execution.evidence["facts"] == {"items": items}
            await world.settle(str(reply.operation_id), "confirmed_done")
            done = await run.call("commit_block_customers", given)
            assert isinstance(done, Success)
            assert done.evidence is not None
            assert done.evidence.facts == {"items": items}
        assert world.crm.ledger == ["blocks"]

    asyncio.run(story())


def test_bulk_result_that_is_whole(tmp_path: Path) -> None:
    """R5: all blocked is completed, all refused is rejected."""
    world = World(tmp_path)
    world.crm.unblockable = {"C-1002"}

    async def story() -> None:
        async with world.run() as run:
            one = await world.approved(run, "block_customers", customers=["C-1001"])
            assert isinstance(
                await run.call("commit_block_customers", {"proposal_id": one}), Success
            )
            two = await world.approved(run, "block_customers", customers=["C-1002"])
            reply = await run.call("commit_block_customers", {"proposal_id": two})
            assert code_of(reply) == "UPSTREAM_REJECTED"

    asyncio.run(story())


def test_status_down_then_up(tmp_path: Path) -> None:
    """Case 26 and 28, I6: unknown while the status is away; asked again later it is found; never sent again."""
    world = World(tmp_path)
    world.crm.faults = ["drop_after"]
    world.crm.is_status_down = True

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            assert (
                code_of(await run.call(COMMIT, {"proposal_id": proposal_id})) == "UNKNOWN_OUTCOME"
            )
            async with world.store() as store:
                (item,) = await store.unknown_items("acme")
                assert (
                    item.execution.evidence["asked"]
                    == ["find_operation.v1: UPSTREAM_UNAVAILABLE"] * 3
                )
            world.crm.is_status_down = False
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Success)
            assert requests_to(world, "address-changes") == 1
            assert isinstance(await run.call("preview_address_change", CITY), Success)

    asyncio.run(story())


def test_nothing_found_is_unknown(tmp_path: Path) -> None:
    """I6: no match means unknown, since the request may still land; nothing is sent again."""
    world = World(tmp_path)
    world.crm.faults = ["drop_before"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            assert (
                code_of(await run.call(COMMIT, {"proposal_id": proposal_id})) == "UNKNOWN_OUTCOME"
            )
            assert requests_to(world, "address-changes") == 1

    asyncio.run(story())


def test_resend_on_a_key_after_nothing_was_found(tmp_path: Path) -> None:
    """I5: `retry: resend` on an honoured key sends the same bytes once more, in the same execution."""
    world = World(tmp_path)
    world.crm.faults = ["drop_before"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "refund", customer="C-1001", amount=100)
            reply = await run.call("commit_refund", {"proposal_id": proposal_id})
            assert isinstance(reply, Success)
            assert reply.evidence is not None
            assert reply.evidence.attempts == 2
            assert len(world.crm.ledger) == 1
            keys = {one["idempotency-key"] for one in world.crm.headers if "idempotency-key" in one}
            assert len(keys) == 1

    asyncio.run(story())


def test_refusal_of_a_resend_proves_nothing(tmp_path: Path) -> None:
    """V4: the second send is refused; that says nothing of the first, so the outcome is unknown."""
    world = World(tmp_path)
    world.crm.faults = ["drop_before", "400"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "refund", customer="C-1001", amount=100)
            reply = await run.call("commit_refund", {"proposal_id": proposal_id})
            assert code_of(reply) == "UNKNOWN_OUTCOME"
            assert requests_to(world, "refunds") == 2

    asyncio.run(story())


def test_natural_repeat_is_sent_again_at_once(tmp_path: Path) -> None:
    """I5: a repeat that changes nothing needs no question first."""
    world = World(tmp_path)
    world.crm.faults = ["drop_after"]

    async def story() -> None:
        async with world.run() as run:
            proposal = await run.call("preview_touch", {"customer": "C-1001"})
            assert isinstance(proposal, Success)
            assert proposal.result["state"] == "approved"
            reply = await run.call("commit_touch", {"proposal_id": proposal.result["proposal_id"]})
            assert isinstance(reply, Success)
            assert reply.evidence is not None
            assert reply.evidence.attempts == 2
            assert reply.evidence.approved_by == ("policy:nobody",)

    asyncio.run(story())


@pytest.mark.parametrize(
    ("fault", "code"), [("refuse_connection", "UPSTREAM_UNAVAILABLE"), ("429", "RATE_LIMITED")]
)
def test_transient_failure_spends_the_approval(tmp_path: Path, fault: str, code: str) -> None:
    """I11 `spend`, R2: surely not applied, closed, propose again; never retryable."""
    world = World(tmp_path)
    world.crm.faults = [fault]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "note", **NOTE)
            reply = await run.call("commit_note", {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert (reply.error.code, reply.error.retryable) == (code, False)
            assert reply.error.next_action == "propose_again"
            assert code_of(await run.call("commit_note", {"proposal_id": proposal_id})) == code
            assert world.crm.ledger == []

    asyncio.run(story())


@pytest.mark.parametrize(("fault", "after"), [("refuse_connection", 1.0), ("429", 3.0)])
def test_transient_failure_keeps_the_approval(tmp_path: Path, fault: str, after: float) -> None:
    """I11 `keep`, R2: the same call may be made again after `retry_after`; a 429 is not stored for replay (I2)."""
    world = World(tmp_path)
    world.crm.faults = [fault]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "kept_note", **NOTE)
            reply = await run.call("commit_kept_note", {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert (reply.error.retryable, reply.error.retry_after) == (True, after)
            assert reply.error.next_action == "wait"
            again = await run.call("commit_kept_note", {"proposal_id": proposal_id})
            assert isinstance(again, Success)
            assert len(world.crm.ledger) == 1

    asyncio.run(story())


@pytest.mark.parametrize("fault", ["302", "503"])
def test_redirect_or_failure_of_a_write_is_not_followed(tmp_path: Path, fault: str) -> None:
    """I6, X2: a redirect or 5xx of a write is asked after, and never followed."""
    world = World(tmp_path)
    world.crm.faults = [fault]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            assert (
                code_of(await run.call(COMMIT, {"proposal_id": proposal_id})) == "UNKNOWN_OUTCOME"
            )
            assert requests_to(world, "address-changes") == 1

    asyncio.run(story())


def test_broken_answer_leaves_the_effect(tmp_path: Path) -> None:
    """E2, R1: the effect stands, the evidence says so, the output is withheld."""
    world = World(tmp_path)
    world.crm.faults = ["malformed"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert reply.status == "completed"
            assert reply.error.code == "UPSTREAM_CONTRACT_VIOLATION"
            assert reply.evidence is not None
            assert reply.evidence.new_version == 8
            assert reply.evidence.upstream_operation_id is None
            assert "surprise" not in str(reply.to_json())
            again = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(again, Failure)
            assert again.error == reply.error

    asyncio.run(story())


def test_crash_in_sent_is_asked_after(tmp_path: Path) -> None:
    """Case 26, I4, S5: an execution whose owner is gone is taken over after its lease, asked, and never sent."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            stuck = asyncio.Event()
            apply = world.crm.answer

            async def apply_and_hang(request: object) -> object:
                response = await apply(request)  # type: ignore[arg-type]
                if str(getattr(request, "url", "")).endswith("address-changes"):
                    stuck.set()
                    await asyncio.sleep(3600)
                return response

            world.crm.transport.handler = apply_and_hang
            committing = asyncio.create_task(run.call(COMMIT, {"proposal_id": proposal_id}))
            await stuck.wait()
            for task in asyncio.all_tasks():
                if "_consume_and_carry_out" in repr(task):
                    task.cancel()
            await asyncio.gather(committing, return_exceptions=True)
        world.crm.transport.handler = apply
        async with world.boundary() as boundary, boundary.resume(run.id, CALLER) as again:
            busy = await again.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(busy, Failure)
            assert (busy.status, busy.error.code) == ("accepted", "OPERATION_IN_PROGRESS")
            assert busy.error.retryable
            world.later(seconds=200)
            await boundary.sweep()
            reply = await again.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Success)
            assert len(world.crm.ledger) == 1
            assert requests_to(world, "address-changes") == 1

    asyncio.run(story())


def test_cancelled_caller_does_not_cancel_the_write(tmp_path: Path) -> None:
    """Case 35, O3: the caller goes away after the bytes went out; the outcome is recorded all the same."""
    world = World(tmp_path)
    world.crm.write_takes = 0.2

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            committing = asyncio.create_task(run.call(COMMIT, {"proposal_id": proposal_id}))
            while not world.crm.in_write:
                await asyncio.sleep(0.005)
            committing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await committing
        async with world.boundary() as boundary, boundary.resume(run.id, CALLER) as again:
            reply = await again.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Success)
            assert reply.evidence is not None
            assert reply.evidence.replayed
            assert len(world.crm.ledger) == 1

    asyncio.run(story())
