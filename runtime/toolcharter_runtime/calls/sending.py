"""Carrying out: one send, what its answer means, and the outcome recorded before anybody hears of it (I4 to I11)."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from toolcharter_runtime.language import Scope
from toolcharter_runtime.records import ExecutionRow, Outcome, ProposalRow
from toolcharter_runtime.upstream.answer import Answer, judge, retry_after
from toolcharter_runtime.upstream.errors import NoAnswer, NotSent, Violation
from toolcharter_runtime.upstream.request import BuiltRequest
from toolcharter_runtime.upstream.view import project, salvage

from .call import Call, CallError, deadline_after
from .evidence import Approval
from .outcome import Conclusion, ask, may_resend
from .recording import conclude, problem_of
from .target import observe

__all__ = ["Sending", "carry_out", "find_out", "lease_seconds", "record"]

_TRANSIENT: Final = frozenset(("UPSTREAM_UNAVAILABLE", "RATE_LIMITED"))
_RECORD_PAUSES: Final = (0.05, 0.2, 1.0)
_LEASE_MARGIN: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """All that one execution is carried out with."""

    call: Call
    row: ProposalRow
    approval: Approval
    execution: ExecutionRow
    scope: Scope


async def carry_out(sending: Sending, built: BuiltRequest) -> ExecutionRow:
    """Send the proposal's request once, find out what it came to, record it; return the execution as stored."""
    conclusion = await _send(sending, built, is_first=True)
    if conclusion.state == "unknown":
        return await find_out(sending, built, said=conclusion.values)
    return await record(sending, conclusion)


async def find_out(
    sending: Sending, again: BuiltRequest | None = None, *, said: Mapping[str, Any] | None = None
) -> ExecutionRow:
    """Ask what became of a send whose answer was lost; with `again`, send it once more, but only as I5 allows.

    `said` is what an answer held that decided nothing: kept with an outcome that stays unknown.
    """
    call = replace(
        sending.call,
        until=deadline_after(sending.call.contract.timeout.total, sending.call.parts.now()),
    )
    sending = replace(sending, call=call)
    await call.parts.store.extend(sending.execution, lease_seconds(call))
    conclusion = await ask(call, sending.execution, sending.scope)
    if again is not None and may_resend(call, sending.execution, conclusion):
        sending, conclusion = await _resend(sending, again, conclusion)
    if conclusion.state == "unknown" and sending.execution.state == "unknown":
        return sending.execution  # it was known to be unknown: nothing new to tell an operator
    if conclusion.state == "unknown" and not conclusion.values:
        conclusion = replace(conclusion, values=said or {})
    return await record(sending, conclusion)


async def _resend(
    sending: Sending, built: BuiltRequest, asked: Conclusion
) -> tuple[Sending, Conclusion]:
    call, store = sending.call, sending.call.parts.store
    if not await store.resend(sending.execution, lease_seconds(call), call.cause()):
        return sending, asked
    execution = replace(sending.execution, attempts=sending.execution.attempts + 1)
    sending = replace(sending, execution=execution)
    conclusion = await _send(sending, built, is_first=False)
    if conclusion.state == "unknown":
        conclusion = await ask(call, execution, sending.scope)
    return sending, conclusion


def lease_seconds(call: Call) -> float:
    """Return how long one send and the questions after it may take at most."""
    return 2 * call.contract.timeout.total + _LEASE_MARGIN


async def _send(sending: Sending, built: BuiltRequest, *, is_first: bool) -> Conclusion:
    """Send and judge. Whatever is not surely known is `unknown`; after a lost send a refusal proves nothing (V4)."""
    call = sending.call
    try:
        answer = await call.send(built, call.contract)
    except NotSent:
        return _refused("UPSTREAM_UNAVAILABLE") if is_first else Conclusion(state="unknown")
    except NoAnswer:
        return Conclusion(state="unknown")
    conclusion = _judged(sending, built, answer)
    if not is_first and conclusion.state == "failed" and not conclusion.replayed:
        return Conclusion(state="unknown")
    return conclusion


