"""Long operations: the handle, polling, and the request to stop (O1 to O4)."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final

from toolcharter_runtime.canonical import Rejected
from toolcharter_runtime.envelope import Success
from toolcharter_runtime.language import UNSET, Scope, render
from toolcharter_runtime.records import ExecutionRow, Outcome, ProposalRow
from toolcharter_runtime.upstream.answer import judge
from toolcharter_runtime.upstream.errors import NoAnswer, NotSent
from toolcharter_runtime.upstream.request import build_request
from toolcharter_runtime.validation import validate_arguments
from toolcharter_runtime.values import as_map

from .answering import Reply, answer_of
from .call import Call, CallError
from .committing import recover, scope_of
from .evidence import approval_of
from .keys import marker_of, new_key
from .outcome import Conclusion, ask, state_of
from .reading import Seen, look
from .sending import Sending, record
from .views import show_value

__all__ = ["cancel_operation", "get_operation", "poll"]

_OPEN: Final = ("sent", "accepted")
_LONGEST_PAUSE: Final = 60.0
_LEASE: Final = 60.0


async def get_operation(call: Call, row: ProposalRow, execution: ExecutionRow) -> Reply:
    """Return the state of an operation; ask the upstream if it is open and due to be asked."""
    reason = None
    if execution.state == "accepted":
        execution, reason = await poll(call, row, execution)
    elif execution.state == "unknown" or (
        execution.state == "sent" and execution.lease_until <= call.parts.now()
    ):
        execution = await recover(call, row, execution) or execution
    return _report(call, row, execution, reason)


async def cancel_operation(call: Call, row: ProposalRow, execution: ExecutionRow) -> Reply:
    """Ask to stop an operation of the own run; `requested` promises nothing (O3)."""
    follow = call.write.follow
    if execution.state not in _OPEN:
        answer = "already_finished"
    elif execution.state == "sent" or follow is None or follow.cancel is None:
        answer = "not_interruptible"
    else:
        answer = await _request_stop(call, row, execution)
        call.parts.polls.pop(execution.execution_id, None)
        execution, _ = await poll(call, row, execution)
        if execution.state == "cancelled":
            answer = "stopped"
        elif execution.state not in _OPEN:
            answer = "already_finished"
    result = {
        "operation_id": execution.execution_id,
        "answer": answer,
        "state": _state(execution),
    }
    return Success("completed", call.request_id, call.run.run_id, execution.execution_id, result)


async def poll(
    call: Call, row: ProposalRow, execution: ExecutionRow
) -> tuple[ExecutionRow, str | None]:
    """Read the status once, if it is time, and record what it says; polling backs off (O4)."""
    follow = call.write.follow
    if follow is None or not _is_due(call, execution, follow.every):
        return execution, None
    scope = _scope(row, execution)
    try:
        seen = await look(call, follow.read, scope)
    except CallError as error:
        _put_off(call, execution, error.problem.retry_after)
        if _is_past_deadline(call, execution, follow.deadline):
            return await _finish(call, row, execution, Conclusion(state="unknown")), None
        return execution, None
    if seen.absent:
        return await _after_gone(call, row, execution, scope), None
    state = state_of(follow.states, seen.values, scope) or "running"
    if state in ("queued", "running"):
        return await _still_open(call, row, execution, state), None
    conclusion = _ended(row, execution, seen, state)
    reason = _reason(call, seen) if state == "failed" else None
    return await _finish(call, row, execution, conclusion), reason


def _scope(row: ProposalRow, execution: ExecutionRow) -> Scope:
    handle = as_map(execution.handle) or {}
    return scope_of(row.proposal).with_roots(answer=dict(as_map(handle.get("answer")) or {}))


def _ended(row: ProposalRow, execution: ExecutionRow, seen: Seen, state: str) -> Conclusion:
    values = {**_scope(row, execution).roots["answer"], **seen.values}
    known: dict[str, Any] = {"values": values, "is_matched": True, "resolved_by": "status"}
    if state == "succeeded":
        return Conclusion(state="succeeded", **known)
    if state == "cancelled":
        return Conclusion(state="cancelled", **known)
    return Conclusion(state="failed", code="UPSTREAM_REJECTED", **known)


async def _after_gone(
    call: Call, row: ProposalRow, execution: ExecutionRow, scope: Scope
) -> ExecutionRow:
    """A status resource that is gone is asked after as in I6."""
    follow = call.write.follow
    conclusion = await ask(call, execution, scope)
    if conclusion.state == "accepted":
        if follow is None or not follow.gone_is_success:
            return (
                execution
                if not _over(call, execution)
                else await _finish(
                    call, row, execution, Conclusion(state="unknown", asked=conclusion.asked)
                )
            )
        conclusion = replace(conclusion, state="succeeded")
    return await _finish(call, row, execution, conclusion)


def _over(call: Call, execution: ExecutionRow) -> bool:
    follow = call.write.follow
    return follow is None or _is_past_deadline(call, execution, follow.deadline)


async def _still_open(
    call: Call, row: ProposalRow, execution: ExecutionRow, state: Any
) -> ExecutionRow:
    if _over(call, execution):
        return await _finish(call, row, execution, Conclusion(state="unknown"))
    if execution.progress == state:
        return execution
    adopted = await call.parts.store.adopt(execution, _LEASE, call.cause("boundary"))
    if adopted is None:
        return replace(execution, progress=state)
    outcome = Outcome(
        state="accepted", result=adopted.result, handle=adopted.handle, progress=state
    )
    await call.parts.store.record_outcome(adopted, outcome, call.cause("boundary"))
    await call.parts.store.extend(adopted, 0)
    return replace(adopted, progress=state)


async def _finish(
    call: Call, row: ProposalRow, execution: ExecutionRow, conclusion: Conclusion
) -> ExecutionRow:
    """Record the end; whoever holds the execution at this moment records it instead."""
    adopted = await call.parts.store.adopt(execution, _LEASE, call.cause("boundary"))
    if adopted is None:
        stored = await call.parts.store.load_execution(call.run.tenant, execution.execution_id)
        return stored or execution
    decisions = await call.parts.store.decisions(call.run.tenant, row.proposal.proposal_id)
    sending = Sending(
        call=call,
        row=row,
        approval=approval_of(row.proposal, decisions),
        execution=adopted,
        scope=_scope(row, execution),
    )
    return await record(sending, conclusion)


async def _request_stop(call: Call, row: ProposalRow, execution: ExecutionRow) -> str:
    """Send the charter's cancel write, which needs no approval and is idempotent; the audit row comes first (P15)."""
    follow = call.write.follow
    if follow is None or follow.cancel is None:
        return "not_interruptible"
    contract = call.parts.snapshot.contract(follow.cancel.tool)
    inside = _scope(row, execution)
    rendered = {name: render(value, inside) for name, value in follow.cancel.arguments.items()}
    await call.parts.store.append_audit(
        call.cause(), "operation.cancel_requested", execution_id=execution.execution_id
    )
    try:
        arguments = validate_arguments(
            contract, {name: value for name, value in rendered.items() if value is not UNSET}
        )
        key = new_key(contract.request.key_form)
        scope = call.scope(arguments, key=key, marker=marker_of(key), records=1)
        built = build_request(contract.request, scope)
        answer = await call.send(built, contract)
    except (Rejected, NotSent, NoAnswer):
        return "requested"
    judgement = judge(contract, answer, precondition_sent=built.precondition, scope=scope)
    return "not_interruptible" if judgement.outcome == "rejected" else "requested"


