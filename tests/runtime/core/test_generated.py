"""The generated CRM package against the running service: every write, by name and by type."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from crm_tools import catalog
from crm_tools.contracts.address_change_v1 import (
    AddressChangeArguments,
    AddressChangeDestinationSaved,
)
from crm_tools.contracts.get_customer_v1 import GetCustomerArguments, GetCustomerResult
from crm_tools.contracts.search_customers_v1 import SearchCustomersArguments

from toolcharter_runtime import Boundary, Failure, Run, Success, Upstream
from toolcharter_runtime.approvers import Person
from toolcharter_runtime.records import Cause, DecisionRow, mint_id
from toolcharter_runtime.signing import DeskKey
from toolcharter_runtime.store import Store
from toolcharter_runtime.upstream.credentials import Credential
from upstreams.crm import CrmServer

from .worker import CALLER
from .world import code_of


class Everybody:
    """Ann and Ben may approve anything."""

    def person(self, name: str) -> Person | None:
        groups = frozenset({"support_lead", "finance"})
        return Person(name, groups) if name in ("ann", "ben") else None


class Shop:
    """A boundary over the service, and a desk."""

    def __init__(self, crm: CrmServer, folder: Path) -> None:
        self.crm = crm
        self.url = f"sqlite:///{folder / 'boundary.db'}"
        self.key = DeskKey.create(folder / "desk.key", folder / "desk.pub")
        self.boundary = Boundary(
            catalog,
            upstream=Upstream(crm.url, auth=Credential.bearer(crm.token)),
            store=self.url,
            approvers=Everybody(),
            desk_keys=[folder / "desk.pub"],
        )

    @asynccontextmanager
    async def run(self, role: str = "support_agent") -> AsyncIterator[Run]:
        async with (
            self.boundary,
            self.boundary.run(role=role, caller=CALLER, purpose="production") as run,
        ):
            yield run

    async def approve(self, proposal_id: str, *people: str) -> None:
        store = await Store.open(self.url)
        row = await store.load_proposal("acme", proposal_id)
        assert row is not None
        for name in people or ("ann",):
            decision = DecisionRow(
                decision_id=mint_id("dec"),
                tenant="acme",
                proposal_id=proposal_id,
                sha256=row.sha256,
                outcome="approved",
                principal=name,
                method="password",
                session="test",
                decided_at=store.now(),
                until=row.proposal.expires_at,
            )
            cause = Cause(tenant="acme", request_id=mint_id("rq"), actor=f"person:{name}")
            await store.decide(self.key.sign_decision(decision), cause)
        await store.close()

    async def write(self, run: Run, tool: str, *people: str, **arguments: Any) -> Any:
        proposal = await run.call(f"preview_{tool}", arguments)
        assert isinstance(proposal, Success), proposal
        if proposal.result["state"] == "pending":
            await self.approve(proposal.result["proposal_id"], *people)
        return await run.call(f"commit_{tool}", {"proposal_id": proposal.result["proposal_id"]})


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with CrmServer() as crm:
        yield Shop(crm, tmp_path)


def test_by_type(shop: Shop) -> None:
    """D1: models in, models out, for reads, pages, previews and commits."""

    async def story() -> None:
        async with shop.run() as run:
            read = await run.call(catalog.get_customer, GetCustomerArguments(customer="C-1842"))
            assert isinstance(read, Success)
            assert isinstance(read.result, GetCustomerResult)
            assert read.result.name == "Marta Oliveira"
            found = await run.call(
                catalog.search_customers,
                SearchCustomersArguments.from_json({"filter": {"kind": "name", "prefix": "Mar"}}),
            )
            assert isinstance(found, Success)
            assert len(found.result.customers) == 20
            saved = AddressChangeDestinationSaved(kind="saved", address="A-2002")
            change = AddressChangeArguments(customer="C-1842", reason="moved", destination=saved)
            proposal = await run.call(catalog.address_change.preview, change)
            assert isinstance(proposal, Success)
            assert proposal.result.state == "pending"
            early = await run.call(catalog.address_change.commit, proposal)
            assert isinstance(early, Failure)
            assert early.error.code == "APPROVAL_PENDING"
            await shop.approve(proposal.result.proposal_id)
            done = await run.call(catalog.address_change.commit, proposal.result)
            assert isinstance(done, Success)
            assert done.result.state == "succeeded"
            assert done.evidence is not None
            assert done.evidence.new_version == 18

    asyncio.run(story())


def test_check_of_a_saved_address(shop: Shop) -> None:
    """P1: a saved address of somebody else fails the charter's check, with its own words."""

    async def story() -> None:
        async with shop.run() as run:
            reply = await run.call(
                "preview_address_change",
                {
                    "customer": "C-1843",
                    "reason": "moved",
                    "destination": {"kind": "saved", "address": "A-2002"},
                },
            )
            assert isinstance(reply, Failure)
            assert reply.error.code == "PRECONDITION_FAILED"

    asyncio.run(story())


