"""The audit chain and the outbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

__all__ = ["AuditRow", "AuditVerdict", "Checkpoint", "Notice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One link of a tenant's chain (S7): names, ids and codes, never a value of an argument or result."""

    tenant: str
    number: int
    at: datetime
    kind: str
    """Object and what became of it, e.g. `proposal.approved`, `execution.sent`, `call.refused`."""
    request_id: str
    root_request_id: str
    actor: str
    run_id: str | None
    tool: str | None
    proposal_id: str | None
    execution_id: str | None
    code: str | None
    note: str | None
    """A fixed word more, such as the reason of a refusal that the caller is not told (D3)."""
    previous_hash: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerdict:
    """What `audit_verify` found: how long the chain is and where it breaks, if it does."""

    tenant: str
    rows: int
    head: str
    broken_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How far a tenant's chain had come when the desk signed it: what was cut off since shows (S7)."""

    tenant: str
    rows: int
    head: str
    at: datetime
    key_id: str
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A row of the outbox: something to tell somebody, at least once, by its id (S4)."""

    notice_id: int
    tenant: str
    kind: str
    subject: str
    at: datetime
