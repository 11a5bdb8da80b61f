"""The store: runs, proposals, decisions, executions, limits and the audit chain, behind one class.

One method is one transaction; every change of state is one conditional update checked by row count, and its audit
row is written in the same transaction (P15). No transaction is open while the network is used (S3).
Errors of the database surface as `StoreError`; a method that changes nothing says why with `Refused`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from toolcharter_runtime.records import (
    AuditRow,
    AuditVerdict,
    Cause,
    Charge,
    CommitRows,
    DecisionRow,
    ExecutionRow,
    Json,
    Notice,
    Outcome,
    Proposal,
    ProposalRow,
    ProposalState,
    Refused,
    RunRow,
    Settlement,
    Slot,
    UnknownItem,
)

__all__ = ["Clock", "Store", "StoreError"]

Clock: TypeAlias = Callable[[], datetime]


class StoreError(Exception):
    """The store could not be read or written; `code` is one of STORE_BUSY, STORE_FAILED, STORE_URL, STORE_VERSION."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Store:
    """All that outlives a call."""

    @classmethod
    async def open(cls, url: str, *, clock: Clock | None = None) -> Store:
        """Open `sqlite:///relative.db` or `sqlite:////absolute.db`, making and migrating it as needed."""
        raise NotImplementedError

    async def close(self) -> None: ...

    def now(self) -> datetime:
        """Return the store's time (S6)."""
        raise NotImplementedError

    async def store_key(self) -> bytes:
        """Return the store's own 32 random bytes, made once: for cursors and HMACs of digests (S9)."""
        raise NotImplementedError

    # --- runs (D2) and their budgets (L1)

    async def open_run(self, run: RunRow, cause: Cause) -> None: ...

    async def load_run(self, tenant: str, run_id: str) -> RunRow | None:
        """Return the run, `paused` filled in; None for another tenant's as for a random id."""
        raise NotImplementedError

    async def lease_calls(self, tenant: str, run_id: str, name: str, *, limit: int, block: int) -> int:
        """Take up to `block` calls of the budget; 0 means it is used up. The sum of all leases never passes `limit`."""
        raise NotImplementedError

    async def return_calls(self, tenant: str, run_id: str, name: str, count: int) -> None:
        """Give back calls that were leased and not made."""

    async def claim_slots(self, tenant: str, owner: str, slots: Sequence[Slot], seconds: float) -> str | None:
        """Take one slot of each scope for `owner`; return the scope that is full, having taken none (reads)."""
        raise NotImplementedError

    async def release_slots(self, tenant: str, owner: str) -> None: ...

    # --- proposals and decisions (P2 to P10)

    async def add_proposal(
        self, proposal: Proposal, cause: Cause, *, decision: DecisionRow | None = None
    ) -> ProposalRow:
        """Store a proposal as pending; with a policy's own decision (PL3) as approved, in the same transaction."""
        raise NotImplementedError

    async def load_proposal(self, tenant: str, proposal_id: str) -> ProposalRow | None: ...

    async def load_commit(self, tenant: str, proposal_id: str) -> CommitRows | None:
        """Return all that P12 (a) judges; expires the proposal first if it is due."""
        raise NotImplementedError

    async def proposals(self, tenant: str | None, state: ProposalState) -> tuple[ProposalRow, ...]:
        """Return the proposals in a state, oldest first; of all tenants only for the desk's list."""
        raise NotImplementedError

    async def decisions(self, tenant: str, proposal_id: str) -> tuple[DecisionRow, ...]: ...

    async def decide(self, decision: DecisionRow, cause: Cause) -> ProposalState | Refused:
        """Record `approved` or `denied` on a pending proposal (P5, P6); return the state it has now.

        With a quorum above one the state stays pending until enough persons approved; one denial denies.
        Refusals: not_found, changed, expired, decided, repeated.
        """
        raise NotImplementedError

    async def withdraw(self, decision: DecisionRow, cause: Cause) -> ProposalState | Refused:
        """Take an approval back before it is consumed (P10). Refusals: not_found, changed, pending, decided, consumed."""
        raise NotImplementedError

    async def expire_due(self, tenant: str | None = None) -> int:
        """Expire what is due and warn of what will be (P14); return how many expired. The sweeper's work."""
        raise NotImplementedError

    # --- commit (P12)

    async def claim(
        self, row: ProposalRow, slots: Sequence[Slot], seconds: float, cause: Cause
    ) -> int | Refused:
        """P12 (b): take the proposal's resources and slots as a lease; return the fencing number.

        Refusals: resource_busy, no_slot, paused, stale, consumed, withdrawn, expired …
        """
        raise NotImplementedError

    async def release(
        self, row: ProposalRow, fence: int, code: str, cause: Cause, *, conflict: Json = None
    ) -> bool:
        """P12 (c) failed with `code`: give claim and slots back, the proposal stays unconsumed.

        `conflict` = `{previous_version, current_version}` makes it stale for good (P13).
        """
        raise NotImplementedError

    async def consume_and_send(
        self, row: ProposalRow, fence: int, seconds: float, cause: Cause, *, charges: Sequence[Charge] = ()
    ) -> ExecutionRow | Refused:
        """P12 (d): approved → consumed, execution → sent, budgets charged, in one transaction (P9, I4).

        On return the `sent` row is durable. On `Refused` claim and slots have been released. Refusals: expired,
        consumed, withdrawn, stale, fence_lost, budget, key_reused, key_in_flight, key_finished, paused.
        """
        raise NotImplementedError

    async def resend(self, execution: ExecutionRow, seconds: float, cause: Cause) -> bool:
        """Count one more attempt and extend the lease before the same bytes go out again (I5); False: fence lost."""
        raise NotImplementedError

    async def extend(self, execution: ExecutionRow, seconds: float) -> bool:
        """Extend the lease while asking or polling; False: fence lost."""
        raise NotImplementedError

    async def record_outcome(self, execution: ExecutionRow, outcome: Outcome, cause: Cause) -> bool:
        """Record what the execution came to, with release and outbox row; False if the fence was lost (S5).

        succeeded, failed, cancelled: claim and slots go. accepted: slots go, the resource claim stays.
        unknown: slots go, the resource claim stays, the run is paused, an operator's item appears (I7).
        """
        raise NotImplementedError

    async def return_proposal(
        self, execution: ExecutionRow, outcome: Outcome, cause: Cause, *, conflict: Json = None
    ) -> bool:
        """consumed → approved and the execution failed, in one transaction: surely nothing was applied.

        With `conflict` (first-send 412) the proposal is stale for good; without (I11 keep) it may be committed again.
        """
        raise NotImplementedError

    async def adopt(self, execution: ExecutionRow, seconds: float, cause: Cause) -> ExecutionRow | None:
        """Take over an execution whose lease ran out, with a new fence; None while it is held (S5)."""
        raise NotImplementedError

    async def load_execution(self, tenant: str, execution_id: str) -> ExecutionRow | None: ...

    async def execution_of_key(self, tenant: str, operation: str, key: str) -> ExecutionRow | None: ...

    async def unfinished(self, tenant: str | None = None) -> tuple[ExecutionRow, ...]:
        """Return executions that are sent or accepted and whose lease ran out: what a restart finds."""
        raise NotImplementedError

    async def unknown_items(self, tenant: str | None) -> tuple[UnknownItem, ...]: ...

    async def settle(self, settlement: Settlement, evidence: Json, cause: Cause) -> ExecutionRow | Refused:
        """Close an unknown outcome by an operator's signed word (I7).

        confirmed_done → succeeded, confirmed_not_done → failed, abandoned → abandoned. The resource claim goes.
        """
        raise NotImplementedError

    # --- audit and outbox (S4, S7)

    async def append_audit(
        self, cause: Cause, kind: str, *, code: str | None = None, note: str | None = None,
        proposal_id: str | None = None, execution_id: str | None = None,
    ) -> int:
        """Append one row, e.g. `call.refused` with the reason that the caller is not told (D3); return its number."""
        raise NotImplementedError

    async def audit_of(self, tenant: str, any_id: str) -> tuple[AuditRow, ...]:
        """Return the whole sequence that a request, proposal, run or operation id belongs to (D4)."""
        raise NotImplementedError

    async def audit_verify(self, tenant: str) -> AuditVerdict: ...

    async def tenants(self) -> tuple[str, ...]: ...

    async def notices(self, limit: int = 100) -> tuple[Notice, ...]: ...

    async def delivered(self, notice_ids: Sequence[int]) -> None: ...