def test_refund(shop: Shop) -> None:
    """P16, PL1: money with its currency; the condition on the target's currency picks the policy."""

    async def story() -> None:
        async with shop.run("refund_agent") as run:
            proposal = await run.call(
                "preview_refund", {"payment": "P-4001", "amount": 4900, "reason": "duplicate"}
            )
            assert isinstance(proposal, Success), proposal
            assert "49.00 EUR" in proposal.result["effect"]
            await shop.approve(proposal.result["proposal_id"])
            reply = await run.call("commit_refund", {"proposal_id": proposal.result["proposal_id"]})
            assert isinstance(reply, Success), reply
            assert reply.evidence is not None
            assert "refundable" in (reply.evidence.changed_fields or ())
            too_much = await run.call(
                "preview_refund", {"payment": "P-4001", "amount": 4900, "reason": "duplicate"}
            )
            assert isinstance(too_much, Failure)
            assert (too_much.error.code, too_much.error.field) == ("PRECONDITION_FAILED", "/amount")

    asyncio.run(story())


def test_refund_in_another_currency_needs_two(shop: Shop) -> None:
    """PL1: pounds are in no row of their own; the last row wants two from finance."""

    async def story() -> None:
        async with shop.run("refund_agent") as run:
            given = {"payment": "P-4003", "amount": 100, "reason": "duplicate"}
            proposal = await run.call("preview_refund", given)
            assert isinstance(proposal, Success), proposal
            proposal_id = proposal.result["proposal_id"]
            await shop.approve(proposal_id, "ann")
            commit = {"proposal_id": proposal_id}
            assert code_of(await run.call("commit_refund", commit)) == "APPROVAL_PENDING"
            await shop.approve(proposal_id, "ben")
            assert isinstance(await run.call("commit_refund", commit), Success)

    asyncio.run(story())


def test_message_is_read_without_a_person(shop: Shop) -> None:
    """PL3, I5: a policy of nobody; after a lost answer the state is asked and the body is then missing."""

    async def story() -> None:
        async with shop.run() as run:
            reply = await shop.write(run, "message_reading", message="M-3001")
            assert isinstance(reply, Success), reply
            assert reply.result["body"]
            shop.crm.control.fault("readMessage", "apply_then_drop")
            lost = await shop.write(run, "message_reading", message="M-3002")
            assert isinstance(lost, Success), lost
            assert lost.evidence is not None
            assert lost.evidence.proof == "state"
            assert "body" not in lost.result

    asyncio.run(story())


def test_email(shop: Shop) -> None:
    """P16: subject and text stand apart; the effect names the customer only."""

    async def story() -> None:
        async with shop.run() as run:
            reply = await shop.write(
                run, "customer_email", customer="C-1842", subject="Hello", text="Ola, Marta."
            )
            assert isinstance(reply, Success), reply
            assert reply.evidence is not None
            assert reply.evidence.facts["email"]

    asyncio.run(story())


def test_export_runs_long(shop: Shop) -> None:
    """O1, O3: accepted, polled, finished; another one is stopped."""

    async def story() -> None:
        shop.crm.control.move_exports(seconds=None)
        async with shop.run() as run:
            reply = await shop.write(run, "export", kind="customers", format="csv")
            assert isinstance(reply, Success), reply
            assert reply.status == "accepted"
            asked = {"operation_id": reply.operation_id}
            state = await run.call("get_operation", asked)
            assert isinstance(state, Success)
            assert state.result["state"] in ("queued", "running")
            shop.crm.control.step(reply.result["operation"], "succeeded")
            await asyncio.sleep(1.1)
            state = await run.call("get_operation", asked)
            assert isinstance(state, Success)
            assert state.result["state"] == "succeeded"
            assert state.evidence is not None
            other = await shop.write(run, "export", kind="customers", format="jsonl")
            assert isinstance(other, Success), other
            stopped = await run.call("cancel_operation", {"operation_id": other.operation_id})
            assert isinstance(stopped, Success)
            assert stopped.result["answer"] in ("stopped", "requested")

    asyncio.run(story())
