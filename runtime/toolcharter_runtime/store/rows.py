"""Between the store's columns and the frozen records."""

from __future__ import annotations

import json
from typing import Any, Final

from toolcharter_runtime.records import (
    AuditRow,
    DecisionRow,
    ExecutionRow,
    Json,
    Proposal,
    ProposalRow,
    RunRow,
    Settlement,
    parse_instant,
)
from toolcharter_runtime.store.engine import StoreError, moment

__all__ = [
    "audit_row",
    "decision_row",
    "execution_row",
    "proposal_row",
    "read_json",
    "run_row",
    "settlement_row",
    "write_json",
]

_ENCODE: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
).encode


def write_json(value: Json) -> str:
    """Return compact text of a JSON value."""
    return _ENCODE(value)


def read_json(text: str | None) -> Json:
    """Return the value that `write_json` wrote; none of none."""
    return None if text is None else json.loads(text)


def run_row(row: Any) -> RunRow:
    """Read a row of `runs`, with `paused` beside it."""
    return RunRow(
        run_id=row.run_id,
        tenant=row.tenant,
        role=row.role,
        agent=row.agent,
        person=row.person,
        purpose=row.purpose,
        catalog_digest=row.catalog_digest,
        versions=read_json(row.versions),
        context=read_json(row.context),
        deadline=None if row.deadline is None else moment(row.deadline),
        opened_at=moment(row.opened_at),
        paused=bool(row.paused),
    )


def proposal_row(row: Any) -> ProposalRow:
    """Read a row of `proposals` joined with its texts: the content comes from the canonical bytes.

    Bytes that no proposal was ever stored as are a StoreError: STORE_CHANGED.
    """
    try:
        return _proposal_row(row)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StoreError("STORE_CHANGED", "A stored proposal is not what was stored") from None


def _proposal_row(row: Any) -> ProposalRow:
    canonical = bytes(row.canonical)
    covered = json.loads(canonical)
    requester = covered["requester"]
    proposal = Proposal(
        proposal_id=covered["proposal_id"],
        tenant=covered["tenant"],
        run_id=covered["run_id"],
        agent=requester["agent"],
        person=requester["person"],
        tool=covered["tool"],
        contract_digest=covered["contract_digest"],
        arguments=covered["arguments"],
        injected=covered["injected"],
        target=covered["target"],
        upstream=covered["upstream"],
        policy_rows=tuple(covered["policy_rows"]),
        effect=covered["effect"],
        difference=covered["difference"],
        request_digest=covered["request_digest"],
        expires_at=parse_instant(covered["expires_at"]),
        created_at=moment(row.created_at),
        key=row.idempotency_key,
        operation=row.operation,
        arguments_sha256=row.arguments_sha256,
        root_request_id=row.root_request_id,
        resources=tuple(read_json(row.resources)),
        quorum=row.quorum,
        supersedes=row.supersedes,
    )
    return ProposalRow(
        proposal=proposal,
        canonical=canonical,
        sha256=row.sha256,
        state=row.state,
        approvals=row.approvals,
        conflict=read_json(row.conflict),
        refusal=row.refusal,
        final=bool(row.final),
    )


def decision_row(row: Any) -> DecisionRow:
    """Read a row of `decisions`."""
    return DecisionRow(
        decision_id=row.decision_id,
        tenant=row.tenant,
        proposal_id=row.proposal_id,
        sha256=row.sha256,
        outcome=row.outcome,
        principal=row.principal,
        subject=row.subject,
        method=row.method,
        session=row.session,
        decided_at=moment(row.decided_at),
        until=moment(row.until),
        reason=row.reason,
        final=bool(row.final),
        key_id=row.key_id,
        signature=None if row.signature is None else bytes(row.signature),
    )


def execution_row(row: Any, settlement: Settlement | None = None) -> ExecutionRow:
    """Read a row of `executions`, and beside it how an operator closed it."""
    return ExecutionRow(
        execution_id=row.execution_id,
        tenant=row.tenant,
        run_id=row.run_id,
        proposal_id=row.proposal_id,
        request_id=row.request_id,
        root_request_id=row.root_request_id,
        tool=row.tool,
        operation=row.operation,
        key=row.idempotency_key,
        fingerprint=row.fingerprint,
        state=row.state,
        fence=row.fence,
        lease_until=moment(row.lease_until),
        sent_at=moment(row.sent_at),
        attempts=row.attempts,
        result=read_json(row.result),
        evidence=read_json(row.evidence),
        problem=read_json(row.problem),
        handle=read_json(row.pending_handle),
        progress=row.progress,
        resolved_by=row.resolved_by,
        settlement=settlement,
        finished_at=None if row.finished_at is None else moment(row.finished_at),
        held=read_json(row.held),
        returned=bool(row.returned),
    )


def settlement_row(row: Any) -> Settlement:
    """Read a row of `settlements`."""
    return Settlement(
        tenant=row.tenant,
        execution_id=row.execution_id,
        proposal_id=row.proposal_id,
        sha256=row.sha256,
        outcome=row.outcome,
        principal=row.principal,
        method=row.method,
        session=row.session,
        settled_at=moment(row.settled_at),
        reason=row.reason,
        key_id=row.key_id,
        signature=bytes(row.signature),
    )


def audit_row(row: Any) -> AuditRow:
    """Read a row of `audit`."""
    return AuditRow(
        tenant=row.tenant,
        number=row.number,
        at=moment(row.at),
        kind=row.kind,
        request_id=row.request_id,
        root_request_id=row.root_request_id,
        actor=row.actor,
        run_id=row.run_id,
        tool=row.tool,
        proposal_id=row.proposal_id,
        execution_id=row.execution_id,
        code=row.code,
        note=row.note,
        previous_hash=row.previous_hash,
        hash=row.hash,
    )
