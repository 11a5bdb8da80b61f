"""Proposals and the decisions on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from toolcharter_runtime.canonical import canonical_bytes, digest_of_bytes
from toolcharter_runtime.records.values import Json, instant_text, need

__all__ = [
    "PROPOSAL_DOMAIN",
    "DecisionOutcome",
    "DecisionRow",
    "Proposal",
    "ProposalRow",
    "ProposalState",
    "seal",
]

ProposalState: TypeAlias = Literal[
    "pending", "approved", "denied", "expired", "withdrawn", "consumed"
]

DecisionOutcome: TypeAlias = Literal["approved", "denied", "expired", "withdrawn"]


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
    """The denied proposal that this one is made instead of (P4); the store finds it."""

    def __post_init__(self) -> None:
        need(self.tenant, "tenant")
        need(self.proposal_id, "proposal_id")

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
