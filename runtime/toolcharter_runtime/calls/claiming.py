"""Claiming: one commit at a time on a resource, held as a lease until the write is sent or given up (P12 b, V6)."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from toolcharter_runtime.records import Lease, ProposalRow, Refused

from .answering import Reply, in_progress
from .call import Call, CallError, refuse
from .limits import slots

__all__ = ["ADOPTED_LEASE", "claim", "release"]

ADOPTED_LEASE: Final = 120.0
"""Seconds that one who finds out what became of a write may take."""
_CLAIM_WAIT: Final = 10.0


async def claim(call: Call, row: ProposalRow) -> Lease | Reply:
    """P12 (b): one at a time on a resource, across processes (V6)."""
    lease = await _wait_for_claim(call, row)
    if isinstance(lease, Lease):
        return lease
    if lease.reason == "resource_busy" and lease.name == row.proposal.proposal_id:
        return in_progress(call, None)
    seconds = 60.0 if lease.reason == "resource_unknown" else 1.0
    raise refuse("CONCURRENCY_LIMIT", retryable=True, retry_after=seconds, note=lease.reason)


async def _wait_for_claim(call: Call, row: ProposalRow) -> Lease | Refused:
    """Claim, waiting a bounded time while another proposal's commit holds the resource or a slot (L3)."""
    seconds = call.contract.timeout.total + ADOPTED_LEASE
    until, pause = time.monotonic() + min(_CLAIM_WAIT, call.left() / 2), 0.02
    while True:
        lease = await _claim_once(call, row, seconds)
        if isinstance(lease, Lease) or lease.reason not in ("resource_busy", "no_slot"):
            return lease
        if lease.name == row.proposal.proposal_id or time.monotonic() + pause > until:
            return lease
        await call.parts.pause(pause)
        pause = min(pause * 2, 0.5)


async def _claim_once(call: Call, row: ProposalRow, seconds: float) -> Lease | Refused:
    """Claim; a caller that goes away meanwhile leaves no lease behind."""
    claiming = call.parts.spawn(call.parts.store.claim(row, slots(call), seconds, call.cause()))
    try:
        return await asyncio.shield(claiming)
    except asyncio.CancelledError as error:
        await asyncio.shield(call.parts.spawn(_give_up(call, claiming, error)))
        raise


async def _give_up(
    call: Call, claiming: asyncio.Task[Lease | Refused], error: BaseException
) -> None:
    """Release what was being claimed; of its own, so that a caller that is cancelled twice leaves nothing either."""
    lease = await claiming
    if isinstance(lease, Lease):
        await release(call, lease, error)


async def release(call: Call, lease: Lease, error: BaseException) -> None:
    """Give a lease back before anything was consumed; a conflict makes the proposal stale for good (P13)."""
    code, conflict = "INTERNAL", None
    if isinstance(error, CallError):
        code = error.problem.code
        details = error.problem.details
        if code == "VERSION_CONFLICT" and details is not None:
            conflict = {
                "previous_version": details.previous_version,
                "current_version": details.current_version,
            }
    elif isinstance(error, asyncio.CancelledError):
        code = "CANCELLED"
    await call.parts.store.release(lease, code, call.cause(), conflict=conflict)