def _judged(sending: Sending, built: BuiltRequest, answer: Answer) -> Conclusion:
    call = sending.call
    judgement = judge(
        call.contract,
        answer,
        precondition_sent=built.precondition,
        scope=sending.scope,
    )
    if judgement.outcome == "unknown":
        return Conclusion(state="unknown", values=_items(call, answer))
    if judgement.outcome == "rejected":
        return replace(
            _refused(judgement.code or "UPSTREAM_REJECTED"),
            place=judgement.field,
            retry_after=retry_after(answer.headers, call.parts.now()),
            replayed=judgement.replayed,
        )
    try:
        values = project(call.contract.view.fields, answer).values
    except Violation:
        if judgement.outcome == "accepted":
            return Conclusion(state="unknown")
        return Conclusion(
            state="succeeded",
            values=salvage(call.contract.view.fields, answer).values,
            replayed=judgement.replayed,
            violates=True,
            too_large=answer.too_large,
        )
    state: Any = "accepted" if judgement.outcome == "accepted" else "succeeded"
    return Conclusion(state=state, values=values, replayed=judgement.replayed)


def _items(call: Call, answer: Answer) -> Mapping[str, Any]:
    """Return what an answer says of the records of a bulk write, of which some may have changed."""
    if call.write.affects is None:
        return {}
    return salvage(call.contract.view.fields, answer).values


def _refused(code: str) -> Conclusion:
    return Conclusion(state="failed", code=code)


async def record(sending: Sending, conclusion: Conclusion) -> ExecutionRow:
    """Record what a send came to; return the execution as stored."""
    call = sending.call
    if conclusion.state == "failed" and conclusion.resolved_by is None:
        if conclusion.code == "VERSION_CONFLICT":
            return await _give_back(sending, conclusion, await _conflict(sending))
        if conclusion.code in _TRANSIENT and _keeps(sending.row):
            return await _give_back(sending, conclusion, None)
    outcome = await conclude(
        call,
        sending.row.proposal,
        sending.approval,
        sending.execution,
        conclusion,
        sending.scope,
    )
    stored = await _settle(
        sending,
        outcome,
        lambda: call.parts.store.record_outcome(sending.execution, outcome, call.cause()),
    )
    if stored.state == "accepted":  # any process may poll from now on
        await call.parts.store.extend(stored, 0)
    return stored


def _keeps(row: ProposalRow) -> bool:
    """Return whether the policy row that applies keeps the approval after a transient failure (I11)."""
    return all(one["policy"].get("after_transient") == "keep" for one in row.proposal.policy_rows)


async def _give_back(sending: Sending, conclusion: Conclusion, conflict: Any) -> ExecutionRow:
    """Surely nothing was applied: the execution is closed and the proposal is unconsumed again, in one update."""
    call = sending.call
    problem = problem_of(conclusion, keeps=conflict is None, conflict=conflict)
    outcome = Outcome(state="failed", problem=problem.to_json())
    return await _settle(
        sending,
        outcome,
        lambda: call.parts.store.return_proposal(
            sending.execution, outcome, call.cause(), conflict=conflict
        ),
    )


async def _conflict(sending: Sending) -> dict[str, Any]:
    """Return previous and current version (V2); the current one is null where it cannot be read."""
    current: Any = None
    with contextlib.suppress(CallError):
        current = (await observe(sending.call, sending.scope)).version
    return {
        "previous_version": sending.row.proposal.target["version"],
        "current_version": current,
    }


async def _settle(
    sending: Sending, outcome: Outcome, record: Callable[[], Awaitable[bool]]
) -> ExecutionRow:
    """Record; where the fence or the store failed read again what is there, and never send again (I9)."""
    from toolcharter_runtime.store import StoreError

    call, execution = sending.call, sending.execution
    for pause in (*_RECORD_PAUSES, None):
        try:
            if await record():
                return _with_outcome(execution, outcome)
            break
        except StoreError:
            if pause is None:
                raise
            await call.parts.pause(pause)
        stored = await _reread(call, execution)
        if stored is not None and stored.state != "sent":
            return stored
    stored = await call.parts.store.load_execution(call.run.tenant, execution.execution_id)
    return execution if stored is None else stored


def _with_outcome(execution: ExecutionRow, outcome: Outcome) -> ExecutionRow:
    """Return the execution as it now is in the store, but for the time of its end."""
    return replace(
        execution,
        state=outcome.state,
        result=outcome.result,
        evidence=outcome.evidence,
        problem=outcome.problem,
        handle=execution.handle if outcome.handle is None else outcome.handle,
        progress=outcome.progress,
        resolved_by=outcome.resolved_by,
    )


async def _reread(call: Call, execution: ExecutionRow) -> ExecutionRow | None:
    from toolcharter_runtime.store import StoreError

    try:
        return await call.parts.store.load_execution(call.run.tenant, execution.execution_id)
    except StoreError:
        return None
