"""The generated package against the real customer service: every tool, every fault, and the ledger as the judge."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crm_tools import catalog

from tests.people import People
from toolcharter_runtime import Boundary, Caller, Credential, Failure, Success, Upstream
from toolcharter_runtime.blocking import BlockingBoundary, BlockingRun
from upstreams.crm import CrmServer

CALLER = Caller(tenant="acme", agent="assistant", person="nina")
GROUPS = {"lena": "support_lead", "fay": "finance", "finn": "finance", "omar": "operators"}
MOVE = {
    "customer": "C-1842",
    "reason": "moved",
    "destination": {"kind": "saved", "address": "A-2002"},
}
NEW = {"kind": "new", "line1": "Kaigata 1", "city": "Oslo", "postal_code": "0154", "country": "NO"}
EMAIL = {"customer": "C-1842", "subject": "Your move", "text": "We have your new address."}
EXPORT = {"kind": "customers", "format": "csv"}
Reply = Success[Any] | Failure[Any]


class Table:
    """The boundary, the service and the people who approve."""

    def __init__(self, crm: CrmServer, edge: BlockingBoundary, people: People) -> None:
        self.crm, self.edge, self.people = crm, edge, people

    def run(self, role: str = "support_agent") -> Any:
        return self.edge.run(role=role, caller=CALLER, purpose="production")

    def propose(
        self, run: BlockingRun, tool: str, arguments: dict[str, Any], *people: str
    ) -> dict[str, str]:
        reply = run.call(f"preview_{tool}", arguments)
        assert isinstance(reply, Success), reply
        for person in people:
            self.people.approve(reply.result["proposal_id"], person)
        return {"proposal_id": reply.result["proposal_id"]}

    def commit(self, run: BlockingRun, tool: str, arguments: dict[str, Any], *people: str) -> Reply:
        return run.call(f"commit_{tool}", self.propose(run, tool, arguments, *people))


@pytest.fixture
def table(crm: CrmServer, tmp_path: Path) -> Iterator[Table]:
    people = People(tmp_path, "acme", GROUPS).open()
    boundary = Boundary(
        catalog,
        upstream=Upstream(crm.url, auth=lambda *_: Credential.bearer(crm.token)),
        store=people.store,
        approvers=people.approvers,
        desk_keys=[people.public_key],
    )
    with boundary.blocking() as edge:
        yield Table(crm, edge, people)


def code(reply: Reply) -> str:
    return reply.error.code if isinstance(reply, Failure) else reply.status


def result(reply: Reply) -> Any:
    assert isinstance(reply, Success), reply
    return reply.result


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (
            "get_customer",
            {"customer": "C-1842"},
            {"customer": "C-1842", "version": 17, "city": "Porto"},
        ),
        (
            "get_address",
            {"customer": "C-1842", "address": "A-2002"},
            {"address": "A-2002", "city": "Braga"},
        ),
        (
            "get_envelope",
            {"message": "M-3001"},
            {"message": "M-3001", "customer": "C-1842", "read": False},
        ),
        (
            "get_payment",
            {"payment": "P-4001"},
            {"payment": "P-4001", "amount": 4900, "currency": "EUR"},
        ),
    ],
)
def test_one_thing_is_read(
    table: Table, tool: str, arguments: Any, expected: dict[str, Any]
) -> None:
    with table.run() as run:
        shown = result(run.call(tool, arguments))
    assert {name: shown[name] for name in expected} == expected
    assert table.crm.control.ledger() == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_customer", {"customer": "C-9999"}),
        ("get_address", {"customer": "C-1843", "address": "A-2002"}),
    ],
)
def test_what_is_not_there_is_not_found(table: Table, tool: str, arguments: Any) -> None:
    with table.run() as run:
        assert code(run.call(tool, arguments)) == "TARGET_NOT_FOUND"


def test_confidential_members_never_come_out(table: Table) -> None:
    """T2, X5: the tax id is not listed, the e-mail address is masked."""
    with table.run() as run:
        shown = result(run.call("get_customer", {"customer": "C-1842"}))
        found = result(
            run.call(
                "search_customers", {"filter": {"kind": "email", "email": "lena.vogel@example.org"}}
            )
        )
    assert "marta.oliveira@" not in str(shown)
    assert "TAX" not in str(shown) + str(found)
    assert [row["customer"] for row in found["customers"]] == ["C-1845"]


def test_a_message_is_opened_by_policy_and_marked(table: Table) -> None:
    """PL3: a policy that asks nobody approves at preview; the GET is a write all the same."""
    with table.run() as run:
        reply = table.commit(run, "message_reading", {"message": "M-3001"})
        assert result(reply)["body"].startswith("My new address")
        assert result(run.call("get_envelope", {"message": "M-3001"}))["read"] is True
    assert [effect.operation for effect in table.crm.control.ledger()] == ["readMessage"]


def test_a_small_refund_takes_one_lead_and_a_large_one_two_of_finance(table: Table) -> None:
    """PL1, P7: rows over the amount and the payment's own currency."""
    small = {"payment": "P-4001", "amount": 900, "reason": "duplicate"}
    large = {"payment": "P-4003", "amount": 20000, "reason": "defective"}
    with table.run("refund_agent") as run:
        first = table.commit(run, "refund", small, "lena")
        waiting = table.propose(run, "refund", large, "fay")
        assert code(run.call("commit_refund", waiting)) == "APPROVAL_PENDING"
        table.people.approve(waiting["proposal_id"], "finn")
        second = run.call("commit_refund", waiting)
    assert (result(first)["amount"], result(first)["currency"]) == (900, "EUR")
    assert first.evidence is not None
    assert (first.evidence.previous_version, first.evidence.new_version) == (1, 2)
    assert result(second)["currency"] == "GBP"
    assert [effect.effect["amount"] for effect in table.crm.control.ledger()] == [900, 20000]


