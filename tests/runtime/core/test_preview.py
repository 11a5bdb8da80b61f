"""Previews: what is checked before a proposal exists, and what is shown of it (P1 to P4, P16, P20)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from toolcharter_runtime import frozen
from toolcharter_runtime.calls.keys import marker_of, new_key
from toolcharter_runtime.envelope import Failure, Success

from .contracts import ADDRESS_CHANGE, CUSTOMER, READ_CUSTOMER, TEXT, MemoryCatalog, closed
from .world import CITY, World, code_of

PREVIEW = "preview_address_change"


def with_terms(**update: Any) -> MemoryCatalog:
    terms = ADDRESS_CHANGE.write
    assert terms is not None
    changed = frozen.WriteTerms.model_validate(terms.model_dump(exclude_defaults=True) | update)
    return MemoryCatalog(ADDRESS_CHANGE.model_copy(update={"write": changed}))


def test_preview_changes_nothing_and_shows_the_change(tmp_path: Path) -> None:
    """P1, P20, C3: nothing at the upstream; the model sees id, effect, state, expiry and its role's own fields."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call(PREVIEW, CITY)
            assert isinstance(reply, Success)
            assert reply.evidence is None
            assert set(reply.result) == {"proposal_id", "effect", "state", "expires_at", "changes"}
            assert reply.result["effect"] == "Change the address of customer C-1001 (moved)"
            assert reply.result["state"] == "pending"
            assert reply.result["changes"] == [
                {"label": "city", "before": "Ghent", "after": "Bruges"}
            ]
            assert world.crm.ledger == []
            assert {method for method, _ in world.crm.requests} == {"GET"}

    asyncio.run(story())


def test_stored_proposal_is_whole(tmp_path: Path) -> None:
    """P2, P3, P16, I1: target with version, key, digests, untrusted text apart, defaults written in."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call(PREVIEW, CITY)
            assert isinstance(reply, Success)
        async with world.store() as store:
            row = await store.load_proposal("acme", reply.result["proposal_id"])
        assert row is not None
        proposal = row.proposal
        assert proposal.arguments == {**CITY, "reason": "moved"}
        assert proposal.target == {
            "type": "customer",
            "id": "C-1001",
            "version": 7,
            "check": "atomic",
        }
        assert proposal.resources == ("customer/C-1001",)
        assert proposal.difference["untrusted"] == {"city": "Bruges"}
        assert proposal.difference["shown"] == {"name": "Name 1"}
        assert proposal.upstream == {
            "name": "crm",
            "origin": "https://crm.test",
            "environment": "production",
        }
        assert (proposal.agent, proposal.person) == ("assistant", "u17")
        assert len(proposal.key) == 36
        assert proposal.injected["marker"] == marker_of(proposal.key)
        assert proposal.root_request_id == reply.request_id

    asyncio.run(story())


def open_change(summary: str) -> MemoryCatalog:
    """The change of an address whose inputs may all be left out; one of them is an object."""
    detail = {"type": "object", "properties": {"town": TEXT}, "additionalProperties": False}
    arguments = closed({"customer": CUSTOMER, "city": TEXT, "detail": detail}, "customer")
    body = frozen.Body.model_validate(
        {
            "media": "application/json",
            "kind": "json",
            "bindings": [{"at": f"/{name}", "value": f"{{{name}}}"} for name in ("city", "detail")],
        }
    )
    terms = ADDRESS_CHANGE.write
    assert terms is not None
    update = {
        "arguments": arguments,
        "request": ADDRESS_CHANGE.request.model_copy(update={"body": body}),
        "write": terms.model_copy(update={"summary": summary}),
    }
    return MemoryCatalog(ADDRESS_CHANGE.model_copy(update=update))


@pytest.mark.parametrize(
    ("summary", "given", "field"),
    [
        ("Move {customer} to {city}", {"detail": {"town": "Ghent"}}, "/city"),
        ("Move {customer} to {detail.town}", {"city": "Ghent"}, "/detail/town"),
        ("Move {customer} to {detail.town}", {"detail": {}}, "/detail/town"),
    ],
)
def test_an_unset_input_of_the_summary_is_named(
    tmp_path: Path, summary: str, given: dict[str, Any], field: str
) -> None:
    """R1: the field that is missing is told, inside an object too."""
    world = World(tmp_path, catalog=open_change(summary))

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call(PREVIEW, {"customer": "C-1001", **given})
            assert isinstance(reply, Failure)
            assert (reply.error.code, reply.error.field) == ("INVALID_ARGUMENT", field)

    asyncio.run(story())


def test_absent_target(tmp_path: Path) -> None:
    """P1: TARGET_NOT_FOUND, and no proposal."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call(PREVIEW, {**CITY, "customer": "C-9999"})
            assert code_of(reply) == "TARGET_NOT_FOUND"

    asyncio.run(story())


def test_target_that_should_be_absent(tmp_path: Path) -> None:
    """P1: `version: {absent: true}` and the target is there: PRECONDITION_FAILED."""
    world = World(tmp_path)
    world.catalog = with_terms(
        target={"type": "customer", "id": "{customer}", "read": READ_CUSTOMER, "absent": True},
        changes=[],
    )

    async def story() -> None:
        async with world.run() as run:
            assert code_of(await run.call(PREVIEW, CITY)) == "PRECONDITION_FAILED"

    asyncio.run(story())