def _report(call: Call, row: ProposalRow, execution: ExecutionRow, reason: str | None) -> Reply:
    if execution.state in ("unknown", "abandoned"):
        return answer_of(call, row.proposal, execution, replayed=True)
    result: dict[str, Any] = {
        "operation_id": execution.execution_id,
        "tool": call.contract.tool,
        "state": _state(execution),
    }
    if execution.state in _OPEN:
        result["poll_after"] = max(0.0, _next_poll(call, execution) - time.monotonic())
    if execution.result is not None:
        result["result"] = execution.result
    if reason is not None:
        result["reason"] = reason
    evidence = None
    if execution.state == "succeeded":
        ended = answer_of(call, row.proposal, execution, replayed=False)
        if not ended.ok:
            return ended
        evidence = ended.evidence
    return Success(
        "completed", call.request_id, call.run.run_id, execution.execution_id, result, evidence
    )


def _state(execution: ExecutionRow) -> str:
    if execution.state == "accepted":
        return execution.progress or "running"
    return "running" if execution.state == "sent" else execution.state


def _reason(call: Call, seen: Seen) -> str | None:
    """Return the upstream's word on a failure, bounded and redacted as the read's view says; it is untrusted."""
    follow = call.write.follow
    if follow is None or follow.reason is None:
        return None
    for field in call.parts.snapshot.contract(follow.read.tool).view.fields:
        if field.name == follow.reason:
            shown = show_value(field, seen.values.get(field.name), call.parts.seal)
            return None if shown is None else str(shown)
    return None


def _is_past_deadline(call: Call, execution: ExecutionRow, deadline: float) -> bool:
    return (call.parts.now() - execution.sent_at).total_seconds() > deadline


def _next_poll(call: Call, execution: ExecutionRow) -> float:
    return call.parts.polls.get(execution.execution_id, (0.0, 0))[0]


def _is_due(call: Call, execution: ExecutionRow, every: float) -> bool:
    """Return whether it is time to poll, and set the next time: each poll that finds no end waits longer."""
    at, count = call.parts.polls.get(execution.execution_id, (0.0, 0))
    now = time.monotonic()
    if now < at:
        return False
    pause = min(every * 1.5**count, max(every, _LONGEST_PAUSE))
    call.parts.polls[execution.execution_id] = (now + pause, min(count + 1, 20))
    return True


def _put_off(call: Call, execution: ExecutionRow, seconds: float | None) -> None:
    if seconds is not None:
        at, count = call.parts.polls.get(execution.execution_id, (0.0, 0))
        until = time.monotonic() + min(seconds, _LONGEST_PAUSE)
        call.parts.polls[execution.execution_id] = (max(at, until), count)