def test_a_refund_of_more_than_is_left_is_refused_at_preview(table: Table) -> None:
    arguments = {"payment": "P-4001", "amount": 4901, "reason": "goodwill"}
    with table.run("refund_agent") as run:
        assert code(run.call("preview_refund", arguments)) == "PRECONDITION_FAILED"
        assert (
            code(run.call("preview_refund", arguments | {"payment": "P-4004", "amount": 1}))
            == "PRECONDITION_FAILED"
        )


def test_an_address_of_somebody_else_is_refused_at_preview(table: Table) -> None:
    wrong = MOVE | {"destination": {"kind": "saved", "address": "A-2011"}}
    with table.run() as run:
        assert code(run.call("preview_address_change", wrong)) in {
            "PRECONDITION_FAILED",
            "TARGET_NOT_FOUND",
        }
    assert table.crm.control.ledger() == []


def test_an_email_is_sent_once(table: Table) -> None:
    with table.run() as run:
        reply = table.commit(run, "customer_email", EMAIL, "lena")
    assert result(reply)["delivery"] == "sent"
    assert [effect.target for effect in table.crm.control.ledger(operation="sendEmail")] == [
        "C-1842"
    ]


FAULTY = [("address_change", MOVE, "changeAddress"), ("customer_email", EMAIL, "sendEmail")]


@pytest.mark.parametrize(("tool", "arguments", "operation"), FAULTY)
@pytest.mark.parametrize("kind", ["apply_then_drop", "apply_then_500"])
def test_an_effect_whose_answer_is_lost_is_found_by_its_key(
    table: Table, tool: str, arguments: Any, operation: str, kind: str
) -> None:
    """I6: asked by key; one request, one effect, proved by the effect itself."""
    table.crm.control.fault(operation, kind)
    with table.run() as run:
        reply = table.commit(run, tool, arguments, "lena")
    assert isinstance(reply, Success), reply
    assert (reply.evidence.proof, reply.evidence.resolved_by) == ("effect", "status")
    sent = [entry for entry in table.crm.control.requests() if entry["operation"] == operation]
    assert (len(sent), len(table.crm.control.ledger())) == (1, 1)


@pytest.mark.parametrize(
    "fault", [{"kind": "drop"}, {"kind": "unavailable"}, {"kind": "apply_then_drop"}]
)
def test_what_nobody_knows_goes_to_an_operator(table: Table, fault: dict[str, Any]) -> None:
    """I6, I7: unknown pauses writes, reads go on; an operator closes it; never a second request."""
    table.crm.control.fault("changeAddress", **fault)
    table.crm.control.fault("getOperationByKey", "unavailable", times=None)
    with table.run() as run:
        proposal = table.propose(run, "address_change", MOVE, "lena")
        assert code(run.call("commit_address_change", proposal)) == "UNKNOWN_OUTCOME"
        assert code(run.call("get_customer", {"customer": "C-1842"})) == "completed"
        assert code(run.call("preview_customer_email", EMAIL)) == "UNKNOWN_OUTCOME"
        (item,) = table.people.listed("unknown")
        applied = any(
            effect.key == item["idempotency_key"] for effect in table.crm.control.ledger()
        )
        outcome = "confirmed_done" if applied else "confirmed_not_done"
        words = (
            "settle",
            item["operation_id"],
            "--outcome",
            outcome,
            "--reason",
            "The ledger says so",
            "--yes",
        )
        table.people.command(*words, person="omar")
        closed = run.call("commit_address_change", proposal)
        assert isinstance(closed, Success) == applied
        assert code(run.call("preview_customer_email", EMAIL)) == "completed"
    sent = [
        entry for entry in table.crm.control.requests() if entry["operation"] == "changeAddress"
    ]
    assert (len(sent), len(table.crm.control.ledger())) == (1, int(applied))


