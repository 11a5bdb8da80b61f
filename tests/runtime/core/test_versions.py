"""Versions (docs/promises.md, cases 31 to 33, V1 to V6)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from toolcharter_runtime.envelope import Failure, Success

from .world import CITY, World, code_of

COMMIT = "commit_address_change"


def test_moved_target_conflicts(tmp_path: Path) -> None:
    """Case 31, V2, P13: VERSION_CONFLICT {7, 8}; unconsumed, stale for good, of no use for the next proposal."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            world.crm.customers["C-1001"]["version"] = 8
            for _ in range(2):
                reply = await run.call(COMMIT, {"proposal_id": proposal_id})
                assert isinstance(reply, Failure)
                assert reply.error.code == "VERSION_CONFLICT"
                assert reply.error.details is not None
                assert reply.error.details.previous_version == 7
                assert reply.error.details.current_version == 8
                assert reply.error.next_action == "propose_again"
                world.crm.customers["C-1001"]["version"] = 7
            assert world.crm.ledger == []
            fresh = await run.call("preview_address_change", CITY)
            assert isinstance(fresh, Success)
            assert code_of(
                await run.call(COMMIT, {"proposal_id": fresh.result["proposal_id"]})
            ) == ("APPROVAL_PENDING")
        async with world.store() as store:
            row = await store.load_proposal("acme", proposal_id)
            assert row is not None
            assert row.state == "approved"

    asyncio.run(story())


def test_refused_precondition_on_the_first_send(tmp_path: Path) -> None:
    """V4, P12 (e): a 412 on the first send gives the proposal back, stale; the conflict is answered again."""
    world = World(tmp_path)
    world.crm.faults = ["412"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            for _ in range(2):
                reply = await run.call(COMMIT, {"proposal_id": proposal_id})
                assert isinstance(reply, Failure)
                assert (reply.status, reply.error.code) == ("rejected", "VERSION_CONFLICT")
                assert reply.error.details is not None
                assert reply.error.details.previous_version == 7
            assert world.crm.ledger == []
            assert sum(1 for method, _ in world.crm.requests if method == "POST") == 1
        async with world.store() as store:
            row = await store.load_proposal("acme", proposal_id)
            assert row is not None
            assert row.state == "approved"
            assert row.conflict is not None

    asyncio.run(story())


def test_target_that_is_gone_at_commit(tmp_path: Path) -> None:
    """P12 (c): TARGET_NOT_FOUND, released, unconsumed."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            customer = world.crm.customers.pop("C-1001")
            assert (
                code_of(await run.call(COMMIT, {"proposal_id": proposal_id})) == "TARGET_NOT_FOUND"
            )
            world.crm.customers["C-1001"] = customer
            assert isinstance(await run.call(COMMIT, {"proposal_id": proposal_id}), Success)

    asyncio.run(story())


def test_weak_validator_is_never_sent(tmp_path: Path) -> None:
    """Case 32, V3: no If-Match goes out, and the evidence says advisory."""
    world = World(tmp_path)
    world.crm.has_weak_etag = True

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "weak_change", **CITY)
            reply = await run.call("commit_weak_change", {"proposal_id": proposal_id})
            assert isinstance(reply, Success)
            assert reply.evidence is not None
            assert reply.evidence.version_check == "advisory"
            assert all("if-match" not in one for one in world.crm.headers)

    asyncio.run(story())


def test_strong_validator_is_sent(tmp_path: Path) -> None:
    """V1, V3: a strong validator is sent byte for byte, and the check is atomic."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run, "weak_change", **CITY)
            reply = await run.call("commit_weak_change", {"proposal_id": proposal_id})
            assert isinstance(reply, Success)
            assert reply.evidence is not None
            assert reply.evidence.version_check == "atomic"
            assert [one["if-match"] for one in world.crm.headers if "if-match" in one] == ['"7"']

    asyncio.run(story())


def test_two_commits_on_one_resource_do_not_overlap(tmp_path: Path) -> None:
    """Case 33 over two boundaries on one file, V6: one after the other; the second conflicts and stays unconsumed."""
    world = World(tmp_path)
    world.crm.write_takes = 0.1

    async def story() -> None:
        async with world.boundary() as one, world.boundary() as two:
            from .world import CALLER

            async with (
                one.run(role="agent", caller=CALLER) as first,
                two.run(role="agent", caller=CALLER) as second,
            ):
                ids = [await world.approved(run) for run in (first, second)]
                replies = await asyncio.gather(
                    first.call(COMMIT, {"proposal_id": ids[0]}),
                    second.call(COMMIT, {"proposal_id": ids[1]}),
                )
        assert world.crm.most_in_write == 1
        assert len(world.crm.ledger) == 1
        good = [one for one in replies if isinstance(one, Success)]
        bad = [one for one in replies if isinstance(one, Failure)]
        assert (len(good), [code_of(one) for one in bad]) == (1, ["VERSION_CONFLICT"])
        async with world.store() as store:
            states = {(await store.load_proposal("acme", name)).state for name in ids}  # type: ignore[union-attr]
            assert states == {"consumed", "approved"}

    asyncio.run(story())
