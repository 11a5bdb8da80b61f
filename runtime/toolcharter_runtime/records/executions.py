"""Executions: what holds them, what they came to, and how an unknown one is closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from toolcharter_runtime.records.proposals import DecisionRow, ProposalRow
from toolcharter_runtime.records.values import Json

__all__ = [
    "CommitRows",
    "ExecutionRow",
    "ExecutionState",
    "Lease",
    "Outcome",
    "Reason",
    "Refused",
    "Settlement",
    "SettlementOutcome",
    "UnknownItem",
]

ExecutionState: TypeAlias = Literal[
    "sent", "accepted", "succeeded", "failed", "cancelled", "unknown", "abandoned"
]

SettlementOutcome: TypeAlias = Literal["confirmed_done", "confirmed_not_done", "abandoned"]

SETTLED_STATES: Final[dict[SettlementOutcome, ExecutionState]] = {
    "confirmed_done": "succeeded",
    "confirmed_not_done": "failed",
    "abandoned": "abandoned",
}
"""What each word of an operator makes of an unknown execution."""
OPERATOR_PREFIX: Final = "operator:"
"""How `resolved_by` begins where a person closed an unknown outcome."""
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
    settlement: Settlement | None = None
    """How an operator closed it, where `resolved_by` names one: counts only if its signature holds (P19)."""
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
    paused_by: str | None
    """An execution of the same run whose outcome is unknown (I7)."""
    spent: Mapping[str, int]
    """Budget name → what the run has used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownItem:
    """What an operator sees of an unknown outcome (I7)."""

    execution: ExecutionRow
    row: ProposalRow
    settlement: Settlement | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The store changed nothing, and why."""

    reason: Reason
    execution: ExecutionRow | None = None
    """Of `key_finished` and `key_in_flight`: the execution that has the key."""
    name: str | None = None
    """Of `budget` and `no_slot`: which one. Of `resource_*`: the proposal that holds it."""
