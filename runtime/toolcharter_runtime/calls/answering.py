"""Replies from stored executions: the same answer whoever asks, and whenever (I2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from toolcharter_runtime.approvals import outcome_counts
from toolcharter_runtime.codes import CASES, ErrorCode
from toolcharter_runtime.envelope import (
    Details,
    Evidence,
    Failure,
    Problem,
    Status,
    Success,
    TargetName,
)
from toolcharter_runtime.records import ExecutionRow, Proposal
from toolcharter_runtime.values import as_map

from .call import Call

__all__ = [
    "Reply",
    "answer_of",
    "failed",
    "in_progress",
    "problem_from_json",
    "unknown_outcome",
    "unseen_evidence",
]

_OF_THE_OUTCOME: Final = (
    "new_version",
    "changed_fields",
    "next_state",
    "upstream_operation_id",
    "committed_at",
    "proof",
)

Reply: TypeAlias = "Success[Any] | Failure[ErrorCode]"


def answer_of(call: Call, proposal: Proposal, execution: ExecutionRow, *, replayed: bool) -> Reply:
    """Return the reply that an execution stands for."""
    if execution.state == "sent":
        return in_progress(call, execution)
    counts = outcome_counts(execution, proposal, call.parts.desk_keys)
    if execution.state in ("unknown", "abandoned") or not counts:
        return unknown_outcome(call, execution)
    evidence = _evidence(call, proposal, execution, replayed=replayed)
    if execution.problem is not None:
        status: Status = "completed" if execution.state == "succeeded" else "rejected"
        problem = problem_from_json(execution.problem)
        shown = evidence if execution.state == "succeeded" else None
        return Failure(
            status, call.request_id, call.run.run_id, execution.execution_id, problem, shown
        )
    if execution.state in ("failed", "cancelled"):
        code: ErrorCode = "CANCELLED" if execution.state == "cancelled" else "UPSTREAM_REJECTED"
        return failed(call, Problem.of(code), execution)
    is_open = execution.state == "accepted" or _map(execution.handle).get("status") == "accepted"
    return Success(
        "accepted" if is_open else "completed",
        call.request_id,
        call.run.run_id,
        execution.execution_id,
        execution.result or {},
        evidence,
    )


def in_progress(call: Call, execution: ExecutionRow | None) -> Reply:
    """Return the reply while another caller carries the operation out."""
    problem = Problem.of("OPERATION_IN_PROGRESS", retry_after=1.0)
    operation_id = execution.execution_id if execution is not None else None
    return Failure("accepted", call.request_id, call.run.run_id, operation_id, problem)


def unknown_outcome(call: Call, execution: ExecutionRow) -> Reply:
    """Return the reply while nobody knows whether the write took effect; what was kept of it is in the evidence."""
    return Failure(
        "unknown",
        call.request_id,
        call.run.run_id,
        execution.execution_id,
        Problem.of("UNKNOWN_OUTCOME"),
        _stored(execution) if execution.state == "unknown" else None,
    )


def failed(call: Call, problem: Problem[ErrorCode], execution: ExecutionRow) -> Reply:
    """Return the reply of an execution that had no effect."""
    return Failure("rejected", call.request_id, call.run.run_id, execution.execution_id, problem)


def problem_from_json(value: dict[str, Any]) -> Problem[ErrorCode]:
    """Return a stored problem; its code is of the closed set."""
    code: ErrorCode = value["code"] if value["code"] in CASES else "INTERNAL"
    details = value.get("details")
    return Problem(
        code,
        value["message"],
        value["retryable"],
        value["retry_after"],
        value["field"],
        value["next_action"],
        None if details is None else Details(**details),
    )


def unseen_evidence(
    call: Call,
    proposal: Proposal,
    *,
    approved_by: tuple[str, ...] = (),
    self_approved: bool = False,
    seen: Mapping[str, Any] | None = None,
) -> Evidence:
    """Return the evidence of a write whose outcome was not seen: what was known before it, and nothing invented.

    `seen` is what an answer said that decided nothing: the items of a mixed bulk result.
    """
    why = "the outcome was not seen"
    own = call.write.evidence.facts
    absent = dict.fromkeys((*_OF_THE_OUTCOME, *own), why)
    previous = proposal.target["version"]
    if previous is None:
        absent["previous_version"] = "the target has no version"
    return Evidence(
        proposal_id=proposal.proposal_id,
        target=TargetName(proposal.target["type"], proposal.target["id"]),
        previous_version=previous,
        approved_by=approved_by,
        self_approved=self_approved,
        version_check=proposal.target["check"],
        facts={**dict.fromkeys(own), **(seen or {})},
        absent=absent,
    )


def _evidence(
    call: Call, proposal: Proposal, execution: ExecutionRow, *, replayed: bool
) -> Evidence | None:
    if execution.state != "succeeded":
        return None
    evidence = _stored(execution) or unseen_evidence(call, proposal)
    return replace(
        evidence,
        replayed=evidence.replayed or replayed,
        resolved_by=evidence.resolved_by or execution.resolved_by,
    )


def _stored(execution: ExecutionRow) -> Evidence | None:
    """Return the evidence that was recorded; what was asked beside it is the operator's."""
    stored = {key: value for key, value in _map(execution.evidence).items() if key != "asked"}
    if "version_check" not in stored:
        return None
    return Evidence.from_json({**stored, "attempts": execution.attempts})


def _map(value: Any) -> Mapping[str, Any]:
    return as_map(value) or {}
