"""From what is known of a send to what is stored of it: result, evidence, problem (E1, E2, I10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcharter_runtime import frozen
from toolcharter_runtime.codes import CASES, ErrorCode
from toolcharter_runtime.envelope import Details, Problem
from toolcharter_runtime.language import UNSET, Scope, references, render
from toolcharter_runtime.records import ExecutionRow, Outcome, Proposal
from toolcharter_runtime.upstream.errors import Violation

from .answering import unseen_evidence
from .call import Call
from .evidence import Approval, Effect, gather
from .outcome import Conclusion
from .views import show, show_match

__all__ = ["conclude", "problem_of"]


async def conclude(
    call: Call,
    proposal: Proposal,
    approval: Approval,
    execution: ExecutionRow,
    conclusion: Conclusion,
    scope: Scope,
) -> Outcome:
    """Return the outcome to record; a broken answer never undoes the effect (E2)."""
    if conclusion.state in ("failed", "cancelled", "unknown"):
        return _without_effect(call, proposal, approval, conclusion)
    is_accepted = conclusion.state == "accepted"
    if is_accepted and _can_follow(call, conclusion, scope):
        return Outcome(
            state="accepted",
            result=_result(call, conclusion),
            handle={"answer": dict(_kept(call.write, conclusion.values))},
            resolved_by=conclusion.resolved_by,
        )
    evidence = await gather(
        call,
        proposal,
        scope,
        Effect(
            answer=conclusion.values,
            proof=conclusion.proof,
            replayed=conclusion.replayed,
            attempts=execution.attempts,
            resolved_by=conclusion.resolved_by,
            is_finished=not is_accepted,
            approval=approval,
        ),
    )
    result = _result(call, conclusion)
    violation = None if result is not None else _violation(conclusion)
    return Outcome(
        state="succeeded",
        result=result,
        evidence=evidence.to_json(),
        problem=violation,
        handle={"status": "accepted"} if is_accepted else None,
        resolved_by=conclusion.resolved_by,
    )


def problem_of(
    conclusion: Conclusion, *, keeps: bool = False, conflict: Mapping[str, Any] | None = None
) -> Problem[ErrorCode]:
    """Return the problem of a write that had no effect.

    `keeps`: the approval holds, so that the same call may be made again (I11, R2).
    """
    code: ErrorCode = conclusion.code if conclusion.code in CASES else "UPSTREAM_REJECTED"  # type: ignore[assignment]
    if conflict is not None:
        return Problem.of(code, details=Details(**conflict))
    case = CASES[code]
    if case.retryable is None:
        if keeps:
            after = 1.0 if conclusion.retry_after is None else conclusion.retry_after
            return Problem.of(code, retryable=True, retry_after=after, next_action="wait")
        return Problem.of(code, retry_after=conclusion.retry_after, next_action="propose_again")
    return Problem.of(code, field=conclusion.place)


def _without_effect(
    call: Call, proposal: Proposal, approval: Approval, conclusion: Conclusion
) -> Outcome:
    """Of an unknown outcome the evidence keeps what was asked, and what an operator's word will be laid over (I7)."""
    asked: dict[str, Any] | None = None
    if conclusion.state == "unknown":
        items = show_match(call.contract, conclusion.values, call.parts.seal)
        evidence = unseen_evidence(
            call,
            proposal,
            approved_by=approval.approved_by,
            self_approved=approval.self_approved,
            seen={"items": items} if items else {},
        )
        asked = {**evidence.to_json(), "asked": list(conclusion.asked)}
        problem = Problem.of("UNKNOWN_OUTCOME")
    elif conclusion.state == "cancelled":
        problem = Problem.of("CANCELLED")
    else:
        problem = problem_of(conclusion)
    return Outcome(
        state=conclusion.state,
        evidence=asked,
        problem=problem.to_json(),
        resolved_by=conclusion.resolved_by,
    )


def _result(call: Call, conclusion: Conclusion) -> dict[str, Any] | None:
    """Return the result as the model may see it; None where the answer breaks the contract."""
    seal = call.parts.seal
    if conclusion.violates:
        return None
    if conclusion.is_matched:
        return show_match(call.contract, conclusion.values, seal)
    try:
        return show(call.contract, conclusion.values, seal)
    except Violation:
        return None


def _violation(conclusion: Conclusion) -> dict[str, Any]:
    code: ErrorCode = "RESULT_TOO_LARGE" if conclusion.too_large else "UPSTREAM_CONTRACT_VIOLATION"
    problem = Problem.of(code, next_action=None if code != "RESULT_TOO_LARGE" else "fix_arguments")
    return problem.to_json()


def _can_follow(call: Call, conclusion: Conclusion, scope: Scope) -> bool:
    follow = call.write.follow
    if follow is None:
        return False
    inside = scope.with_roots(answer=dict(conclusion.values))
    return all(render(value, inside) is not UNSET for value in follow.read.arguments.values())


def _kept(terms: frozen.WriteTerms, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names of the answer that following, stopping and evidence need: no more is stored raw (I10)."""
    follow, evidence = terms.follow, terms.evidence
    templates: list[Any] = []
    if follow is not None:
        templates += [dict(follow.read.arguments)]
        templates += [dict(follow.cancel.arguments)] if follow.cancel is not None else []
    named = {item.path[0] for item in references(templates) if item.root == "answer"}
    sources = (
        evidence.operation_id,
        evidence.new_version,
        evidence.state,
        *evidence.facts.values(),
    )
    named |= {source for source in sources if source is not None and not source.startswith("$")}
    yield from ((name, values[name]) for name in sorted(named) if name in values)
