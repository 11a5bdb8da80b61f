"""Replies from stored executions: the same answer whoever asks, and whenever (I2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from .approvals import outcome_counts
from .codes import CASES, ErrorCode
from .envelope import Details, Evidence, Failure, Problem, Status, Success, TargetName
from .parts import Call
from .records import ExecutionRow, Proposal
from .values import as_map

__all__ = ["Reply", "answer_of", "failed", "in_progress", "problem_from_json", "unknown_outcome"]

Reply: TypeAlias = "Success[Any] | Failure[ErrorCode]"


def answer_of(call: Call, proposal: Proposal, execution: ExecutionRow, *, replayed: bool) -> Reply:
    """Return the reply that an execution stands for."""
    if execution.state == "sent":
        return in_progress(call, execution)
    counts = outcome_counts(execution, proposal, call.parts.desk_keys)
    if execution.state in ("unknown", "abandoned") or not counts:
        return unknown_outcome(call, execution)
    evidence = _evidence(proposal, execution, replayed=replayed)
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
    is_open = execution.state == "accepted" or _handle(execution).get("status") == "accepted"
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
    """Return the reply while nobody knows whether the write took effect."""
    return Failure(
        "unknown",
        call.request_id,
        call.run.run_id,
        execution.execution_id,
        Problem.of("UNKNOWN_OUTCOME"),
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


def _handle(execution: ExecutionRow) -> Mapping[str, Any]:
    return as_map(execution.handle) or {}


def _evidence(proposal: Proposal, execution: ExecutionRow, *, replayed: bool) -> Evidence | None:
    if execution.state != "succeeded":
        return None
    stored = as_map(execution.evidence)
    if stored is None or "version_check" not in stored:
        return _settled(proposal, execution)
    evidence = Evidence.from_json(stored)
    return replace(evidence, replayed=evidence.replayed or replayed)


def _settled(proposal: Proposal, execution: ExecutionRow) -> Evidence:
    """Return the evidence of an outcome that an operator confirmed: what they said, and nothing invented."""
    why = "an operator confirmed the outcome"
    names = ("new_version", "changed_fields", "next_state", "upstream_operation_id", "committed_at")
    absent: dict[str, str] = dict.fromkeys((*names, "proof"), why)
    previous = proposal.target["version"]
    if previous is None:
        absent["previous_version"] = "the target has no version"
    facts = as_map(execution.evidence) or {}
    return Evidence(
        proposal_id=proposal.proposal_id,
        target=TargetName(proposal.target["type"], proposal.target["id"]),
        previous_version=previous,
        version_check=proposal.target["check"],
        attempts=execution.attempts,
        replayed=True,
        resolved_by=execution.resolved_by,
        facts={name: value for name, value in facts.items() if value is not None},
        absent=absent,
    )