def test_a_malformed_success_is_asked_after(table: Table) -> None:
    """An answer that no rule reads as an outcome proves nothing; the key does."""
    table.crm.control.fault("changeAddress", "malformed_success")
    with table.run() as run:
        reply = table.commit(run, "address_change", MOVE, "lena")
    assert isinstance(reply, Success), reply
    assert (reply.evidence.proof, reply.evidence.resolved_by) == ("effect", "status")
    assert len(table.crm.control.ledger()) == 1


def test_a_success_without_its_view_stands_as_an_effect(table: Table) -> None:
    """E2: the effect is not undone; what came out is withheld."""
    table.crm.control.fault(
        "changeAddress", "malformed_success", body='{"id": 17, "status": "succeeded"}'
    )
    with table.run() as run:
        reply = table.commit(run, "address_change", MOVE, "lena")
    assert isinstance(reply, Failure)
    assert reply.error.code == "UPSTREAM_CONTRACT_VIOLATION"
    assert (reply.status, reply.evidence is not None) == ("completed", True)
    assert len(table.crm.control.ledger()) == 1


def test_a_rate_limit_before_the_effect_is_told_with_its_time(table: Table) -> None:
    """I11: the default spends the approval."""
    table.crm.control.fault("changeAddress", "rate_limited", seconds=7)
    with table.run() as run:
        reply = table.commit(run, "address_change", MOVE, "lena")
    assert isinstance(reply, Failure)
    assert (reply.error.code, reply.error.retryable) == ("RATE_LIMITED", False)
    assert table.crm.control.ledger() == []


def test_a_kept_approval_may_be_committed_again_after_a_rate_limit(table: Table) -> None:
    """I11, R2: `after_transient: keep`."""
    table.crm.control.fault("createRefund", "rate_limited", seconds=0)
    with table.run("refund_agent") as run:
        proposal = table.propose(
            run, "refund", {"payment": "P-4001", "amount": 900, "reason": "duplicate"}, "lena"
        )
        first = run.call("commit_refund", proposal)
        assert isinstance(first, Failure)
        assert (first.error.code, first.error.retryable) == ("RATE_LIMITED", True)
        assert code(run.call("commit_refund", proposal)) == "completed"
    assert len(table.crm.control.ledger()) == 1


def test_a_change_for_an_old_version_is_not_even_sent(table: Table) -> None:
    """V2, P12: the versions of both sides stand in the refusal."""
    with table.run() as run:
        proposal = table.propose(run, "address_change", MOVE, "lena")
        table.crm.control.touch("C-1842")
        assert_conflict(run.call("commit_address_change", proposal))
    assert "changeAddress" not in {entry["operation"] for entry in table.crm.control.requests()}


def test_a_change_that_lost_a_race_is_the_services_own_412(table: Table) -> None:
    """V4: the customer changes while the request is under way; 412 on the first send is a conflict, for good."""
    table.crm.control.fault("changeAddress", "delay", seconds=1.0)
    with table.run() as run:
        proposal = table.propose(run, "address_change", MOVE, "lena")
        racing = threading.Timer(0.5, table.crm.control.touch, ["C-1842"])
        racing.start()
        assert_conflict(run.call("commit_address_change", proposal))
        racing.join()
        assert_conflict(run.call("commit_address_change", proposal))
    sent = [
        entry["status"]
        for entry in table.crm.control.requests()
        if entry["operation"] == "changeAddress"
    ]
    assert sent == [412]
    assert table.crm.control.ledger() == []


def assert_conflict(reply: Reply) -> None:
    assert isinstance(reply, Failure), reply
    assert reply.error.code == "VERSION_CONFLICT"
    details = reply.error.details
    assert details is not None
    assert (details.previous_version, details.current_version) == (17, 18)


@pytest.mark.parametrize(
    ("tool", "arguments", "operation", "people"),
    [
        ("export", EXPORT, "startExport", ["lena"]),
        ("message_reading", {"message": "M-3001"}, "readMessage", []),
    ],
)
def test_what_may_be_sent_again_is_sent_again_after_the_question(
    table: Table, tool: str, arguments: Any, operation: str, people: list[str]
) -> None:
    """I5: an honored key, or a natural repeat, asked after first; the same key, and one effect."""
    table.crm.control.fault(operation, "drop")
    with table.run() as run:
        reply = table.commit(run, tool, arguments, *people)
    assert isinstance(reply, Success), reply
    sent = [
        entry["key"] for entry in table.crm.control.requests() if entry["operation"] == operation
    ]
    assert (len(sent), len(set(sent))) == (2, 1)
    assert [effect.operation for effect in table.crm.control.ledger()] == [operation]


