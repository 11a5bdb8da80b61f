"""The policy table: the first row whose condition holds says who must approve (PL1, PL2). Default deny."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcharter_runtime.frozen import ApprovalRow, Policy
from toolcharter_runtime.language import ABSENT, Scope, holds, look_up_names

__all__ = ["Ruling", "policies_of", "rule"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the table says of one proposal: a policy, or a refusal with the alert for the audit."""

    policy: Policy | None
    index: int | None = None
    alert: str | None = None
    """A fixed word: `no_row`, `missing_attribute`, `error`, `unguarded_consequence`."""

    def to_json(self) -> dict[str, Any]:
        """Return the row as a proposal keeps it (`Proposal.policy_rows`)."""
        if self.policy is None:
            raise ValueError("A refusal has no row")
        policy = self.policy.model_dump(mode="json", exclude_defaults=True)
        return {"index": self.index, "policy": policy}


def rule(
    rows: Sequence[ApprovalRow],
    scope: Scope,
    *,
    consequences: Sequence[str] = (),
) -> Ruling:
    """Return the first row whose condition holds; anything that goes wrong denies.

    Conditions are over the arguments, and over `$before`, `$run`, `$records`, `$environment` in the scope's roots. An
    input that was not given fails its condition, as the language says; a root's field that is missing denies.
    """
    try:
        for index, row in enumerate(rows):
            if _lacks_attribute(row, scope):
                return Ruling(None, index, "missing_attribute")
            if row.when is None or holds(row.when, look_up_names(scope.arguments, scope), scope):
                return _guarded(row.policy, index, consequences)
    except Exception:
        return Ruling(None, None, "error")
    return Ruling(None, None, "no_row")


def policies_of(policy_rows: Sequence[Mapping[str, Any]]) -> tuple[Policy, ...]:
    """Return the policies that a proposal was made under, from its own `policy_rows`."""
    return tuple(Policy.model_validate(row["policy"]) for row in policy_rows)


def _guarded(policy: Policy, index: int, consequences: Sequence[str]) -> Ruling:
    if policy.none is None and policy.approvers is None:
        return Ruling(None, index, "no_row")
    if policy.none is not None and consequences:
        return Ruling(None, index, "unguarded_consequence")
    return Ruling(policy, index)


def _lacks_attribute(row: ApprovalRow, scope: Scope) -> bool:
    look_up = look_up_names(scope.arguments, scope)
    return any(
        key.startswith("$") and look_up(key) is ABSENT and not _may_be_absent(wanted)
        for key, wanted in (row.when or {}).items()
    )


def _may_be_absent(wanted: Any) -> bool:
    return isinstance(wanted, dict) and list(wanted) == ["exists"]
