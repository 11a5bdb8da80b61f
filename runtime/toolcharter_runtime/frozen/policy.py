"""Who approves a write: policies and the rows that choose among them."""

from __future__ import annotations

from typing import Literal

from .part import Condition, Part

__all__ = ["ApprovalRow", "Policy"]


class Policy(Part):
    """Who approves, how many, for how long; or nobody, with the reason."""

    name: str
    approvers: str | None = None
    """A group of the approvers' directory."""
    quorum: int = 1
    expires_in: int = 900
    """Seconds."""
    self_approval: bool = False
    after_transient: Literal["spend", "keep"] = "spend"
    none: str | None = None


class ApprovalRow(Part):
    """One row of the policy table; the first whose condition holds applies."""

    policy: Policy
    when: Condition | None = None
