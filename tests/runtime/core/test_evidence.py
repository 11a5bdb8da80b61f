"""Evidence, stored results and fingerprints (E1, V5, V8, I2, I3, I9, I10, P4)."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from toolcharter_runtime import frozen
from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.run import Run
from toolcharter_runtime.store import Store, StoreError

from .contracts import ADDRESS_CHANGE, READ_CUSTOMER, MemoryCatalog, field, header, view
from .test_preview import with_terms
from .world import CALLER, CITY, World, code_of

COMMIT = "commit_address_change"


async def committed(world: World, **arguments: Any) -> Success[Any]:
    async with world.run() as run:
        proposal_id = await world.approved(run, **(arguments or CITY))
        reply = await run.call(COMMIT, {"proposal_id": proposal_id})
        assert isinstance(reply, Success), reply
        return reply


def test_evidence_is_whole(tmp_path: Path) -> None:
    """E1: every fact is there, or null with a reason; the charter's own stand under `facts`."""
    world = World(tmp_path)
    world.catalog = with_terms(
        evidence={
            "operation_id": "operation",
            "state": "state",
            "absent": {"receipt": "the service makes none"},
            "facts": {"city": "$after.city", "was": "$before.city", "receipt": "receipt"},
            "proof": {"$after.city": "{city}"},
        }
    )
    reply = asyncio.run(committed(world))
    assert reply.evidence is not None
    said = reply.evidence.to_json()
    assert said["target"] == {"type": "customer", "id": "C-1001"}
    assert (said["previous_version"], said["new_version"]) == (7, 8)
    assert said["changed_fields"] == ["city", "version"]
    assert said["next_state"] == "succeeded"
    assert said["upstream_operation_id"] == reply.result["operation"]
    assert said["committed_at"] == "2026-08-14T16:00:00.000000Z"
    assert said["approved_by"] == ["ann"]
    assert said["facts"] == {"city": "Bruges", "was": "Ghent", "receipt": None}
    assert said["absent"] == {"receipt": "the service makes none"}
    assert (said["proof"], said["effect_differs"], said["attempts"]) == ("answer", False, 1)


def test_target_that_cannot_be_read_after(tmp_path: Path) -> None:
    """E1: not readable yet is null with a reason, and never invented; the effect stands."""
    world = World(tmp_path)
    answer = world.crm.answer

    async def lose_reads_after(request: Any) -> Any:
        if world.crm.ledger and request.method == "GET":
            import httpx2

            return httpx2.Response(400)
        return await answer(request)

    world.crm.transport.handler = lose_reads_after
    reply = asyncio.run(committed(world))
    assert reply.evidence is not None
    assert reply.evidence.changed_fields is None
    assert reply.evidence.new_version is None
    assert {"changed_fields", "new_version"} <= set(reply.evidence.absent)


def test_effect_that_differs_is_flagged(tmp_path: Path) -> None:
    """V8: the service wrote another value than the one that was shown."""
    world = World(tmp_path)
    apply = world.crm._apply

    def apply_otherwise(parts: list[str], request: Any) -> Any:
        response = apply(parts, request)
        world.crm.customers["C-1001"]["city"] = "Antwerp"
        return response

    world.crm._apply = apply_otherwise  # type: ignore[method-assign]
    reply = asyncio.run(committed(world))
    assert reply.evidence is not None
    assert reply.evidence.effect_differs


def test_proof_that_does_not_hold_is_flagged(tmp_path: Path) -> None:
    """V8, E1: the charter's own condition on the target read after the commit."""
    world = World(tmp_path)
    world.catalog = with_terms(
        changes=[], evidence={"state": "state", "proof": {"$after.city": "Elsewhere"}}
    )
    reply = asyncio.run(committed(world))
    assert reply.evidence is not None
    assert reply.evidence.effect_differs