def test_precondition_at_preview_and_at_commit(tmp_path: Path) -> None:
    """P1, P12 (c): a `require` that does not hold; at commit the proposal stays unconsumed."""
    world = World(tmp_path)
    world.catalog = with_terms(
        target={
            "type": "customer",
            "id": "{customer}",
            "read": READ_CUSTOMER,
            "unversioned": "for this test",
            "require": {"blocked": {"not": True}},
        },
        version_check="none",
    )

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            world.crm.customers["C-1001"]["blocked"] = True
            reply = await run.call("commit_address_change", {"proposal_id": proposal_id})
            assert code_of(reply) == "PRECONDITION_FAILED"
            assert code_of(await run.call(PREVIEW, CITY)) == "PRECONDITION_FAILED"
            world.crm.customers["C-1001"]["blocked"] = False

    asyncio.run(story())


def test_checks_and_resolvers(tmp_path: Path) -> None:
    """P1: a further check on another resource, and an identifier that must be among a read's answers."""
    world = World(tmp_path)
    terms = ADDRESS_CHANGE.write
    assert terms is not None
    check = frozen.Check.model_validate(
        {
            "read": {"tool": "get_customer.v1", "arguments": {"customer": "C-1002"}},
            "require": {"city": "{city}"},
            "because": "the other customer must live there",
        }
    )
    resolver = frozen.Resolver.model_validate(
        {
            "input": "customer",
            "read": {"tool": "search_customers.v1", "arguments": {"prefix": "N"}},
            "field": "customer",
        }
    )
    changed = ADDRESS_CHANGE.model_copy(
        update={
            "write": terms.model_copy(update={"checks": (check,)}),
            "resolvers": (resolver,),
        }
    )
    world.catalog = MemoryCatalog(changed)

    async def story() -> None:
        async with world.run() as run:
            refused = await run.call(PREVIEW, CITY)
            assert isinstance(refused, Failure)
            assert refused.error.code == "PRECONDITION_FAILED"
            assert refused.error.field == "/city"
            assert "the other customer" in refused.error.message
            world.crm.customers["C-1002"]["city"] = "Bruges"
            assert isinstance(await run.call(PREVIEW, CITY), Success)
            world.crm.customers["C-8888"] = {**world.crm.customers["C-1001"], "id": "C-8888"}
            for name in ("C-1003", "C-1004"):
                del world.crm.customers[name]
            del world.crm.customers["C-8888"]
            world.crm.customers["C-1001"]["id"] = "C-7777"
            unresolved = await run.call(PREVIEW, CITY)
            assert isinstance(unresolved, Failure)
            assert (unresolved.error.code, unresolved.error.field) == (
                "PRECONDITION_FAILED",
                "/customer",
            )

    asyncio.run(story())


def test_policy_denies_by_default(tmp_path: Path) -> None:
    """PL1, PL2: no row holds, so the call is denied, with the alert in the audit and not in the reply."""
    world = World(tmp_path)
    world.catalog = with_terms(
        approval=[{"policy": {"name": "p", "approvers": "leads"}, "when": {"city": "Ghent"}}]
    )

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call(PREVIEW, CITY)
            assert isinstance(reply, Failure)
            assert (reply.error.code, reply.error.next_action) == ("POLICY_DENIED", "stop")
            assert world.crm.requests == []
        async with world.store() as store:
            rows = await store.audit_of("acme", reply.request_id)
            assert [(row.code, row.note) for row in rows] == [("POLICY_DENIED", "no_row")]

    asyncio.run(story())


def test_native_preview(tmp_path: Path) -> None:
    """P1, V7: a preview of the upstream's own; without an answer it is PREVIEW_UNAVAILABLE."""
    world = World(tmp_path)
    world.catalog = with_terms(
        preview={"read": READ_CUSTOMER, "show": ["name"], "not_guaranteed": ["name"]},
        target={
            "type": "customer",
            "id": "{customer}",
            "unversioned": "for this test",
        },
        version_check="none",
        changes=[],
    )

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call(PREVIEW, CITY)
            assert isinstance(reply, Success)
            world.crm.customers.clear()
            assert code_of(await run.call(PREVIEW, CITY)) == "PREVIEW_UNAVAILABLE"
        async with world.store() as store:
            row = await store.load_proposal("acme", reply.result["proposal_id"])
            assert row is not None
            assert row.proposal.difference["preview"] == {"name": "Name 1"}
            assert row.proposal.difference["not_guaranteed"] == ["name"]

    asyncio.run(story())


def test_role_without_the_read_sees_no_changes(tmp_path: Path) -> None:
    """P20: a role that cannot read the target is shown nothing of it."""
    world = World(tmp_path)
    roles = {"agent": {"reads": [], "writes": ["address_change.v1"], "purposes": ["production"]}}
    world.catalog = MemoryCatalog(roles=roles)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call(PREVIEW, CITY)
            assert isinstance(reply, Success)
            assert reply.result["changes"] == []

    asyncio.run(story())


def test_keys_take_their_form() -> None:
    """I1: a UUID, or base62 of at least 128 bits; the marker is found again and has no way back."""
    assert len(new_key("uuid")) == 36
    key = new_key("base62")
    assert len(key) == 22
    assert key.isalnum()
    assert marker_of(key) == marker_of(key)
    assert marker_of(key).startswith("tc-")
    assert len(marker_of(key)) == 23
    assert key not in marker_of(key)
