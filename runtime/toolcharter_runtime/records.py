"""The rows of the store as frozen values: what a run, a proposal, a decision and an execution are.

Times are aware datetimes in UTC. Every row names its tenant; an empty tenant is an error (S8).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

from toolcharter_runtime.canonical import canonical_bytes, digest_of_bytes

__all__ = [
    "PROPOSAL_DOMAIN",
    "AuditRow",
    "AuditVerdict",
    "Cause",
    "Charge",
    "CommitRows",
    "DecisionOutcome",
    "DecisionRow",
    "ExecutionRow",
    "ExecutionState",
    "Json",
    "Lease",
    "Notice",
    "Outcome",
    "Proposal",
    "ProposalRow",
    "ProposalState",
    "Reason",
    "Refused",
    "RunRow",
    "Settlement",
    "SettlementOutcome",
    "Slot",
    "UnknownItem",
    "instant_text",
    "mint_id",
    "parse_instant",
    "seal",
]

Json: TypeAlias = Any
"""A JSON value: null, boolean, integer, float, string, list or map of these."""

ProposalState: TypeAlias = Literal[
    "pending", "approved", "denied", "expired", "withdrawn", "consumed"
]
DecisionOutcome: TypeAlias = Literal["approved", "denied", "expired", "withdrawn"]
ExecutionState: TypeAlias = Literal[
    "sent", "accepted", "succeeded", "failed", "cancelled", "unknown", "abandoned"
]
SettlementOutcome: TypeAlias = Literal["confirmed_done", "confirmed_not_done", "abandoned"]
Reason: TypeAlias = Literal[
    "not_found",
    "changed",
    "pending",
    "decided",
    "denied",
    "expired",
    "withdrawn",
    "stale",
    "consumed",
    "resource_busy",
    "resource_unknown",
    "no_slot",
    "budget",
    "fence_lost",
    "key_reused",
    "key_in_flight",
    "key_finished",
    "paused",
    "repeated",
]
"""Why the store changed nothing.