def test_stored_result_is_the_view(tmp_path: Path) -> None:
    """I10, X5: what is stored for replay is bounded and redacted; the raw answer is not kept."""
    world = World(tmp_path)
    shape = view(
        [
            field("operation", "/id", redact="last4"),
            field("key", "/key", hidden=True),
            field("state", "/status", required=True),
        ]
    )
    changed = ADDRESS_CHANGE.model_copy(update={"view": frozen.View.model_validate(shape)})
    world.catalog = MemoryCatalog(changed)
    reply = asyncio.run(committed(world))
    (operation,) = world.crm.operations
    assert reply.result == {"operation": "•••" + operation[-4:], "state": "succeeded"}
    database = sqlite3.connect(tmp_path / "boundary.db")
    (stored,) = database.execute("SELECT result FROM executions").fetchall()
    database.close()
    assert json.loads(stored[0]) == reply.result


def test_fingerprint_covers_no_time(tmp_path: Path) -> None:
    """I3, P3, C4: the digest of the stored request is the same whenever it is built again, and is the fingerprint."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            world.later(minutes=20)
            assert isinstance(await run.call(COMMIT, {"proposal_id": proposal_id}), Success)
        async with world.store() as store:
            row = await store.load_proposal("acme", proposal_id)
            assert row is not None
            execution = await store.execution_of_key(
                "acme", row.proposal.operation, row.proposal.key
            )
            assert execution is not None
            assert execution.fingerprint == row.proposal.request_digest

    asyncio.run(story())


def test_key_of_another_request(tmp_path: Path) -> None:
    """Case 27, I2: the same key with other arguments, put into the store: refused, ledger unchanged."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            first = await world.approved(run)
            assert isinstance(await run.call(COMMIT, {"proposal_id": first}), Success)
            second = await world.approved(run, customer="C-1002", city="Liege")
            database = sqlite3.connect(tmp_path / "boundary.db")
            database.execute(
                "UPDATE proposal_texts SET idempotency_key ="
                " (SELECT idempotency_key FROM proposal_texts WHERE proposal_id = ?)"
                " WHERE proposal_id = ?",
                (first, second),
            )
            database.commit()
            database.close()
            reply = await run.call(COMMIT, {"proposal_id": second})
            assert isinstance(reply, Failure)
            assert (reply.error.code, reply.error.next_action) == ("IDEMPOTENCY_KEY_REUSED", "stop")
            assert len(world.crm.ledger) == 1

    asyncio.run(story())


def test_store_that_fails_while_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """I9: read again and recorded again; never a conflict, never a second send."""
    world = World(tmp_path)
    record = Store.record_outcome
    failures = [StoreError("STORE_BUSY", "busy")] * 2

    async def fail_first(*args: Any, **options: Any) -> bool:
        if failures:
            raise failures.pop()
        return await record(*args, **options)

    monkeypatch.setattr(Store, "record_outcome", fail_first)
    reply = asyncio.run(committed(world))
    assert reply.status == "completed"
    assert len(world.crm.ledger) == 1


def test_create_with_if_none_match(tmp_path: Path) -> None:
    """V5, V4: a create sends `If-None-Match: *`; the 412 of one that is there by now is a conflict."""
    world = World(tmp_path)
    terms = ADDRESS_CHANGE.write
    assert terms is not None
    target = {"type": "customer", "id": "{customer}", "read": READ_CUSTOMER, "absent": True}
    parameters = (
        *ADDRESS_CHANGE.request.parameters[:2],
        frozen.Parameter.model_validate(header("If-None-Match", "*")),
    )
    world.catalog = MemoryCatalog(
        ADDRESS_CHANGE.model_copy(
            update={
                "request": ADDRESS_CHANGE.request.model_copy(update={"parameters": parameters}),
                "write": terms.model_copy(
                    update={"target": frozen.Target.model_validate(target), "changes": ()}
                ),
            }
        )
    )

    async def story() -> None:
        async with world.run() as run:
            arguments = {"customer": "C-7000", "city": "Namur"}
            proposal_id = await world.approved(run, **arguments)
            world.crm.faults = ["412"]
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert code_of(reply) == "VERSION_CONFLICT"
            assert "*" in [one.get("if-none-match") for one in world.crm.headers]
            proposal_id = await world.approved(run, **arguments)
            world.crm.customers["C-7000"] = {**world.crm.customers["C-1001"], "id": "C-7000"}
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert code_of(reply) == "VERSION_CONFLICT"
            assert world.crm.ledger == []

    asyncio.run(story())


