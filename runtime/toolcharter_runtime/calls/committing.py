"""Commit: every re-check of P12 in its order, then one send whose outcome is recorded whatever becomes of the caller."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Final

from toolcharter_runtime.canonical import Rejected, digest_of_bytes
from toolcharter_runtime.envelope import Details, Problem
from toolcharter_runtime.language import Scope, equal
from toolcharter_runtime.records import (
    CommitRows,
    ExecutionRow,
    Lease,
    Proposal,
    ProposalRow,
    Refused,
)
from toolcharter_runtime.upstream.request import BuiltRequest, build_request, request_digest

from .answering import Reply, answer_of
from .call import Call, CallError, deadline_after, refuse
from .claiming import ADOPTED_LEASE, claim, release
from .evidence import Approval, approval_of
from .limits import charges, check_spent
from .ruling import check_standing
from .sending import Sending, carry_out, find_out, lease_seconds
from .target import Observed, check_preconditions, observe, target_names

__all__ = ["commit", "recover"]

_log: Final = logging.getLogger("toolcharter_runtime")
_LEAST_LEFT: Final = 0.2
"""The part of the total timeout that must be left when the write is sent."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """A proposal that passed P12 (a), and the request that it is."""

    rows: CommitRows
    scope: Scope
    built: BuiltRequest
    approval: Approval


async def commit(call: Call, proposal_id: str) -> Reply:
    """Carry out an approved proposal, or answer from its execution (P9, P12)."""
    rows = await _load(call, proposal_id)
    call = replace(call, root_request_id=rows.row.proposal.root_request_id)
    if rows.execution is not None:
        return await _answer_again(call, rows.row, rows.execution)
    checked = _check_without_network(call, rows)
    await _check_key(call, rows.row.proposal)
    lease = await claim(call, rows.row)
    if not isinstance(lease, Lease):
        return lease
    try:
        await _check_target(call, checked)
        _check_time_to_send(call)
    except BaseException as error:
        await asyncio.shield(call.parts.spawn(release(call, lease, error)))
        raise
    sending = call.parts.spawn(_consume_and_carry_out(call, checked, lease))
    return await asyncio.shield(sending)


async def recover(call: Call, row: ProposalRow, execution: ExecutionRow) -> ExecutionRow | None:
    """Take over an execution whose owner is gone and ask what became of it; never send (I6, S5).

    None while another process holds it.
    """
    adopted = await call.parts.store.adopt(execution, ADOPTED_LEASE, call.cause("boundary"))
    if adopted is None:
        return None
    scope = scope_of(row.proposal)
    decisions = await call.parts.store.decisions(row.proposal.tenant, row.proposal.proposal_id)
    sending = Sending(
        call=call,
        row=row,
        approval=approval_of(row.proposal, decisions),
        execution=adopted,
        scope=scope,
    )
    return await find_out(sending)


def scope_of(proposal: Proposal) -> Scope:
    """Return the scope that a proposal's request is rendered from: stored values and nothing else (P3)."""
    return Scope(proposal.arguments, proposal.injected)


async def _load(call: Call, proposal_id: str) -> CommitRows:
    """Known, of this tenant and run, and of this tool: anything else is as a random id (P11)."""
    from toolcharter_runtime.store import StoreError

    try:
        rows = await call.parts.store.load_commit(call.run.tenant, proposal_id)
    except StoreError as error:
        if error.code != "STORE_CHANGED":
            raise
        raise refuse("PROPOSAL_CHANGED", note="the stored bytes cannot be read") from None
    if rows is None:
        raise refuse("PROPOSAL_NOT_FOUND", note="unknown or of another tenant")
    proposal = rows.row.proposal
    if (proposal.tenant, proposal.proposal_id) != (call.run.tenant, proposal_id):
        raise refuse("PROPOSAL_CHANGED", note="the stored bytes are another proposal's")
    if proposal.run_id != call.run.run_id:
        raise refuse("PROPOSAL_NOT_FOUND", note="of another run")
    if proposal.tool != call.contract.id:
        raise refuse("PROPOSAL_NOT_FOUND", note="of another tool")
    return rows


async def _answer_again(call: Call, row: ProposalRow, execution: ExecutionRow) -> Reply:
    """An execution has the key: answer from it, whatever has expired since; ask again where its outcome is open.

    One that has the key with another fingerprint is of another request (I2).
    """
    if execution.fingerprint != row.proposal.request_digest:
        raise refuse("IDEMPOTENCY_KEY_REUSED")
    if _is_abandoned(call, execution):
        try:
            execution = await recover(call, row, execution) or execution
        except Exception as error:  # it stays as open as it was
            _log.error("INTERNAL %s: %s", call.request_id, type(error).__qualname__)
    return answer_of(call, row.proposal, execution, replayed=True)


def _is_abandoned(call: Call, execution: ExecutionRow) -> bool:
    if execution.state == "unknown":
        return call.write.unknown is not None
    return execution.state == "sent" and execution.lease_until <= call.parts.now()


