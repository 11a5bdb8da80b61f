"""The policy table: the first row whose condition holds says who must approve (PL1, PL2). Default deny."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from toolcharter_runtime.frozen import ApprovalRow, Policy
from toolcharter_runtime.language import ABSENT, Scope, holds, look_up_names
from toolcharter_runtime.records import DecisionRow, Proposal, mint_id, seal

__all__ = ["POLICY_METHOD", "Verdict", "policies_of", "policy_principal", "rule", "self_decision"]

POLICY_METHOD: Final = "policy"
"""How a policy's own decision says that it was made (PL3)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the table says of one proposal: the policies that apply, or a refusal with the alert for the audit."""

    policies: tuple[Policy, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    """The rows that apply, as a proposal keeps them: `{index, policy}`."""
    alert: str | None = None
    """Why nothing applies, a fixed word: `no_row`, `missing_attribute`, `error`, `unguarded_consequence`."""

    @property
    def is_allowed(self) -> bool:
        """Whether a row applies."""
        return bool(self.policies)

    @property
    def quorum(self) -> int:
        """How many persons must approve."""
        return max((policy.quorum for policy in self.policies), default=1)

    @property
    def expires_in(self) -> int:
        """Seconds that the proposal lives."""
        return min((policy.expires_in for policy in self.policies), default=0)

    @property
    def approves_itself(self) -> bool:
        """Whether nobody is asked: every policy that applies is `{none: why}`."""
        return self.is_allowed and all(policy.none is not None for policy in self.policies)

    def both(self, other: Verdict) -> Verdict:
        """Return what holds under two tables at once: an old version's own and today's (PL5)."""
        if not (self.is_allowed and other.is_allowed):
            return Verdict(alert=self.alert or other.alert)
        return Verdict((*self.policies, *other.policies), (*self.rows, *other.rows))


def rule(rows: Sequence[ApprovalRow], scope: Scope, *, consequences: Sequence[str] = ()) -> Verdict:
    """Return the first row whose condition holds; anything that goes wrong denies.

    Conditions are over the arguments, and over `$before`, `$run`, `$records`, `$environment` in the scope's roots. An
    input that was not given fails its condition, as the language says; a root's field that is missing denies.
    """
    try:
        for index, row in enumerate(rows):
            if _lacks_attribute(row, scope):
                return Verdict(alert="missing_attribute")
            if row.when is None or holds(row.when, look_up_names(scope.arguments, scope), scope):
                return _guarded(row.policy, index, consequences)
    except Exception:  # PL2: whatever goes wrong in a policy denies
        return Verdict(alert="error")
    return Verdict(alert="no_row")


def policy_principal(policy: Policy) -> str:
    """Return who a `{none: why}` policy's own decision is by."""
    return f"policy:{policy.name}"


def self_decision(verdict: Verdict, proposal: Proposal, now: datetime) -> DecisionRow | None:
    """Return the decision that a `{none: why}` policy makes by itself (PL3), unsigned; none where people are asked."""
    if not verdict.approves_itself:
        return None
    return DecisionRow(
        decision_id=mint_id("dec"),
        tenant=proposal.tenant,
        proposal_id=proposal.proposal_id,
        sha256=seal(proposal)[1],
        outcome="approved",
        principal=policy_principal(verdict.policies[-1]),
        method=POLICY_METHOD,
        session=POLICY_METHOD,
        decided_at=now,
        until=proposal.expires_at,
        reason=verdict.policies[-1].none,
    )


def policies_of(policy_rows: Sequence[Mapping[str, Any]]) -> tuple[Policy, ...]:
    """Return the policies that a proposal was made under, from its own `policy_rows`."""
    return tuple(Policy.model_validate(row["policy"]) for row in policy_rows)


def _guarded(policy: Policy, index: int, consequences: Sequence[str]) -> Verdict:
    if policy.none is None and policy.approvers is None:
        return Verdict(alert="no_row")
    if policy.none is not None and consequences:
        return Verdict(alert="unguarded_consequence")
    shown = policy.model_dump(mode="json", exclude_defaults=True)
    return Verdict((policy,), ({"index": index, "policy": shown},))


def _lacks_attribute(row: ApprovalRow, scope: Scope) -> bool:
    look_up = look_up_names(scope.arguments, scope)
    return any(
        key.startswith("$") and look_up(key) is ABSENT and not _may_be_absent(wanted)
        for key, wanted in (row.when or {}).items()
    )


def _may_be_absent(wanted: Any) -> bool:
    return wanted in ({"exists": True}, {"exists": False})