def test_new_proposal_names_what_it_supersedes(tmp_path: Path) -> None:
    """P4: there is no edit; a denial and a new proposal that names the denied one, in whatever process."""
    world = World(tmp_path)

    async def preview(run: Run, city: str, customer: str = "C-1001") -> str:
        proposal = await run.call("preview_address_change", {"customer": customer, "city": city})
        assert isinstance(proposal, Success)
        return str(proposal.result["proposal_id"])

    async def story() -> None:
        async with world.run() as run:
            denied = await preview(run, "Bruges")
            await world.decide(denied, outcome="denied", reason="no")
        async with world.boundary() as boundary:
            async with boundary.resume(run.id, CALLER) as resumed:
                again = await preview(resumed, "Namur")
                elsewhere = await preview(resumed, "Namur", "C-1002")
            async with boundary.run(role="agent", caller=CALLER) as another:
                foreign = await preview(another, "Namur")
        async with world.store() as store:
            for name, superseded in ((again, denied), (elsewhere, None), (foreign, None)):
                row = await store.load_proposal("acme", name)
                assert row is not None
                assert row.proposal.supersedes == superseded

    asyncio.run(story())


def test_question_that_finds_two_is_unknown(tmp_path: Path) -> None:
    """I6: two matches prove nothing; the outcome is unknown."""
    world = World(tmp_path)
    world.catalog = with_terms(
        unknown={
            "read": {"tool": "search_customers.v1", "arguments": {"prefix": "N"}},
            "where": {"name": {"contains": "Name"}},
            "pages": 3,
        }
    )
    world.crm.faults = ["drop_after"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            assert (
                code_of(await run.call(COMMIT, {"proposal_id": proposal_id})) == "UNKNOWN_OUTCOME"
            )
        async with world.store() as store:
            (item,) = await store.unknown_items("acme")
            assert item.execution.evidence["asked"] == ["search_customers.v1: two matches"]

    asyncio.run(story())


def test_match_of_the_state_proves_the_state_only(tmp_path: Path) -> None:
    """E1, I6: a `where` without key or marker proves that it is so, not who did it; names it lacks are missing."""
    world = World(tmp_path)
    world.catalog = with_terms(
        unknown={
            "read": READ_CUSTOMER,
            "where": {"city": "{city}", "version": {"not": "{$version}"}},
        }
    )
    world.crm.faults = ["drop_after"]
    reply = asyncio.run(committed(world))
    assert reply.evidence is not None
    assert reply.evidence.proof == "state"
    assert reply.result == {}
    assert reply.evidence.upstream_operation_id is None


def test_not_done_after_the_attested_time(tmp_path: Path) -> None:
    """I6: no match means not done once the attested time has passed; then a new proposal may follow."""
    world = World(tmp_path)
    terms = ADDRESS_CHANGE.write
    assert terms is not None
    assert terms.unknown is not None
    asked = terms.unknown.model_dump(exclude_defaults=True)
    world.catalog = with_terms(unknown=asked | {"not_done_after": 600})
    world.crm.faults = ["drop_before"]

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            assert (
                code_of(await run.call(COMMIT, {"proposal_id": proposal_id})) == "UNKNOWN_OUTCOME"
            )
            world.later(seconds=601)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert (reply.status, reply.error.code) == ("rejected", "UPSTREAM_UNAVAILABLE")
            assert reply.error.next_action == "propose_again"
            assert isinstance(await run.call("preview_address_change", CITY), Success)

    asyncio.run(story())
