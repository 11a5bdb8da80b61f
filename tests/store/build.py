"""Small builders for the store's tests: a settable clock, a proposal, a decision, and a store to play on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from toolcharter_runtime.records import (
    Cause,
    DecisionRow,
    ExecutionRow,
    Lease,
    Outcome,
    Proposal,
    ProposalRow,
    RunRow,
    Settlement,
    mint_id,
)
from toolcharter_runtime.store import Store

T = TypeVar("T")
START = datetime(2026, 8, 14, 12, 0, tzinfo=UTC)


class Clock:
    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def pass_(self, **by: float) -> None:
        self.at += timedelta(**by)


class Scene:
    """A store in a folder, and what acts on it."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.path = folder / "boundary.db"
        self.url = f"sqlite:///{self.path}"

    def play(self, work: Callable[[Store], Awaitable[T]]) -> T:
        """Open, work, close."""

        async def run() -> T:
            store = await Store.open(self.url, clock=self.clock)
            try:
                return await work(store)
            finally:
                await store.close()

        return asyncio.run(run())


def proposal(now: datetime = START, **changes: Any) -> Proposal:
    made: dict[str, Any] = {
        "proposal_id": mint_id("prop"),
        "tenant": "acme",
        "run_id": "run_1",
        "agent": "assistant",
        "person": "u17",
        "tool": "address_change.v1",
        "contract_digest": "sha256:c0",
        "arguments": {"customer_id": "C-1842", "street": "Elm Street 1"},
        "injected": {"version": 17},
        "target": {"type": "customer", "id": "C-1842", "version": 17, "check": "atomic"},
        "upstream": {"name": "crm", "origin": "https://crm.test", "environment": "test"},
        "policy_rows": ({"index": 0, "policy": {"name": "lead", "approvers": "support_lead"}},),
        "effect": "Change the address of customer C-1842",
        "difference": {
            "changes": [{"label": "street", "before": "Oak 2", "after": "Elm Street 1"}]
        },
        "request_digest": "sha256:f0",
        "expires_at": now + timedelta(minutes=30),
        "created_at": now,
        "key": mint_id("key"),
        "operation": "POST /address-changes",
        "arguments_sha256": "sha256:a0",
        "root_request_id": mint_id("rq"),
        "resources": ("customer/C-1842",),
    }
    return Proposal(**{**made, **changes})


def cause(of: Proposal | None = None, **changes: Any) -> Cause:
    made = Cause(
        tenant="acme" if of is None else of.tenant,
        request_id=mint_id("rq"),
        actor="agent:assistant",
        root_request_id=None if of is None else of.root_request_id,
        run_id="run_1" if of is None else of.run_id,
    )
    return replace(made, **changes)


def decision(row: ProposalRow, outcome: Any = "approved", **changes: Any) -> DecisionRow:
    made: dict[str, Any] = {
        "decision_id": mint_id("dec"),
        "tenant": row.proposal.tenant,
        "proposal_id": row.proposal.proposal_id,
        "sha256": row.sha256,
        "outcome": outcome,
        "principal": "ann",
        "method": "password",
        "session": "ses_1",
        "decided_at": row.proposal.created_at,
        "until": row.proposal.expires_at,
        "reason": None if outcome == "approved" else "Not now",
    }
    return DecisionRow(**{**made, **changes})


def settlement(
    execution: ExecutionRow, row: ProposalRow, outcome: Any, **changes: Any
) -> Settlement:
    made: dict[str, Any] = {
        "tenant": execution.tenant,
        "execution_id": execution.execution_id,
        "proposal_id": execution.proposal_id,
        "sha256": row.sha256,
        "outcome": outcome,
        "principal": "bob",
        "method": "password",
        "session": "ses_2",
        "settled_at": START,
        "reason": "Seen in the ledger",
        "key_id": "0" * 16,
        "signature": b"s",
    }
    return Settlement(**{**made, **changes})


def run_row(**changes: Any) -> RunRow:
    made: dict[str, Any] = {
        "run_id": "run_1",
        "tenant": "acme",
        "role": "support_agent",
        "agent": "assistant",
        "person": "u17",
        "purpose": "production",
        "catalog_digest": "sha256:d0",
        "versions": {"get_customer": "get_customer.v1"},
        "opened_at": START,
    }
    return RunRow(**{**made, **changes})


async def approved(store: Store, **changes: Any) -> ProposalRow:
    """Add a proposal and approve it; return the row as the store has it."""
    row = await store.add_proposal(proposal(store.now(), **changes), cause())
    assert await store.decide(decision(row), cause(row.proposal)) == "approved"
    return await current(store, row)


async def current(store: Store, row: ProposalRow) -> ProposalRow:
    found = await store.load_proposal(row.proposal.tenant, row.proposal.proposal_id)
    assert found is not None
    return found


async def leased(store: Store, row: ProposalRow, **of: Any) -> Lease:
    lease = await store.claim(row, of.get("slots", ()), of.get("seconds", 30), cause(row.proposal))
    assert isinstance(lease, Lease), lease
    return lease


async def sent(store: Store, row: ProposalRow, **of: Any) -> ExecutionRow:
    """Claim, consume and send; return the execution."""
    lease = await leased(store, row, **of)
    charges = of.get("charges", ())
    execution = await store.consume_and_send(row, lease, 60, cause(row.proposal), charges=charges)
    assert isinstance(execution, ExecutionRow), execution
    return execution


async def unknown(store: Store, row: ProposalRow, **of: Any) -> ExecutionRow:
    """Send and lose the answer for good."""
    execution = await sent(store, row, **of)
    outcome = Outcome(state="unknown", evidence={"attempts": 1})
    assert await store.record_outcome(execution, outcome, cause(row.proposal))
    found = await store.load_execution(execution.tenant, execution.execution_id)
    assert found is not None
    return found