def test_a_lost_export_is_found_and_followed(table: Table) -> None:
    """I6, O1: a match that is queued is accepted, and polled."""
    table.crm.control.fault("startExport", "apply_then_drop")
    with table.run() as run:
        begun = table.commit(run, "export", EXPORT, "lena")
        assert begun.status == "accepted"
        table.crm.control.move_exports(seconds=0.05)
        assert followed(run, begun.operation_id)["state"] == "succeeded"
    assert len(table.crm.control.ledger()) == 1


def followed(run: BlockingRun, operation_id: str | None) -> dict[str, Any]:
    """Return the operation when it has ended."""
    deadline = time.monotonic() + 20
    while True:
        shown: dict[str, Any] = result(run.call("get_operation", {"operation_id": operation_id}))
        if shown["state"] not in {"queued", "running"}:
            return shown
        assert time.monotonic() < deadline, shown
        time.sleep(0.05)


def test_an_export_is_followed_to_its_end(table: Table) -> None:
    """O1, O4: accepted with a handle; polled; the finished export is read by a tool."""
    with table.run() as run:
        proposal = table.propose(run, "export", EXPORT, "lena")
        begun = run.call("commit_export", proposal)
        assert (begun.status, begun.operation_id is not None) == ("accepted", True)
        table.crm.control.move_exports(seconds=0.05)
        assert followed(run, begun.operation_id)["state"] == "succeeded"
        done = run.call("commit_export", proposal)
        assert isinstance(done, Success), done
        assert (done.status, done.evidence.next_state) == ("completed", "succeeded")
        shown = result(run.call("get_export", {"export": done.result["export"]}))
    assert (shown["rows"], len(shown["sha256"])) == (54, 64)
    assert len(table.crm.control.ledger(operation="startExport")) == 1


def test_an_export_that_fails_is_told(table: Table) -> None:
    with table.run() as run:
        proposal = table.propose(run, "export", EXPORT, "lena")
        begun = run.call("commit_export", proposal)
        table.crm.control.step(result(begun)["operation"], "failed", "the disk is full")
        ended = followed(run, begun.operation_id)
        assert (ended["state"], ended["reason"]) == ("failed", "the disk is full")
        assert code(run.call("commit_export", proposal)) == "UPSTREAM_REJECTED"


def test_an_export_is_cancelled(table: Table) -> None:
    """O3: cancelled by the charter's own tool, without a person."""
    with table.run() as run:
        begun = table.commit(run, "export", EXPORT, "lena")
        stopped = result(run.call("cancel_operation", {"operation_id": begun.operation_id}))
        assert (stopped["answer"], stopped["state"]) == ("stopped", "cancelled")
        again = result(run.call("cancel_operation", {"operation_id": begun.operation_id}))
        assert again["answer"] == "already_finished"
    operations = [effect.operation for effect in table.crm.control.ledger()]
    assert operations == ["startExport", "cancelOperation"]


def test_a_new_address_with_its_branch_and_only_its_branch(table: Table) -> None:
    """The tagged union arrives as it was given; fields of the other branch are refused with their place."""
    with table.run() as run:
        mixed = MOVE | {"destination": NEW | {"address": "A-2002"}}
        refused = run.call("preview_address_change", mixed)
        assert isinstance(refused, Failure)
        assert (refused.error.code, refused.error.field) == (
            "INVALID_ARGUMENT",
            "/destination/address",
        )
        reply = table.commit(run, "address_change", MOVE | {"destination": NEW}, "lena")
        assert code(reply) == "completed"
        shown = result(run.call("get_customer", {"customer": "C-1842"}))
    assert {name: shown[name] for name in ("line1", "city", "country")} == {
        "line1": "Kaigata 1",
        "city": "Oslo",
        "country": "NO",
    }


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"customer": "1842"}, "/customer"),
        ({"reason": "because"}, "/reason"),
        ({"effective_on": "2026-02-30"}, "/effective_on"),
        ({"destination": {"kind": "other"}}, "/destination/kind"),
        ({"idempotency_key": "k"}, "/<unknown>"),
        ({"if_match": '"17"'}, "/<unknown>"),
        ({"customer": "C-1842/../C-1843"}, "/customer"),
    ],
)
def test_bad_arguments_are_refused_at_their_own_place(
    table: Table, arguments: Any, field: str
) -> None:
    """X1, X3, R4: refused before anything is sent."""
    with table.run() as run:
        reply = run.call("preview_address_change", MOVE | arguments)
    assert isinstance(reply, Failure)
    assert (reply.error.code, reply.error.field) == ("INVALID_ARGUMENT", field)
    assert table.crm.control.requests() == []
