"""What an answer means: the charter's rules, then the table (R5, V4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.runtime.upstream.contracts import contract, write
from toolcharter_runtime.frozen import AnswerRule, Success
from toolcharter_runtime.language import ABSENT, Scope
from toolcharter_runtime.upstream import Answer, Judgement, judge, parse_answer, retry_after

SCOPE = Scope({"day": "d"}, {"run": {"context": {"deployment": "D1"}}})


def rule(when: dict[str, Any], outcome: str, **given: Any) -> AnswerRule:
    return AnswerRule.model_validate({"when": when, "outcome": outcome, **given})


def verdict(
    tool: Any, status: int, body: Any = ABSENT, *, precondition: bool = True, **given: Any
) -> Judgement:
    got = Answer(status, given.pop("headers", {}), body, **given)
    return judge(tool, got, precondition_sent=precondition, scope=SCOPE)


READS = [
    (200, "completed", None),
    (201, "rejected", "UPSTREAM_CONTRACT_VIOLATION"),
    (204, "rejected", "UPSTREAM_CONTRACT_VIOLATION"),
    (301, "rejected", "UPSTREAM_CONTRACT_VIOLATION"),
    (304, "rejected", "UPSTREAM_CONTRACT_VIOLATION"),
    (400, "rejected", "UPSTREAM_REJECTED"),
    (401, "rejected", "UPSTREAM_REJECTED"),
    (404, "rejected", "TARGET_NOT_FOUND"),
    (408, "rejected", "UPSTREAM_UNAVAILABLE"),
    (409, "rejected", "UPSTREAM_REJECTED"),
    (410, "rejected", "TARGET_NOT_FOUND"),
    (412, "rejected", "UPSTREAM_REJECTED"),
    (425, "rejected", "UPSTREAM_UNAVAILABLE"),
    (429, "rejected", "RATE_LIMITED"),
    (500, "rejected", "UPSTREAM_UNAVAILABLE"),
    (503, "rejected", "UPSTREAM_UNAVAILABLE"),
    (508, "rejected", "UPSTREAM_UNAVAILABLE"),
]
WRITES = [
    (200, "completed", None),
    (201, "unknown", "UNKNOWN_OUTCOME"),
    (204, "unknown", "UNKNOWN_OUTCOME"),
    (301, "unknown", "UNKNOWN_OUTCOME"),
    (307, "unknown", "UNKNOWN_OUTCOME"),
    (400, "rejected", "UPSTREAM_REJECTED"),
    (404, "rejected", "UPSTREAM_REJECTED"),
    (408, "unknown", "UNKNOWN_OUTCOME"),
    (409, "rejected", "UPSTREAM_REJECTED"),
    (410, "rejected", "UPSTREAM_REJECTED"),
    (412, "rejected", "VERSION_CONFLICT"),
    (425, "unknown", "UNKNOWN_OUTCOME"),
    (429, "rejected", "RATE_LIMITED"),
    (500, "unknown", "UNKNOWN_OUTCOME"),
    (504, "unknown", "UNKNOWN_OUTCOME"),
]


@pytest.mark.parametrize(("status", "outcome", "code"), READS)
def test_the_read_column_of_the_table(status: int, outcome: str, code: str | None) -> None:
    """R5: the defaults of a read."""
    found = verdict(contract(), status)
    assert (found.outcome, found.code, found.by_rule) == (outcome, code, False)


@pytest.mark.parametrize(("status", "outcome", "code"), WRITES)
def test_the_write_column_of_the_table(status: int, outcome: str, code: str | None) -> None:
    """R5 and I6: the defaults of a write."""
    found = verdict(write(), status)
    assert (found.outcome, found.code, found.by_rule) == (outcome, code, False)


def test_412_is_a_conflict_only_where_a_precondition_was_sent() -> None:
    """V4."""
    assert verdict(write(), 412, precondition=False).code == "UPSTREAM_REJECTED"


def test_202_is_accepted_where_the_charter_follows() -> None:
    accepted = (Success(status="202", media="application/json"),)
    assert verdict(write(follow=True, successes=accepted), 202).outcome == "accepted"
    assert verdict(write(successes=accepted), 202).outcome == "completed"
    assert verdict(write(follow=True), 202).outcome == "unknown"


@pytest.mark.parametrize("status", ["2XX", "2xx"])
def test_a_range_declares_a_success(status: str) -> None:
    assert verdict(contract(successes=(Success(status=status),)), 206).outcome == "completed"


def test_a_body_that_cannot_be_had() -> None:
    """X5, E2: a read fails by it, a write stands."""
    assert verdict(contract(), 200, too_large=True).code == "RESULT_TOO_LARGE"
    assert verdict(contract(), 200, not_json=True).code == "UPSTREAM_CONTRACT_VIOLATION"
    assert verdict(write(), 200, not_json=True).outcome == "completed"
    assert verdict(write(), 200, too_large=True).outcome == "completed"
    assert verdict(contract(), 404, not_json=True).code == "TARGET_NOT_FOUND"


def test_the_first_rule_that_holds_decides() -> None:
    """R5: failure markers inside a 2xx body included (Slack)."""
    tool = write(
        rule({"/error": ["ratelimited"]}, "rejected", code="RATE_LIMITED"),
        rule({"/error": ["internal_error"]}, "unknown"),
        rule({"/ok": False}, "rejected", code="UPSTREAM_REJECTED"),
        rule({"/ok": True}, "completed"),
    )
    assert verdict(tool, 200, {"ok": True}) == Judgement("completed", by_rule=True)
    assert verdict(tool, 200, {"ok": False}).code == "UPSTREAM_REJECTED"
    assert verdict(tool, 200, {"ok": False, "error": "ratelimited"}).code == "RATE_LIMITED"
    assert verdict(tool, 200, {"ok": False, "error": "internal_error"}).outcome == "unknown"
    assert verdict(tool, 200, {"ok": 1}).outcome == "unknown"
    assert verdict(tool, 200, not_json=True).outcome == "unknown"


def test_where_rules_say_what_completes_nothing_else_does() -> None:
    """Charter.md: declared 2xx, while no rule says completed or accepted."""
    tool = write(rule({"http": 200, "/merged": True}, "completed"))
    assert verdict(tool, 200, {"merged": False}).outcome == "unknown"
    only_refusals = write(rule({"http": 409}, "rejected", code="VERSION_CONFLICT"))
    assert verdict(only_refusals, 200, {}).outcome == "completed"
    assert verdict(only_refusals, 409).code == "VERSION_CONFLICT"


def test_a_rule_names_field_replay_and_the_runs_values() -> None:
    """Prefect, as measured: new is 201, replay is 200, a bad argument is 409."""
    tool = write(
        rule({"http": 201, "/deployment_id": "{$run.context.deployment}"}, "completed"),
        rule(
            {"http": 200, "/deployment_id": "{$run.context.deployment}"}, "completed", replayed=True
        ),
        rule({"http": 409}, "rejected", code="INVALID_ARGUMENT", field="destination.day"),
        rule({"header.X-Retry": "no", "http": 400}, "rejected"),
    )
    assert verdict(tool, 201, {"deployment_id": "D1"}) == Judgement("completed", by_rule=True)
    assert verdict(tool, 200, {"deployment_id": "D1"}).replayed
    assert verdict(tool, 200, {"deployment_id": "D2"}).outcome == "unknown"
    refused = verdict(tool, 409)
    assert (refused.code, refused.field) == ("INVALID_ARGUMENT", "/destination/day")
    assert verdict(tool, 400, headers={"x-retry": "no"}).by_rule


def test_a_mixed_result_is_unknown() -> None:
    tool = write(rule({"/results/*/status": "ACCEPT"}, "completed"))
    assert verdict(tool, 200, {"results": [{"status": "ACCEPT"}] * 2}).outcome == "completed"
    mixed = {"results": [{"status": "ACCEPT"}, {"status": "REJECT"}]}
    assert verdict(tool, 200, mixed).outcome == "unknown"


def test_an_unknown_rule_of_a_read_is_no_unknown_outcome() -> None:
    found = verdict(contract(answers=(rule({"http": 409}, "unknown"),)), 409)
    assert (found.outcome, found.code) == ("rejected", "UPSTREAM_UNAVAILABLE")


NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("86400", 86400.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("Thursday, 01-Jan-26 12:00:30 GMT", 30.0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("9" * 500, 999999999.0),
        ("Thu, 01 Jan 99999999999999999999 12:00:30 GMT", None),
        ("Thu, 01 Jan 2026 12:00:30 +99999999999999999999", None),
    ],
)
def test_case_43_retry_after_in_both_forms(text: str, seconds: float | None) -> None:
    """R3, case 43: as date and as seconds."""
    assert retry_after({"retry-after": text}, NOW) == seconds
    assert retry_after({}, NOW) is None


def test_an_answer_may_hold_more_than_an_argument() -> None:
    got = parse_answer(
        200, {"content-type": "application/json"}, b'{"n": 123456789012345678901, "s": "\\ud83d"}'
    )
    assert got.body == {"n": 123456789012345678901, "s": "\ud83d"}
