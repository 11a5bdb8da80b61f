"""The transactions of a commit: claim, consume and send, record, return (P9, P12, I2, I4, I11, S5, V6)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.build import (
    Scene,
    approved,
    cause,
    current,
    decision,
    leased,
    proposal,
    sent,
    unknown,
)
from toolcharter_runtime.records import Charge, ExecutionRow, Lease, Outcome, Refused, Slot
from toolcharter_runtime.store import Store

DONE = Outcome(state="succeeded", result={"version": 18}, evidence={"new_version": 18})
CONFLICT = {"previous_version": 17, "current_version": 18}
PROBLEM = {"code": "RATE_LIMITED", "retryable": False}


def test_an_approval_is_used_once(scene: Scene) -> None:
    """P9: consumed in the transaction that makes the execution; a second commit gets nothing."""

    async def case(store: Store) -> None:
        row = await approved(store)
        execution = await sent(store, row)
        assert (await current(store, row)).state == "consumed"
        assert await store.load_execution("acme", execution.execution_id) == execution
        assert execution.state == "sent"
        await store.record_outcome(execution, DONE, cause())
        lease = await leased(store, row)
        assert await store.consume_and_send(row, lease, 60, cause()) == Refused("consumed")

    scene.play(case)


@pytest.mark.parametrize("state", ["pending", "denied", "withdrawn", "expired"])
def test_what_is_not_approved_is_never_sent(scene: Scene, state: str) -> None:
    """P13: in any process, after any restart; and the lease is given back."""

    async def prepare(store: Store) -> Refused | ExecutionRow:
        row = await store.add_proposal(proposal(), cause())
        if state == "denied":
            await store.decide(decision(row, "denied"), cause())
        elif state != "pending":
            await store.decide(decision(row), cause())
        if state == "withdrawn":
            await store.withdraw(decision(row, "withdrawn"), cause())
        lease = await leased(store, row)
        if state == "expired":
            scene.clock.at = row.proposal.expires_at
            lease = await leased(store, row)
        return await store.consume_and_send(row, lease, 60, cause())

    assert scene.play(prepare) == Refused(state)  # type: ignore[arg-type]

    async def nothing_is_held(store: Store) -> None:
        assert isinstance(await store.claim(await approved(store), (), 30, cause()), Lease)

    scene.play(nothing_is_held)


def test_a_moved_target_makes_it_stale_for_good(scene: Scene) -> None:
    """P12 c, P13: the proposal stays unconsumed, and is never sent, whatever the version does later."""

    async def case(store: Store) -> None:
        row = await approved(store)
        lease = await leased(store, row)
        await store.release(lease, "VERSION_CONFLICT", cause(), conflict=CONFLICT)
        found = await current(store, row)
        assert (found.state, found.conflict) == ("approved", CONFLICT)
        again = await leased(store, row)
        assert await store.consume_and_send(row, again, 60, cause()) == Refused("stale")

    scene.play(case)


def test_a_failed_precondition_gives_the_lease_back(scene: Scene) -> None:
    """P12 c: released, unconsumed, and free for a later commit."""

    async def case(store: Store) -> None:
        row = await approved(store)
        await store.release(await leased(store, row), "PRECONDITION_FAILED", cause())
        execution = await sent(store, row)
        assert execution.state == "sent"

    scene.play(case)


def test_two_commits_on_one_resource_do_not_overlap(scene: Scene) -> None:
    """V6: the second is refused while the first holds the claim, and gets it afterwards."""

    async def case(store: Store) -> None:
        one, two = await approved(store), await approved(store)
        lease = await leased(store, one)
        held = Refused("resource_busy", name=one.proposal.proposal_id)
        assert await store.claim(two, (), 30, cause()) == held
        execution = await store.consume_and_send(one, lease, 60, cause())
        assert isinstance(execution, ExecutionRow)
        scene.clock.pass_(hours=5)
        assert await store.claim(two, (), 30, cause()) == held
        await store.record_outcome(execution, DONE, cause())
        assert isinstance(await store.claim(two, (), 30, cause()), Lease)

    scene.play(case)


def test_one_tenants_claim_is_not_anothers(scene: Scene) -> None:
    """S8: the same resource name of two tenants is two resources."""

    async def case(store: Store) -> None:
        await leased(store, await approved(store))
        other = await store.add_proposal(proposal(tenant="globex"), cause(tenant="globex"))
        assert isinstance(await store.claim(other, (), 30, cause(tenant="globex")), Lease)

    scene.play(case)


def test_a_list_of_targets_locks_each(scene: Scene) -> None:
    """V6: a claim of several resources takes all or none."""

    async def case(store: Store) -> None:
        both = await approved(store, resources=("customer/1", "customer/2"))
        two = await approved(store, resources=("customer/2",))
        three = await approved(store, resources=("customer/3", "customer/2"))
        await leased(store, both)
        assert isinstance(await store.claim(two, (), 30, cause()), Refused)
        assert isinstance(await store.claim(three, (), 30, cause()), Refused)
        free = await approved(store, resources=("customer/3",))
        assert isinstance(await store.claim(free, (), 30, cause()), Lease)

    scene.play(case)


def test_a_lease_runs_out(scene: Scene) -> None:
    """S5, L2: a lease without an execution ends with its time; the old owner then sends nothing."""

    async def case(store: Store) -> None:
        one, two = await approved(store), await approved(store)
        old = await leased(store, one)
        scene.clock.pass_(seconds=31)
        new = await leased(store, two)
        assert new.fence > old.fence
        assert await store.consume_and_send(one, old, 60, cause()) == Refused("fence_lost")
        assert (await current(store, one)).state == "approved"
        assert isinstance(await store.consume_and_send(two, new, 60, cause()), ExecutionRow)

    scene.play(case)


def test_a_stale_fence_records_nothing(scene: Scene) -> None:
    """S5: after another process took over, the first one's result is refused."""

    async def case(store: Store) -> None:
        execution = await sent(store, await approved(store))
        assert await store.adopt(execution, 60, cause()) is None
        assert await store.unfinished() == ()
        scene.clock.pass_(seconds=61)
        assert await store.unfinished() == (execution,)
        adopted = await store.adopt(execution, 60, cause())
        assert adopted is not None
        assert adopted.fence > execution.fence
        assert await store.adopt(execution, 60, cause()) is None
        assert await store.record_outcome(execution, DONE, cause()) is False
        assert await store.extend(execution, 60) is False
        assert await store.resend(execution, 60, cause()) is False
        assert await store.record_outcome(adopted, DONE, cause()) is True

    scene.play(case)


