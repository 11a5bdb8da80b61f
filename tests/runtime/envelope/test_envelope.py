"""The envelope, the closed set of codes, and evidence (R1, R2, E1)."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import Field, ValidationError

from toolcharter_runtime.codes import CASES, ErrorCode, NextAction
from toolcharter_runtime.contract import ToolArguments, ToolResult
from toolcharter_runtime.envelope import Details, Evidence, Failure, Problem, Success, TargetName

NO, DEPENDS, YES = False, None, True
TABLE: dict[str, tuple[bool | None, tuple[str, ...]]] = {
    "UNKNOWN_TOOL": (NO, ("choose_other_tool",)),
    "INVALID_ARGUMENT": (NO, ("fix_arguments",)),
    "TARGET_NOT_FOUND": (NO, ("fix_arguments", "propose_again")),
    "PRECONDITION_FAILED": (NO, ("propose_again", "fix_arguments")),
    "PREVIEW_UNAVAILABLE": (NO, ("escalate",)),
    "POLICY_DENIED": (NO, ("stop",)),
    "APPROVAL_PENDING": (NO, ("wait_for_approval",)),
    "APPROVAL_DENIED": (NO, ("propose_again", "stop")),
    "APPROVAL_EXPIRED": (NO, ("propose_again",)),
    "APPROVAL_WITHDRAWN": (NO, ("propose_again",)),
    "APPROVER_NOT_AUTHORIZED": (NO, ("escalate",)),
    "PROPOSAL_NOT_FOUND": (NO, ("propose_again",)),
    "PROPOSAL_CHANGED": (NO, ("propose_again",)),
    "CONTRACT_CHANGED": (NO, ("propose_again",)),
    "VERSION_CONFLICT": (NO, ("propose_again",)),
    "IDEMPOTENCY_KEY_REUSED": (NO, ("stop",)),
    "OPERATION_IN_PROGRESS": (YES, ("retry",)),
    "OPERATION_NOT_FOUND": (NO, ("stop",)),
    "RATE_LIMITED": (DEPENDS, ("wait", "propose_again")),
    "CONCURRENCY_LIMIT": (DEPENDS, ("wait", "propose_again")),
    "RUN_BUDGET_EXHAUSTED": (NO, ("stop",)),
    "UPSTREAM_UNAVAILABLE": (DEPENDS, ("wait", "propose_again")),
    "UPSTREAM_REJECTED": (NO, ("stop", "fix_arguments")),
    "UPSTREAM_CONTRACT_VIOLATION": (NO, ("escalate",)),
    "RESULT_TOO_LARGE": (NO, ("fix_arguments",)),
    "UNKNOWN_OUTCOME": (NO, ("wait_for_operator",)),
    "TIMEOUT": (YES, ("retry",)),
    "CANCELLED": (NO, ("stop",)),
    "INTERNAL": (NO, ("stop",)),
}


def test_the_table_of_codes_is_the_published_one() -> None:
    """R1: a closed set, each code with what follows from it."""
    assert {code: (case.retryable, case.next_actions) for code, case in CASES.items()} == TABLE
    assert set(get_args(ErrorCode)) == set(TABLE)
    assert {action for _, actions in TABLE.values() for action in actions} == set(
        get_args(NextAction)
    )


@pytest.mark.parametrize("code", get_args(ErrorCode))
def test_a_problem_takes_what_the_table_says(code: ErrorCode) -> None:
    problem = Problem.of(code)
    assert problem.to_json() == {
        "code": code,
        "message": CASES[code].message,
        "retryable": bool(TABLE[code][0]),
        "retry_after": None,
        "field": None,
        "next_action": TABLE[code][1][0],
        "details": None,
    }


def test_what_the_table_fixes_cannot_be_overridden() -> None:
    """R2: retryable means exactly that the same call may be made again."""
    with pytest.raises(ValueError, match="never says retry"):
        Problem.of("POLICY_DENIED", next_action="retry")
    with pytest.raises(ValueError, match="always retryable=False"):
        Problem.of("VERSION_CONFLICT", retryable=True)
    with pytest.raises(ValueError, match="has no details"):
        Problem.of("INTERNAL", details=Details(reason="x"))
    limited = Problem.of("RATE_LIMITED", retryable=True, retry_after=2.5)
    assert (limited.retryable, limited.retry_after, limited.next_action) == (True, 2.5, "wait")


def test_details_are_closed_per_code() -> None:
    """R1: `details` is closed per code."""
    given = Details(previous_version=7, current_version=8, expires_at="never", reason="because")
    shown = {
        code: Problem.of(code, details=given).to_json()["details"]
        for code in get_args(ErrorCode)
        if CASES[code].details
    }
    assert shown == {
        "APPROVAL_PENDING": {"expires_at": "never"},
        "APPROVAL_DENIED": {"reason": "because"},
        "VERSION_CONFLICT": {"previous_version": 7, "current_version": 8},
    }


def facts(**changed: Any) -> Evidence:
    given: dict[str, Any] = {
        "proposal_id": "pr_1",
        "target": TargetName("customer", "C-1"),
        "previous_version": 7,
        "new_version": 8,
        "changed_fields": ("line1",),
        "upstream_operation_id": "op-1",
        "committed_at": "2026-01-01T00:00:00Z",
        "approved_by": ("ada",),
        "version_check": "atomic",
        "proof": "answer",
        "absent": {"next_state": "the answer names none"},
    }
    return Evidence(**{**given, **changed})


def test_an_absent_fact_needs_a_reason() -> None:
    """E1: an absent fact is null with a reason, never invented."""
    with pytest.raises(ValueError, match="new_version, next_state"):
        facts(new_version=None, absent={})
    with pytest.raises(ValueError, match="refund"):
        facts(facts={"refund": None})
    assert (
        facts(new_version=None, absent={"new_version": "why", "next_state": "why"}).new_version
        is None
    )


def test_evidence_keeps_through_the_store() -> None:
    evidence = facts(facts={"refund": "re_1"}, effect_differs=True)
    assert Evidence.from_json(evidence.to_json()) == evidence
    assert set(evidence.to_json()) == {
        *(
            "proposal_id",
            "target",
            "previous_version",
            "new_version",
            "changed_fields",
            "next_state",
        ),
        *("upstream_operation_id", "committed_at", "approved_by", "self_approved", "version_check"),
        *("replayed", "attempts", "effect_differs", "proof", "resolved_by", "facts", "absent"),
    }


class Address(ToolArguments):
    line1: str
    line2: str | None = None


class Change(ToolArguments):
    customer: str
    class_: str | None = Field(default=None, alias="class")
    address: Address | None = None


class Customer(ToolResult):
    customer: str


def test_the_wire_form_is_one_envelope() -> None:
    """R1: one envelope, with a result or an error."""
    done = Success("completed", "rq", "rn", None, Customer(customer="C-1"), facts())
    assert done.ok
    assert done.to_json() == {
        "ok": True,
        "status": "completed",
        "request_id": "rq",
        "run_id": "rn",
        "operation_id": None,
        "result": {"customer": "C-1"},
        "evidence": facts().to_json(),
    }
    failed = Failure("unknown", "rq", "rn", "op", Problem.of("UNKNOWN_OUTCOME"))
    assert not failed.ok
    assert set(failed.to_json()) == {
        "ok",
        "status",
        "request_id",
        "run_id",
        "operation_id",
        "error",
    }


def test_absent_is_not_null() -> None:
    """C3: what was never set is absent, what was set to None is null."""
    assert Change(customer="C-1").to_json() == {"customer": "C-1"}
    change = Change(customer="C-1", class_=None, address=Address(line1="a", line2=None))
    assert change.to_json() == {
        "customer": "C-1",
        "class": None,
        "address": {"line1": "a", "line2": None},
    }
    assert Change.from_json(change.to_json()) == change


def test_models_are_closed_strict_and_frozen() -> None:
    with pytest.raises(ValidationError) as caught:
        Change.from_json({"customer": 7, "canary": 1})
    assert {error["type"] for error in caught.value.errors()} == {"string_type", "extra_forbidden"}
    assert "7" not in str(caught.value).replace("pydantic.dev/2", "")
    change = Change(customer="C-1")
    with pytest.raises(ValidationError):
        change.customer = "C-2"  # type: ignore[misc]
