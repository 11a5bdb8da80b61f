"""The audit chain, and that nothing happens without its row (D4, P15, S7)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from tests.store.build import (
    Scene,
    approved,
    cause,
    current,
    decision,
    leased,
    proposal,
    run_row,
    sent,
)
from toolcharter_runtime.records import Outcome
from toolcharter_runtime.store import Store, StoreError


def change_file(scene: Scene, *statements: str) -> None:
    with closing(sqlite3.connect(scene.path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def count(scene: Scene, table: str) -> int:
    connection = sqlite3.connect(scene.path)
    (number,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    connection.close()
    return int(number)


REFUSE_AUDIT = (
    "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'the audit is full'); END"
)


def test_any_id_leads_to_the_whole_sequence(scene: Scene) -> None:
    """D4: the preview's request, the commit's, proposal and operation give the same rows, in order."""

    async def case(store: Store) -> None:
        made = proposal()
        row = await store.add_proposal(made, cause(made, request_id=made.root_request_id))
        await store.decide(decision(row), cause(made))
        execution = await sent(store, await current(store, row))
        committing = cause(made)
        await store.record_outcome(execution, Outcome(state="succeeded"), committing)
        await store.add_proposal(proposal(), cause())
        sequence = await store.audit_of("acme", made.proposal_id)
        assert [r.kind for r in sequence] == [
            "proposal.created",
            "proposal.approved",
            "commit.claimed",
            "execution.sent",
            "execution.succeeded",
        ]
        for name in (made.root_request_id, committing.request_id, execution.execution_id):
            assert await store.audit_of("acme", name) == sequence
        assert await store.audit_of("globex", made.proposal_id) == ()

    scene.play(case)


def test_the_chain_verifies_per_tenant(scene: Scene) -> None:
    """S7: each tenant has its own numbers and hashes."""

    async def case(store: Store) -> None:
        for tenant in ("acme", "globex", "acme"):
            await store.append_audit(cause(tenant=tenant), "call.refused", note="not_in_role")
        verdict = await store.audit_verify("acme")
        assert (verdict.rows, verdict.broken_at) == (2, None)
        assert (await store.audit_verify("globex")).rows == 1
        assert (await store.audit_verify("nobody")).rows == 0
        assert await store.tenants() == ("acme", "globex")

    scene.play(case)


def test_two_stores_append_to_one_chain(scene: Scene) -> None:
    """S7: processes that take turns keep one unbroken chain."""

    async def case(store: Store) -> None:
        other = await Store.open(scene.url, clock=scene.clock)
        numbers = [
            await which.append_audit(cause(), "call.refused")
            for which in (store, other, other, store, store, other)
        ]
        await other.close()
        assert numbers == [1, 2, 3, 4, 5, 6]
        assert (await store.audit_verify("acme")).broken_at is None

    scene.play(case)


@pytest.mark.parametrize("statement", ["DELETE FROM audit", "UPDATE audit SET code = 'x'"])
def test_rows_are_append_only(scene: Scene, statement: str) -> None:
    """S7: the database itself refuses to change or delete a row."""
    scene.play(lambda store: store.append_audit(cause(), "call.refused"))
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        change_file(scene, statement)


@pytest.mark.parametrize(
    ("tamper", "broken_at"),
    [
        ("UPDATE audit SET code = 'x' WHERE number = 2", 2),
        ("UPDATE audit SET actor = 'person:eve' WHERE number = 3", 3),
        ("DELETE FROM audit WHERE number = 2", 2),
        ("DELETE FROM audit WHERE number = 1", 1),
        ("UPDATE audit SET number = 9 WHERE number = 3", 3),
    ],
)
def test_tampering_shows(scene: Scene, tamper: str, broken_at: int) -> None:
    """S7: a row changed, taken out or moved by somebody who removed the triggers breaks the chain there."""

    async def fill(store: Store) -> None:
        for _ in range(3):
            await store.append_audit(cause(), "call.refused", code="UNKNOWN_TOOL")

    scene.play(fill)
    change_file(scene, "DROP TRIGGER audit_no_update", "DROP TRIGGER audit_no_delete", tamper)
    assert scene.play(lambda store: store.audit_verify("acme")).broken_at == broken_at


def test_without_its_audit_row_nothing_is_sent(scene: Scene) -> None:
    """P15: the audit fails between claim and send; the approval is unused and no execution exists."""

    async def case(store: Store) -> None:
        row = await approved(store)
        lease = await leased(store, row)
        change_file(scene, REFUSE_AUDIT)
        with pytest.raises(StoreError, match="full"):
            await store.consume_and_send(row, lease, 60, cause())
        change_file(scene, "DROP TRIGGER full")
        assert (await current(store, row)).state == "approved"

    scene.play(case)
    assert count(scene, "executions") == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda store, row: store.claim(row, (), 30, cause()),
        lambda store, row: store.decide(decision(row), cause()),
        lambda store, row: store.decide(decision(row, "denied"), cause()),
        lambda store, row: store.add_proposal(proposal(), cause()),
        lambda store, row: store.open_run(run_row(), cause()),
    ],
    ids=["claim", "approve", "deny", "propose", "run"],
)
def test_every_change_needs_its_audit_row(scene: Scene, change: Callable[..., object]) -> None:
    """P15: the change is in the audit's own transaction."""
    tables = ("proposals", "decisions", "claims", "runs", "outbox")

    async def case(store: Store) -> None:
        row = await store.add_proposal(proposal(), cause())
        before = [count(scene, table) for table in tables]
        change_file(scene, REFUSE_AUDIT)
        with pytest.raises(StoreError):
            await change(store, row)  # type: ignore[misc]
        assert [count(scene, table) for table in tables] == before
        assert (await current(store, row)).state == "pending"

    scene.play(case)


def test_an_outcome_needs_its_audit_row_and_can_be_recorded_again(scene: Scene) -> None:
    """P15, I9: a failed recording leaves `sent`, which reading again shows."""

    async def case(store: Store) -> None:
        execution = await sent(store, await approved(store))
        change_file(scene, REFUSE_AUDIT)
        with pytest.raises(StoreError):
            await store.record_outcome(execution, Outcome(state="succeeded"), cause())
        assert await store.load_execution("acme", execution.execution_id) == execution
        change_file(scene, "DROP TRIGGER full")
        assert await store.record_outcome(execution, Outcome(state="succeeded"), cause())

    scene.play(case)


def test_no_value_is_in_the_audit(scene: Scene) -> None:
    """T1, R4: neither an argument nor a result nor a reason stands in an audit row or an error."""
    canary = "CANARY-9f3"

    async def case(store: Store) -> None:
        made = proposal(
            arguments={"street": canary},
            injected={"version": canary},
            effect=canary,
            difference={"changes": [{"label": "street", "before": canary, "after": canary}]},
        )
        row = await store.add_proposal(made, cause(made))
        await store.decide(decision(row, reason=canary), cause(made))
        execution = await sent(store, await current(store, row))
        outcome = Outcome(
            state="succeeded", result={"x": canary}, evidence={"y": canary}, handle={"z": canary}
        )
        await store.record_outcome(execution, outcome, cause(made))
        with pytest.raises(StoreError) as failed:
            await store.add_proposal(made, cause(made))
        assert canary not in str(failed.value)
        assert canary not in repr(await store.audit_of("acme", made.proposal_id))

    scene.play(case)