def test_an_outcome_is_recorded_once(scene: Scene) -> None:
    """I4, I9: a terminal state never changes; the stored result is what is replayed."""

    async def case(store: Store) -> None:
        row = await approved(store)
        execution = await sent(store, row)
        assert await store.record_outcome(execution, DONE, cause())
        failed = Outcome(state="failed", problem=PROBLEM)
        assert await store.record_outcome(execution, failed, cause()) is False
        rows = await store.load_commit("acme", row.proposal.proposal_id)
        assert rows is not None
        assert rows.execution is not None
        assert (rows.execution.state, rows.execution.result) == ("succeeded", {"version": 18})
        assert rows.execution.evidence == {"new_version": 18}

    scene.play(case)


def test_the_answer_outlives_the_proposals_time(scene: Scene) -> None:
    """P12 a: an execution exists, so it answers, whatever has expired since, after a restart too."""

    async def commit(store: Store) -> str:
        row = await approved(store)
        await store.record_outcome(await sent(store, row), DONE, cause())
        return row.proposal.proposal_id

    name = scene.play(commit)
    scene.clock.pass_(days=30)
    rows = scene.play(lambda store: store.load_commit("acme", name))
    assert rows is not None
    assert rows.row.state == "consumed"
    assert rows.execution is not None
    assert rows.execution.state == "succeeded"


def test_a_refused_first_send_returns_the_proposal_stale(scene: Scene) -> None:
    """P12 e, V4: a 412 on the first send closes the execution and unconsumes the proposal in one update."""

    async def case(store: Store) -> None:
        row = await approved(store)
        execution = await sent(store, row, charges=(Charge(name="n", amount=1, limit=1),))
        failed = Outcome(state="failed", problem={"code": "VERSION_CONFLICT"})
        assert await store.return_proposal(execution, failed, cause(), conflict=CONFLICT)
        rows = await store.load_commit("acme", row.proposal.proposal_id)
        assert rows is not None
        assert (rows.row.state, rows.row.conflict) == ("approved", CONFLICT)
        assert rows.execution is None
        assert rows.spent == {"n": 0}
        closed = await store.load_execution("acme", execution.execution_id)
        assert closed is not None
        assert (closed.state, closed.returned) == ("failed", True)
        lease = await leased(store, row)
        assert await store.consume_and_send(row, lease, 60, cause()) == Refused("stale")

    scene.play(case)


def test_a_kept_approval_is_sent_again_with_its_key(scene: Scene) -> None:
    """I11 keep, I2: what surely applied nothing is no answer to replay; the key serves the next attempt."""

    async def case(store: Store) -> None:
        row = await approved(store)
        first = await sent(store, row)
        failed = Outcome(state="failed", problem=PROBLEM)
        assert await store.return_proposal(first, failed, cause())
        assert await store.return_proposal(first, failed, cause()) is False
        second = await sent(store, row)
        assert second.key == first.key
        assert second.execution_id != first.execution_id
        assert await store.record_outcome(first, DONE, cause()) is False

    scene.play(case)