def _check_without_network(call: Call, rows: CommitRows) -> _Checked:
    """P12 (a), from the contract's digest on; the first failure stops."""
    row, proposal = rows.row, rows.row.proposal
    if proposal.contract_digest != call.parts.snapshot.digest_of(call.contract.id):
        raise refuse("CONTRACT_CHANGED")
    scope = scope_of(proposal)
    built = _rebuild(call, row, scope)
    found = check_standing(call, rows, scope)
    if rows.paused_by is not None:
        raise CallError(
            Problem.of("UNKNOWN_OUTCOME"), status="unknown", operation_id=rows.paused_by
        )
    check_spent(call, rows)
    approval = Approval(found.approved_by, found.self_approved)
    return _Checked(rows, scope, built, approval)


def _rebuild(call: Call, row: ProposalRow, scope: Scope) -> BuiltRequest:
    """Recompute both digests from the stored bytes: nothing may have changed since the approval (P3, P6)."""
    if digest_of_bytes("proposal", row.canonical) != row.sha256:
        raise refuse("PROPOSAL_CHANGED", note="the stored bytes are not those of the digest")
    if row.proposal.upstream != call.parts.upstream_name():
        raise refuse("PROPOSAL_CHANGED", note="the upstream is another one")
    try:
        built = build_request(call.contract.request, scope)
    except Rejected:
        raise refuse("PROPOSAL_CHANGED", note="the request cannot be built") from None
    if request_digest(built) != row.proposal.request_digest:
        raise refuse("PROPOSAL_CHANGED", note="the request is another one")
    _compare_columns(call, row.proposal, scope)
    return built


def _compare_columns(call: Call, proposal: Proposal, scope: Scope) -> None:
    """What stands beside the digested bytes must follow from them: it says what is locked, and where a key is taken."""
    stored = (proposal.operation, proposal.resources)
    if stored != (call.contract.operation, target_names(call, scope)[1]):
        raise refuse("PROPOSAL_CHANGED", note="a column is not what the bytes say")


async def _check_key(call: Call, proposal: Proposal) -> None:
    """The key that is used up is the one that is sent: another one is taken already (I2), or was written there."""
    if proposal.key == proposal.injected.get("key"):
        return
    taken = await call.parts.store.execution_of_key(
        proposal.tenant, proposal.operation, proposal.key
    )
    if taken is not None:
        raise refuse("IDEMPOTENCY_KEY_REUSED")
    raise refuse("PROPOSAL_CHANGED", note="the key is not what the bytes say")


def _check_time_to_send(call: Call) -> None:
    """Do not begin what could not be finished in time: nothing has been sent, so the call may be made again (L5)."""
    if call.left() < call.contract.timeout.total * _LEAST_LEFT:
        raise refuse("TIMEOUT")


async def _check_target(call: Call, checked: _Checked) -> None:
    """P12 (c): moved, gone, or a precondition that no longer holds."""
    proposal, terms = checked.rows.row.proposal, call.write
    observed = await observe(call, checked.scope)
    if observed.seen is not None:
        _compare(proposal, terms.target.absent, observed)
    scope = checked.scope.with_roots(before=dict(observed.before))
    await check_preconditions(call, scope, observed.seen)


def _compare(proposal: Proposal, is_create: bool, observed: Observed) -> None:
    previous = proposal.target["version"]
    if observed.absent and not is_create:
        raise refuse("TARGET_NOT_FOUND", next_action="propose_again")
    moved = not observed.absent if is_create else not equal(previous, observed.version)
    if moved and proposal.target["check"] != "none":
        raise refuse("VERSION_CONFLICT", details=Details(previous, observed.version))


async def _consume_and_carry_out(call: Call, checked: _Checked, lease: Lease) -> Reply:
    """P12 (d) and (e): from here on no caller's cancellation reaches the write (O3)."""
    row = checked.rows.row
    ends = deadline_after(call.left(), call.parts.now(), row.proposal.expires_at)
    call = replace(call, until=ends)
    sent = await call.parts.store.consume_and_send(
        row, lease, lease_seconds(call), call.cause(), charges=charges(call, row.proposal)
    )
    if isinstance(sent, Refused):
        return await _not_consumed(call, row, sent)
    sending = Sending(
        call=call,
        row=row,
        approval=checked.approval,
        execution=sent,
        scope=checked.scope,
    )
    try:
        execution = await carry_out(sending, checked.built)
    except Exception as error:  # it may have had its effect: asked after when the lease ends
        _log.error("INTERNAL %s: %s", call.request_id, type(error).__qualname__)
        execution = sent
    return answer_of(call, row.proposal, execution, replayed=False)


async def _not_consumed(call: Call, row: ProposalRow, refused: Refused) -> Reply:
    """Somebody was faster, or something ended in between: answer as a commit that begins now would."""
    if refused.reason == "key_reused":
        raise refuse("IDEMPOTENCY_KEY_REUSED")
    if refused.reason == "budget":
        raise refuse("RUN_BUDGET_EXHAUSTED", note=refused.name)
    if refused.reason == "fence_lost":
        raise refuse("CONCURRENCY_LIMIT", retryable=True, retry_after=1.0, note="lease ran out")
    rows = await _load(call, row.proposal.proposal_id)
    execution = refused.execution or rows.execution
    if execution is not None:
        return answer_of(call, row.proposal, execution, replayed=True)
    _check_without_network(call, rows)
    raise refuse("CONCURRENCY_LIMIT", retryable=True, retry_after=1.0)
