"""A refund by key: replays, refusals, what is pending, and what a lost answer left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.upstream.credentials import Credential

from .stage import Fake, Stage, code_of, form_of

ACCOUNT = "acct_1A2b3C4d5E6f7G8h"
CHARGE = "ch_3OabcDEF12345678"
REFUND = {"charge": CHARGE, "amount": 2500, "reason": "requested_by_customer"}


class Stripe(Fake):
    """Gives one effect per key for its body; the first answer is replayed, a 409 says that it is in flight."""

    def __init__(self) -> None:
        super().__init__()
        self.charge: dict[str, Any] = {
            "id": CHARGE, "object": "charge", "currency": "eur", "captured": True, "disputed": False,
            "amount": 9000, "amount_refunded": 0, "customer": "cus_Q1w2e3r4t5",
        }  # fmt: skip
        self.refunds: list[dict[str, Any]] = []
        self.notes: list[dict[str, Any]] = []
        self.by_key: dict[str, tuple[bytes, httpx2.Response]] = {}
        self.status = "succeeded"
        self.in_flight = False

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        assert request.headers["authorization"] == "Bearer sk_test"
        assert request.headers["stripe-account"] == ACCOUNT
        path = request.url.path
        if request.method == "POST":
            return self._write(path, request)
        if path == f"/v1/charges/{CHARGE}":
            return httpx2.Response(200, json=self.charge)
        if path == "/v1/payment_intents/pi_3OabcDEF12345678":
            return httpx2.Response(
                200,
                json={
                    "id": path.rpartition("/")[2],
                    "status": "succeeded",
                    "latest_charge": CHARGE,
                },
            )
        if path == "/v1/refunds":
            return self._list(self.refunds, request)
        if path == "/v1/invoices/in_1OabcDEF12345678":
            credited = sum(note["total"] for note in self.notes)
            return httpx2.Response(200, json={
                "id": path.rpartition("/")[2], "currency": "eur", "status": "paid", "total": 9000,
                "post_payment_credit_notes_amount": credited,
            })  # fmt: skip
        if path == "/v1/credit_notes/preview":
            amount = int(request.url.params["credit_amount"])
            return httpx2.Response(200, json={"total": amount, "number": "PREVIEW-1"})
        if path == "/v1/credit_notes":
            return self._list(self.notes, request)
        raise AssertionError(path)

    def _list(self, items: list[dict[str, Any]], request: httpx2.Request) -> httpx2.Response:
        after, limit = (
            request.url.params.get("starting_after"),
            int(request.url.params.get("limit", 10)),
        )
        start = next((i + 1 for i, item in enumerate(items) if item["id"] == after), 0)
        page = items[start : start + limit]
        body = {
            "object": "list", "data": page, "has_more": start + limit < len(items), "url": "/v1/refunds",
        }  # fmt: skip
        return httpx2.Response(200, json=body)

    def _write(self, path: str, request: httpx2.Request) -> httpx2.Response:
        if self.in_flight:
            return httpx2.Response(409, json={"error": {"type": "invalid_request_error"}})
        key = request.headers["idempotency-key"]
        if key in self.by_key:
            body, answer = self.by_key[key]
            if body == request.content:
                return answer
            return httpx2.Response(400, json={"error": {"type": "idempotency_error"}})
        form = form_of(request)
        answer = self._refund(form) if path == "/v1/refunds" else self._credit(form)
        self.by_key[key] = (request.content, answer)
        return answer

    def _refund(self, form: dict[str, str]) -> httpx2.Response:
        refund = {
            "id": f"re_{len(self.refunds) + 1:016}", "object": "refund", "status": self.status,
            "amount": int(form["amount"]), "charge": form.get("charge"), "created": 1_700_000_000,
            "currency": "eur", "metadata": {"toolcharter": form["metadata[toolcharter]"]},
        }  # fmt: skip
        self.refunds.insert(0, refund)
        if self.status == "succeeded":
            self.charge["amount_refunded"] += refund["amount"]
        return httpx2.Response(200, json=refund)

    def _credit(self, form: dict[str, str]) -> httpx2.Response:
        note = {
            "id": f"cn_{len(self.notes) + 1:016}", "number": f"A-{len(self.notes) + 1}", "status": "issued",
            "total": int(form["credit_amount"]), "metadata": {"toolcharter": form["metadata[toolcharter]"]},
        }  # fmt: skip
        self.notes.insert(0, note)
        return httpx2.Response(200, json=note)


@pytest.fixture
def stripe() -> Stripe:
    return Stripe()


@pytest.fixture
def staged(stage: Callable[..., Stage], stripe: Stripe) -> Callable[[str], Stage]:
    more = {"context": {"account": ACCOUNT}, "credential": Credential.bearer("sk_test")}
    return lambda role: stage("stripe", stripe, role, **more)


@pytest.fixture
def support(staged: Callable[[str], Stage]) -> Stage:
    return staged("support_agent")


@pytest.fixture
def billing(staged: Callable[[str], Stage]) -> Stage:
    return staged("billing_agent")


def refunded(stage: Stage, **changed: Any) -> Success[Any] | Failure[Any]:
    return stage.written("refund_charge", {**REFUND, **changed})


def test_refund_with_its_evidence(support: Stage, stripe: Stripe) -> None:
    reply = refunded(support)
    assert isinstance(reply, Success), reply
    assert reply.result == {"refund": "re_0000000000000001", "status": "succeeded", "amount": 2500}
    assert reply.evidence is not None
    assert reply.evidence.upstream_operation_id == "re_0000000000000001"
    assert (reply.evidence.new_version, reply.evidence.next_state) == (2500, "succeeded")
    (sent,) = stripe.writes
    form = form_of(sent)
    assert {name: form[name] for name in ("charge", "amount", "reason")} == {
        "charge": CHARGE, "amount": "2500", "reason": "requested_by_customer",
    }  # fmt: skip
    assert form["metadata[toolcharter]"].startswith("tc-")


def test_a_second_commit_replays_what_the_first_did(support: Stage, stripe: Stripe) -> None:
    async def story() -> None:
        async with support.run() as run:
            proposal = await support.proposed(run, "refund_charge", **REFUND)
            first = await support.commit(run, "refund_charge", proposal)
            again = await support.commit(run, "refund_charge", proposal)
            assert isinstance(first, Success)
            assert isinstance(again, Success)
            assert first.result == again.result

    asyncio.run(story())
    assert len(stripe.writes) == len(stripe.refunds) == 1


def test_more_than_was_paid_is_refused_at_the_preview(support: Stage, stripe: Stripe) -> None:
    async def story() -> None:
        async with support.run() as run:
            reply = await run.call("preview_refund_charge", {**REFUND, "amount": 9001})
            assert code_of(reply) == "PRECONDITION_FAILED"

    asyncio.run(story())
    assert stripe.writes == []


def test_a_charge_that_moved_is_a_conflict(support: Stage, stripe: Stripe) -> None:
    reply = support.written(
        "refund_charge", REFUND, lambda: stripe.charge.update(amount_refunded=100)
    )
    assert code_of(reply) == "VERSION_CONFLICT"
    assert stripe.writes == []


def test_pending_is_accepted_and_not_followed(support: Stage, stripe: Stripe) -> None:
    stripe.status = "pending"
    reply = refunded(support)
    assert isinstance(reply, Success), reply
    assert reply.status == "accepted"
    assert reply.evidence is not None
    assert reply.evidence.next_state == "pending"


@pytest.mark.parametrize("status", ["failed", "canceled"])
def test_a_refund_that_failed_at_once_is_rejected(
    support: Stage, stripe: Stripe, status: str
) -> None:
    stripe.status = status
    assert code_of(refunded(support)) == "UPSTREAM_REJECTED"


def test_a_key_in_flight_is_unknown(support: Stage, stripe: Stripe) -> None:
    stripe.in_flight = True
    assert code_of(refunded(support)) == "UNKNOWN_OUTCOME"


def test_a_lost_answer_is_found_by_its_marker(support: Stage, stripe: Stripe) -> None:
    stripe.loses = 1
    reply = refunded(support)
    assert isinstance(reply, Success), reply
    assert reply.result["refund"] == "re_0000000000000001"
    assert reply.evidence is not None
    assert reply.evidence.proof == "effect"
    assert len(stripe.writes) == 1


def test_a_lost_answer_of_a_refund_that_failed(support: Stage, stripe: Stripe) -> None:
    stripe.loses, stripe.status = 1, "failed"
    assert code_of(refunded(support)) == "UPSTREAM_REJECTED"


def test_a_refusal_tells_no_word_of_its_body(support: Stage, stripe: Stripe) -> None:
    stripe._refund = lambda form: httpx2.Response(  # type: ignore[method-assign]
        402, json={"error": {"type": "card_error", "message": "secret of the card"}}
    )
    reply = refunded(support)
    assert code_of(reply) == "UPSTREAM_REJECTED"
    assert "secret" not in repr(reply)


def test_refund_of_a_payment_reads_its_charge_one_hop_away(billing: Stage, stripe: Stripe) -> None:
    reply = billing.written("refund_payment", {"payment": "pi_3OabcDEF12345678", "amount": 700})
    assert isinstance(reply, Success), reply
    assert reply.evidence is not None
    assert (reply.evidence.target.type, reply.evidence.target.id) == ("charge", CHARGE)
    assert form_of(stripe.writes[0])["payment_intent"] == "pi_3OabcDEF12345678"
    assert form_of(stripe.writes[0])["charge"] == CHARGE


def test_credit_note_with_a_price_before_it(billing: Stage, stripe: Stripe) -> None:
    arguments = {"invoice": "in_1OabcDEF12345678", "amount": 1200, "reason": "order_change"}

    async def story() -> None:
        async with billing.run() as run:
            proposal = await billing.proposed(run, "credit_invoice", **arguments)
            assert (await billing.shown(proposal))["preview"] == {"total": 1200}
            reply = await billing.commit(run, "credit_invoice", proposal)
            assert isinstance(reply, Success), reply
            assert reply.result["number"] == "A-1"

    asyncio.run(story())
    assert form_of(stripe.writes[0])["credit_amount"] == "1200"


def test_a_key_that_was_used_for_something_else(support: Stage, stripe: Stripe) -> None:
    stripe._refund = lambda form: httpx2.Response(  # type: ignore[method-assign]
        400, json={"error": {"type": "idempotency_error", "message": "secret"}}
    )
    reply = refunded(support)
    assert code_of(reply) == "IDEMPOTENCY_KEY_REUSED"
    assert "secret" not in repr(reply)
