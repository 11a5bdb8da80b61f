"""A capture: the order is COMPLETED while the capture was declined, so only the nested state counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.upstream.credentials import Credential

from .stage import Fake, Stage, code_of, json_of

ORDER = "5O190127TN364715T"


class PayPal(Fake):
    """One order that the buyer approved; a key that is known replays its first answer with 200."""

    def __init__(self) -> None:
        super().__init__()
        self.amount = {"currency_code": "EUR", "value": "100.00"}
        self.status, self.capture_status = "APPROVED", "COMPLETED"
        self.captures: list[dict[str, Any]] = []
        self.by_key: dict[str, dict[str, Any]] = {}

    def order(self) -> dict[str, Any]:
        unit: dict[str, Any] = {"reference_id": "default", "amount": self.amount}
        if self.captures:
            unit["payments"] = {"captures": self.captures}
        return {
            "id": ORDER,
            "intent": "CAPTURE",
            "status": self.status,
            "purchase_units": [unit],
        }

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            return httpx2.Response(200, json=self.order())
        assert request.headers["prefer"] == "return=representation"
        key = request.headers["paypal-request-id"]
        if key in self.by_key:
            return httpx2.Response(200, json=self.by_key[key])
        self.captures.append({"id": "3C679366HH908993F", "status": self.capture_status})
        self.status = "COMPLETED"
        self.by_key[key] = self.order()
        return httpx2.Response(201, json=self.by_key[key])


@pytest.fixture
def paypal() -> PayPal:
    return PayPal()


@pytest.fixture
def till(stage: Callable[..., Stage], paypal: PayPal) -> Stage:
    return stage("paypal", paypal, "cashier", credential=Credential.bearer("t"))


def captured(
    till: Stage, meanwhile: Callable[[], Any] = dict
) -> tuple[Success[Any] | Failure[Any], str]:
    async def story() -> tuple[Success[Any] | Failure[Any], str]:
        async with till.run() as run:
            proposal = await till.proposed(run, "capture_order", order=ORDER)
            meanwhile()
            return await till.commit(run, "capture_order", proposal), proposal["effect"]

    return asyncio.run(story())


def test_captured(till: Stage, paypal: PayPal) -> None:
    reply, effect = captured(till)
    assert effect == f"Take 100.00 EUR for order {ORDER}"
    assert isinstance(reply, Success), reply
    assert reply.result == {"capture": "3C679366HH908993F", "capture_status": "COMPLETED"}
    assert json_of(paypal.writes[0]) == {}
    assert reply.evidence is not None
    assert reply.evidence.upstream_operation_id == "3C679366HH908993F"


@pytest.mark.parametrize("status", ["DECLINED", "FAILED"])
def test_declined_while_the_order_says_completed(till: Stage, paypal: PayPal, status: str) -> None:
    paypal.capture_status = status
    reply, _ = captured(till)
    assert paypal.status == "COMPLETED"
    assert code_of(reply) == "UPSTREAM_REJECTED"


def test_pending_is_accepted(till: Stage, paypal: PayPal) -> None:
    paypal.capture_status = "PENDING"
    reply, _ = captured(till)
    assert isinstance(reply, Success), reply
    assert (reply.status, reply.result["capture_status"]) == ("accepted", "PENDING")


def test_a_state_that_no_rule_names_is_unknown(till: Stage, paypal: PayPal) -> None:
    paypal.capture_status = "PARTIALLY_REFUNDED"
    assert code_of(captured(till)[0]) == "UNKNOWN_OUTCOME"


def test_a_lost_answer_proves_the_state(till: Stage, paypal: PayPal) -> None:
    paypal.loses = 1
    reply, _ = captured(till)
    assert isinstance(reply, Success), reply
    assert reply.evidence is not None
    assert (reply.evidence.proof, len(paypal.writes)) == ("state", 1)


def test_a_lost_answer_of_a_declined_capture_stays_unknown(till: Stage, paypal: PayPal) -> None:
    paypal.loses, paypal.capture_status = 1, "DECLINED"
    assert code_of(captured(till)[0]) == "UNKNOWN_OUTCOME"


def test_an_amount_that_changed_is_a_conflict(till: Stage, paypal: PayPal) -> None:
    reply, _ = captured(till, lambda: paypal.amount.update(value="900.00"))
    assert code_of(reply) == "VERSION_CONFLICT"
    assert paypal.writes == []