def test_a_kept_approval_still_expires(scene: Scene) -> None:
    """I11: it returns to approved until it expires."""

    async def case(store: Store) -> None:
        row = await approved(store)
        execution = await sent(store, row)
        scene.clock.at = row.proposal.expires_at + timedelta(seconds=1)
        await store.return_proposal(execution, Outcome(state="failed", problem=PROBLEM), cause())
        assert (await current(store, row)).state == "expired"

    scene.play(case)


def test_only_a_sent_execution_is_returned(scene: Scene) -> None:
    """P12 e: neither a finished nor an unknown one goes back."""

    async def case(store: Store) -> None:
        failed = Outcome(state="failed", problem=PROBLEM)
        lost = await unknown(store, await approved(store))
        assert await store.return_proposal(lost, failed, cause()) is False
        assert await store.return_proposal(lost, DONE, cause()) is False

    scene.play(case)


@pytest.mark.parametrize(
    ("fingerprint", "is_done", "reason"),
    [
        ("sha256:f0", False, "key_in_flight"),
        ("sha256:f0", True, "key_finished"),
        ("sha256:f1", True, "key_reused"),
    ],
)
def test_a_key_has_one_execution(
    scene: Scene, fingerprint: str, is_done: bool, reason: str
) -> None:
    """I2: unique by tenant, operation and key; another fingerprint is a reuse."""

    async def case(store: Store) -> None:
        first = await sent(store, await approved(store, key="k"))
        if is_done:
            await store.record_outcome(first, DONE, cause())
        second = await approved(
            store, key="k", request_digest=fingerprint, resources=("customer/other",)
        )
        lease = await leased(store, second)
        refused = await store.consume_and_send(second, lease, 60, cause())
        assert isinstance(refused, Refused)
        assert refused.reason == reason
        assert refused.execution is not None
        assert refused.execution.execution_id == first.execution_id
        assert (await current(store, second)).state == "approved"
        found = await store.execution_of_key("acme", first.operation, "k")
        assert found is not None
        assert found.execution_id == first.execution_id

    scene.play(case)


def test_a_key_is_bound_to_tenant_and_operation(scene: Scene) -> None:
    """I2, S8: the same key elsewhere is independent."""

    async def case(store: Store) -> None:
        await sent(store, await approved(store, key="k"))
        await sent(store, await approved(store, key="k", operation="POST /x", resources=("r",)))
        await sent(store, await approved(store, key="k", tenant="globex"))

    scene.play(case)


def test_a_long_operation_keeps_its_claim_and_frees_its_slots(scene: Scene) -> None:
    """I4, O2: sent → accepted → succeeded; the handle is durable, the resource stays locked."""
    slot = Slot(scope="export", limit=1)

    async def case(store: Store) -> None:
        row = await approved(store)
        execution = await sent(store, row, slots=(slot,))
        running = Outcome(state="accepted", handle={"job": "j1"}, progress="queued")
        assert await store.record_outcome(execution, running, cause())
        assert await store.claim_slots("acme", "other", (slot,), 30) is None
        other = await approved(store)
        assert isinstance(await store.claim(other, (), 30, cause()), Refused)
        found = await store.load_execution("acme", execution.execution_id)
        assert found is not None
        assert (found.state, found.handle, found.progress) == ("accepted", {"job": "j1"}, "queued")
        moved = Outcome(state="accepted", progress="running")
        assert await store.record_outcome(execution, moved, cause())
        found = await store.load_execution("acme", execution.execution_id)
        assert found is not None
        assert (found.handle, found.progress) == ({"job": "j1"}, "running")
        assert await store.record_outcome(execution, Outcome(state="cancelled"), cause())
        assert isinstance(await store.claim(other, (), 30, cause()), Lease)

    scene.play(case)


def test_each_attempt_is_counted(scene: Scene) -> None:
    """I5: the same bytes again are one more attempt of the same execution."""

    async def case(store: Store) -> None:
        execution = await sent(store, await approved(store))
        assert await store.resend(execution, 60, cause())
        found = await store.load_execution("acme", execution.execution_id)
        assert found is not None
        assert found.attempts == 2

    scene.play(case)


def test_refusals_leave_no_execution(scene: Scene) -> None:
    """I8: no refusal of the store makes an execution."""

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        lease = await leased(store, row)
        await store.consume_and_send(row, lease, 60, cause())
        rows = await store.load_commit("acme", row.proposal.proposal_id)
        assert rows is not None
        assert rows.execution is None

    scene.play(case)
