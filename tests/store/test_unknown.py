"""An outcome that nobody knows: the pause, the operator's list, and how it is closed (I7)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.build import (
    Scene,
    approved,
    cause,
    current,
    decision,
    leased,
    run_row,
    settlement,
    unknown,
)
from toolcharter_runtime.records import Charge, ExecutionRow, Lease, Outcome, Refused
from toolcharter_runtime.store import Store


def test_unknown_pauses_the_run_and_no_other(scene: Scene) -> None:
    """I7: previews and commits of this run see the pause; another run goes on."""

    async def case(store: Store) -> None:
        await store.open_run(run_row(), cause())
        await store.open_run(run_row(run_id="run_2"), cause())
        waiting = await approved(store, resources=("customer/2",))
        lease = await leased(store, waiting)
        lost = await unknown(store, await approved(store))
        for name, is_paused in (("run_1", True), ("run_2", False)):
            run = await store.load_run("acme", name)
            assert run is not None
            assert run.paused is is_paused
        rows = await store.load_commit("acme", waiting.proposal.proposal_id)
        assert rows is not None
        assert rows.paused_by == lost.execution_id
        assert await store.consume_and_send(waiting, lease, 60, cause()) == Refused("paused")

    scene.play(case)


def test_the_operator_sees_what_was_asked(scene: Scene) -> None:
    """I7: key, target, attempts; one tenant's list is not another's."""

    async def case(store: Store) -> None:
        row = await approved(store)
        lost = await unknown(store, row)
        (item,) = await store.unknown_items("acme")
        assert (item.execution, item.row.proposal) == (lost, row.proposal)
        assert await store.unknown_items("globex") == ()
        assert await store.unknown_item("globex", lost.execution_id) is None
        assert len(await store.unknown_items(None)) == 1

    scene.play(case)


def test_the_resource_stays_claimed(scene: Scene) -> None:
    """I7: no clock frees it, and the refusal says why."""

    async def case(store: Store) -> None:
        row = await approved(store)
        await unknown(store, row)
        scene.clock.pass_(minutes=20)
        other = await approved(store, run_id="run_2")
        refused = await store.claim(other, (), 30, cause())
        assert refused == Refused("resource_unknown", name=row.proposal.proposal_id)

    scene.play(case)


@pytest.mark.parametrize(
    ("outcome", "state", "spent"),
    [
        ("confirmed_done", "succeeded", 1),
        ("confirmed_not_done", "failed", 0),
        ("abandoned", "abandoned", 1),
    ],
)
def test_an_operator_closes_it(scene: Scene, outcome: Any, state: str, spent: int) -> None:
    """I7: each word leads to its state, ends the pause and frees the resource; the proposal stays closed."""

    async def case(store: Store) -> None:
        await store.open_run(run_row(), cause())
        row = await approved(store)
        lost = await unknown(store, row, charges=(Charge(name="n", amount=1, limit=3),))
        word = settlement(lost, row, outcome)
        evidence = {"resolved_by": "operator:bob"}
        closed = await store.settle(word, cause(), evidence=evidence)
        assert isinstance(closed, ExecutionRow)
        assert (closed.state, closed.resolved_by) == (state, "operator:bob")
        assert closed.evidence == evidence
        run = await store.load_run("acme", "run_1")
        assert run is not None
        assert run.paused is False
        assert await store.unknown_items("acme") == ()
        rows = await store.load_commit("acme", row.proposal.proposal_id)
        assert rows is not None
        assert (rows.row.state, rows.spent) == ("consumed", {"n": spent})
        assert rows.execution == closed
        assert closed.settlement == word
        assert isinstance(await store.claim(await approved(store), (), 30, cause()), Lease)

    scene.play(case)


def test_it_is_closed_once(scene: Scene) -> None:
    """I7: the second word, and a late status query, change nothing."""

    async def case(store: Store) -> None:
        row = await approved(store)
        lost = await unknown(store, row)
        await store.settle(settlement(lost, row, "confirmed_not_done"), cause())
        again = await store.settle(settlement(lost, row, "confirmed_done"), cause())
        assert isinstance(again, Refused)
        assert again.reason == "decided"
        assert await store.record_outcome(lost, Outcome(state="succeeded"), cause()) is False
        assert await store.adopt(lost, 60, cause()) is None

    scene.play(case)


@pytest.mark.parametrize("tenant", ["acme", "globex"])
def test_only_an_unknown_execution_of_the_tenant_is_settled(scene: Scene, tenant: str) -> None:
    """I7, S8"""

    async def case(store: Store) -> None:
        row = await approved(store)
        lost = await unknown(store, row)
        word = settlement(lost, row, "abandoned", tenant=tenant)
        if tenant == "acme":
            word = settlement(lost, row, "abandoned", execution_id="op_forged")
        assert await store.settle(word, cause(tenant=tenant)) == Refused("not_found")
        assert len(await store.unknown_items("acme")) == 1

    scene.play(case)


def test_a_settlement_needs_a_reason(scene: Scene) -> None:
    """I7"""

    async def case(store: Store) -> None:
        row = await approved(store)
        lost = await unknown(store, row)
        with pytest.raises(ValueError, match="reason"):
            await store.settle(settlement(lost, row, "abandoned", reason=" "), cause())

    scene.play(case)


def test_a_conclusive_status_closes_it_too(scene: Scene) -> None:
    """I6, I7: any process may take an unknown execution over, ask, and record the answer."""

    async def case(store: Store) -> None:
        row = await approved(store)
        lost = await unknown(store, row)
        mine = await store.adopt(lost, 60, cause())
        assert mine is not None
        found = Outcome(state="succeeded", result={"version": 18}, resolved_by="status")
        assert await store.record_outcome(mine, found, cause())
        assert await store.unknown_items("acme") == ()
        closed = await store.load_execution("acme", lost.execution_id)
        assert closed is not None
        assert (closed.state, closed.resolved_by) == ("succeeded", "status")
        assert (await current(store, row)).state == "consumed"

    scene.play(case)


def test_unknown_never_goes_back_to_flight(scene: Scene) -> None:
    """I4: no update leads from unknown to accepted, and no decision reopens the proposal."""

    async def case(store: Store) -> None:
        row = await approved(store)
        lost = await unknown(store, row)
        assert await store.record_outcome(lost, Outcome(state="accepted"), cause()) is False
        assert await store.decide(decision(row), cause()) == Refused("decided")

    scene.play(case)