`changed`: the digest is another one. `decided`: somebody was first. `stale`: the proposal is in conflict for good.
`resource_busy`: another commit holds the resource. `resource_unknown`: one whose outcome is unknown does, until an
operator closes it. `no_slot`: a limit of what may be in flight. `budget`: a limit of
the run. `fence_lost`: the lease went to another owner. `key_*`: the key belongs to another execution, whose
fingerprint is another one, or which is in flight, or finished (I2). `paused`: an outcome of the run is unknown (I7).
`repeated`: this person decided so before (one voice a person).
"""

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def mint_id(prefix: str) -> str:
    """Return a new random id such as `prop_4fC…`: 22 base62 characters, 130 bits, derived from nothing (P2)."""
    number = secrets.randbits(132)
    letters: list[str] = []
    for _ in range(22):
        number, letter = divmod(number, 62)
        letters.append(_ALPHABET[letter])
    return f"{prefix}_{''.join(letters)}"


def instant_text(at: datetime) -> str:
    """Return an instant in UTC with six decimals and `Z`: the one form that digests and signatures use (C2)."""
    if at.tzinfo is None:
        raise ValueError("A time without a zone")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_instant(text: str) -> datetime:
    """Read what `instant_text` wrote; raise ValueError for anything else."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Which call, of whom, makes a change: it lands in the audit row of that change (D4)."""

    tenant: str
    request_id: str
    actor: str
    """The agent, person or part of the boundary, e.g. `agent:assistant`, `person:u17`, `store`."""
    root_request_id: str | None = None
    """The preview's request; the request itself if none."""
    run_id: str | None = None
    tool: str | None = None

    def __post_init__(self) -> None:
        _need(self.tenant, "tenant")
        _need(self.request_id, "request_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run (D2): who acts for whom, in which role, until when, with which tool versions."""

    run_id: str
    tenant: str
    role: str
    agent: str
    person: str | None
    purpose: str
    catalog_digest: str
    versions: Mapping[str, str]
    """Tool name → registry id that the run keeps, e.g. `get_customer` → `get_customer.v1`."""
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    deadline: datetime | None = None
    opened_at: datetime
    paused: bool = False
    """An execution of this run is unknown and not closed (I7); made by the store on loading."""

    def __post_init__(self) -> None:
        _need(self.tenant, "tenant")
        _need(self.run_id, "run_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What somebody approves, immutable (P2). The first block is what `proposal_sha256` covers (C4)."""

    proposal_id: str
    tenant: str
    run_id: str
    agent: str
    person: str | None
    tool: str
    """Registry id of the write, e.g. `address_change.v2`."""
    contract_digest: str
    arguments: Json
    injected: Json
    """The roots that the request is rendered from, as they were at preview: run, key, marker, version, before, via …"""
    target: Json
    """`{type, id, version, check}`; `check` is atomic, advisory or none."""
    upstream: Json
    """`{name, origin, environment}`."""
    policy_rows: tuple[Json, ...]
    """The rows that apply, each `{index, policy: {name, approvers, quorum, …}}` (frozen.Policy as JSON)."""
    effect: str
    difference: Json
    """All that the approver's page shows beside the effect:

    `changes`: [{label, before, after}] · `shown`: name → value beside the change · `untrusted`: input → free text of
    the model · `not_guaranteed`: names · `consequences`, `irreversible`: words · `records`: number ·
    `preview`: name → value of the native preview. Absent keys mean nothing to show.
    """
    request_digest: str
    """Digest of the request that would be sent: the fingerprint (I3)."""
    expires_at: datetime

    created_at: datetime
    key: str
    """The idempotency key, made with the proposal (I1)."""
    operation: str
    """The operation the key is unique in (I2), as the contract names it."""
    arguments_sha256: str
    root_request_id: str
    resources: tuple[str, ...] = ()
    """What a commit locks, e.g. `customer/C-1842`; the tenant is added by the store."""
    quorum: int = 1
    supersedes: str | None = None

    def __post_init__(self) -> None:
        _need(self.tenant, "tenant")
        _need(self.proposal_id, "proposal_id")

    def covered(self) -> dict[str, Json]:
        """Return the JSON object that `proposal_sha256` is the digest of (C4)."""
        return {
            "proposal_id": self.proposal_id,
            "tenant": self.tenant,
            "run_id": self.run_id,
            "requester": {"agent": self.agent, "person": self.person},
            "tool": self.tool,
            "contract_digest": self.contract_digest,
            "arguments": self.arguments,
            "injected": self.injected,
            "target": self.target,
            "upstream": self.upstream,
            "policy_rows": list(self.policy_rows),
            "effect": self.effect,
            "difference": self.difference,
            "request_digest": self.request_digest,
            "expires_at": instant_text(self.expires_at),
        }


PROPOSAL_DOMAIN: Final = "proposal"
"""The domain of `proposal_sha256` (C4)."""


def seal(proposal: Proposal) -> tuple[bytes, str]:
    """Return a proposal's canonical bytes and its `proposal_sha256` (C4)."""
    canonical = canonical_bytes(proposal.covered())
    return canonical, digest_of_bytes(PROPOSAL_DOMAIN, canonical)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRow:
    """A stored proposal and where it stands."""

    proposal: Proposal
    canonical: bytes
    """RFC 8785 bytes of `proposal.covered()`, as stored; `proposal` was read from them."""
    sha256: str
    """`proposal_sha256` as stored; compare it with the digest of `canonical` before a commit (P12)."""
    state: ProposalState
    approvals: int = 0
    conflict: Mapping[str, Json] | None = None
    """`{previous_version, current_version}` once a commit met a moved target: stale for good (P13)."""
    refusal: str | None = None
    """The reason of a denial or withdrawal."""
    final: bool = False
    """The denial says stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """One signed voice on a proposal (P7, P19)."""

    decision_id: str
    tenant: str
    proposal_id: str
    sha256: str
    """The digest that was shown."""
    outcome: DecisionOutcome
    principal: str
    """The person; `policy:NAME` where a policy approves by itself (PL3)."""
    subject: str | None = None
    """The person as the application names them, if another name: what the requester chain is compared with (P8)."""
    method: str
    """How they authenticated, e.g. `password`; `policy`."""
    session: str
    decided_at: datetime
    until: datetime
    """An approval counts until then; the proposal's own expiry."""
    reason: str | None = None
    final: bool = False
    key_id: str | None = None
    """Which desk key signed: the first 16 hex digits of the SHA-256 of its public bytes; none for a policy."""
    signature: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What a commit takes from a budget of its run: a count of calls or the sum of an input."""

    name: str
    amount: int
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place among those in flight: `limit` numbered rows in `scope`, e.g. `refund_charge` or `run_9/refund_charge`."""

    scope: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What P12 (b) took for a commit: resources and slots until a time, under a fencing number (S5)."""

    tenant: str
    proposal_id: str
    fence: int
    """The number of the audit row that took it: grows with the tenant's chain."""
    until: datetime
    resources: tuple[str, ...]
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an execution came to; every value is already redacted and bounded (I10)."""

    state: ExecutionState
    result: Json = None
    evidence: Json = None
    problem: Json = None
    """The envelope's error object of a failure; none of a success."""
    handle: Json = None
    """Of `accepted`: what the charter's `follow` needs to ask again."""
    progress: Literal["queued", "running"] | None = None
    resolved_by: str | None = None
    """`status` or an operator, where the answer of the send did not decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionRow:
    """One attempt to carry out a proposal; its id is the envelope's `operation_id` (I4)."""

    execution_id: str
    tenant: str
    run_id: str
    proposal_id: str
    request_id: str
    root_request_id: str
    tool: str
    operation: str
    key: str
    fingerprint: str
    state: ExecutionState
    fence: int
    """Whoever does not hold this number records nothing (S5)."""
    lease_until: datetime
    sent_at: datetime
    attempts: int = 1
    result: Json = None
    evidence: Json = None
    problem: Json = None
    handle: Json = None
    progress: Literal["queued", "running"] | None = None
    resolved_by: str | None = None
    finished_at: datetime | None = None
    held: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What it holds, for the release: `{resources, scopes, charges: [[name, amount]]}`."""
    returned: bool = False
    """Nothing was applied and the proposal went back to approved; not an answer to replay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRows:
    """All that P12 (a) judges, from one read of the store."""

    row: ProposalRow
    decisions: tuple[DecisionRow, ...]
    execution: ExecutionRow | None
    """The execution that answers, if one exists; returned ones are left out."""
    settlement: Settlement | None
    """How an operator closed that execution: counts only if its signature holds (P19)."""
    paused_by: str | None
    """An execution of the same run whose outcome is unknown (I7)."""
    spent: Mapping[str, int]
    """Budget name → what the run has used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How an operator closes an unknown outcome: signed as a decision is (I7, P19)."""

    tenant: str
    execution_id: str
    proposal_id: str
    sha256: str
    outcome: SettlementOutcome
    principal: str
    method: str
    session: str
    settled_at: datetime
    reason: str
    key_id: str
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownItem:
    """What an operator sees of an unknown outcome (I7)."""

    execution: ExecutionRow
    row: ProposalRow
    settlement: Settlement | None = None


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
class Notice:
    """A row of the outbox: something to tell somebody, at least once, by its id (S4)."""

    notice_id: int
    tenant: str
    kind: str
    subject: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Refused:
    """The store changed nothing, and why."""

    reason: Reason
    execution: ExecutionRow | None = None
    """Of `key_finished` and `key_in_flight`: the execution that has the key."""
    name: str | None = None
    """Of `budget` and `no_slot`: which one. Of `resource_*`: the proposal that holds it."""


def _need(value: str, name: str) -> None:
    if not value:
        raise ValueError(f"A record without {name}")
