"""Budgets and slots: never above the limit, across processes, and given back (L1, L2)."""

from __future__ import annotations

from tests.store.build import Scene, approved, cause, current, leased, sent, unknown
from toolcharter_runtime.records import Charge, Lease, Outcome, Refused, Slot
from toolcharter_runtime.store import Store

ONE = Slot(scope="refund", limit=1)


def test_calls_are_leased_in_blocks_up_to_the_limit(scene: Scene) -> None:
    """L1: all leases together never pass the limit; unused calls come back."""

    async def case(store: Store) -> None:
        async def lease() -> int:
            return await store.lease_calls("acme", "run_1", "get", limit=10, block=4)

        assert [await lease() for _ in range(4)] == [4, 4, 2, 0]
        await store.return_calls("acme", "run_1", "get", 3)
        assert [await lease(), await lease()] == [3, 0]
        assert await store.lease_calls("globex", "run_1", "get", limit=10, block=4) == 4
        assert await store.lease_calls("acme", "run_2", "get", limit=10, block=4) == 4

    scene.play(case)


def test_two_stores_share_a_budget(scene: Scene) -> None:
    """L1: two processes' leases together keep the limit."""

    async def case(store: Store) -> None:
        other = await Store.open(scene.url, clock=scene.clock)
        taken = [
            await which.lease_calls("acme", "run_1", "get", limit=7, block=2)
            for which in (store, other, store, other, store)
        ]
        await other.close()
        assert taken == [2, 2, 2, 1, 0]

    scene.play(case)


def test_slots_are_claimed_and_freed(scene: Scene) -> None:
    """L1: as many at once as there are slots."""
    three = Slot(scope="refund", limit=3)

    async def case(store: Store) -> None:
        for owner in ("a", "b", "c"):
            assert await store.claim_slots("acme", owner, (three,), 30) is None
        assert await store.claim_slots("acme", "d", (three,), 30) == "refund"
        assert await store.claim_slots("globex", "d", (three,), 30) is None
        await store.release_slots("acme", "b", ("refund",))
        assert await store.claim_slots("acme", "d", (three,), 30) is None

    scene.play(case)


def test_a_crashed_owners_slot_returns(scene: Scene) -> None:
    """L2: a slot is a lease; its late release frees nobody else's."""

    async def case(store: Store) -> None:
        assert await store.claim_slots("acme", "dead", (ONE,), 30) is None
        assert await store.claim_slots("acme", "next", (ONE,), 30) == "refund"
        scene.clock.pass_(seconds=30)
        assert await store.claim_slots("acme", "next", (ONE,), 30) is None
        await store.release_slots("acme", "dead", ("refund",))
        assert await store.claim_slots("acme", "third", (ONE,), 30) == "refund"

    scene.play(case)


def test_several_scopes_are_all_or_none(scene: Scene) -> None:
    """L1: where one scope is full, no slot of the other is kept."""
    other = Slot(scope="run_1/refund", limit=1)

    async def case(store: Store) -> None:
        assert await store.claim_slots("acme", "a", (ONE,), 30) is None
        assert await store.claim_slots("acme", "b", (other, ONE), 30) == "refund"
        assert await store.claim_slots("acme", "c", (other,), 30) is None

    scene.play(case)


def test_a_limit_may_be_raised_and_lowered(scene: Scene) -> None:
    """L1: slots of a raised limit are made; those beyond a lowered one are not handed out."""

    async def case(store: Store) -> None:
        assert await store.claim_slots("acme", "a", (ONE,), 30) is None
        two = Slot(scope="refund", limit=2)
        assert await store.claim_slots("acme", "b", (two,), 30) is None
        await store.release_slots("acme", "b", ("refund",))
        assert await store.claim_slots("acme", "b", (ONE,), 30) == "refund"

    scene.play(case)


def test_a_commit_holds_its_slots_until_it_ends(scene: Scene) -> None:
    """L1, I7: a slot refuses the next commit, and returns at the outcome, at unknown too."""

    async def case(store: Store) -> None:
        one = await approved(store)
        two = await approved(store, resources=("customer/2",), run_id="run_2")
        execution = await sent(store, one, slots=(ONE,))
        assert await store.claim(two, (ONE,), 30, cause()) == Refused("no_slot", name="refund")
        assert isinstance(await store.claim(two, (), 30, cause()), Lease)
        await store.record_outcome(execution, Outcome(state="unknown"), cause())
        scene.clock.pass_(seconds=31)
        assert isinstance(await store.claim(two, (ONE,), 30, cause()), Lease)

    scene.play(case)


def test_a_refused_slot_leaves_the_resource_free(scene: Scene) -> None:
    """L4: a refusal takes nothing."""

    async def case(store: Store) -> None:
        row = await approved(store)
        await store.claim_slots("acme", "a", (ONE,), 30)
        assert isinstance(await store.claim(row, (ONE,), 30, cause()), Refused)
        assert isinstance(await store.claim(row, (), 30, cause()), Lease)

    scene.play(case)


def test_a_sum_over_the_run_is_kept(scene: Scene) -> None:
    """L1 `limits.total`: the amount that would pass the sum is refused, and nothing is consumed."""

    async def case(store: Store) -> None:
        async def refund(amount: int) -> Refused | None:
            row = await approved(store)
            charges = (
                Charge(name="refund.calls", amount=1, limit=5),
                Charge(name="refund.amount", amount=amount, limit=1000),
            )
            lease = await leased(store, row)
            done = await store.consume_and_send(row, lease, 60, cause(), charges=charges)
            if isinstance(done, Refused):
                assert (await current(store, row)).state == "approved"
                return done
            await store.record_outcome(done, Outcome(state="succeeded"), cause())
            return None

        over = Refused("budget", name="refund.amount")
        assert [await refund(n) for n in (600, 401, 400, 1)] == [None, over, None, over]
        assert await refund(5000) == over
        assert await refund(-5) == over
        rows = await store.load_commit("acme", (await approved(store)).proposal.proposal_id)
        assert rows is not None
        assert rows.spent == {"refund.calls": 2, "refund.amount": 1000}

    scene.play(case)


def test_a_failure_costs_no_budget(scene: Scene) -> None:
    """L4: what was not applied is given back; what may have been is not."""
    charges = (Charge(name="amount", amount=70, limit=100),)

    async def case(store: Store) -> None:
        failed = Outcome(state="failed", problem={"code": "UPSTREAM_REJECTED"})
        execution = await sent(store, await approved(store), charges=charges)
        await store.record_outcome(execution, failed, cause())
        row = await approved(store)
        await unknown(store, row, charges=charges)
        rows = await store.load_commit("acme", row.proposal.proposal_id)
        assert rows is not None
        assert rows.spent == {"amount": 70}

    scene.play(case)
