"""What a write has and a read has not: its difference, its one effect, its evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .part import Condition, Names, Part, Template
from .policy import ApprovalRow
from .reads import Check, NativePreview, Read, Target

__all__ = [
    "Change",
    "Compensation",
    "Evidence",
    "Follow",
    "Idempotency",
    "StateRule",
    "Unknown",
    "WriteTerms",
]


class Change(Part):
    """One row of the difference."""

    label: str
    before: str | None = None
    """A field of the target's view."""
    after: Template = None
    add: Template = None
    remove: Template = None


class Idempotency(Part):
    """How a repeat has one effect."""

    by: Literal["key", "version", "id", "nature", "marker"]
    window: int | None = None
    """Seconds from the first send; none is forever."""
    because: str | None = None


class StateRule(Part):
    """Which answer of a read means which state of an operation; the first rule that holds decides."""

    state: str
    when: Condition


class Unknown(Part):
    """What is asked after a lost answer."""

    read: Read
    where: Condition
    pages: int = 1
    states: tuple[StateRule, ...] = ()
    not_done_after: int | None = None
    """Seconds after which no match means not done (attested)."""


class Follow(Part):
    """How an accepted operation is polled."""

    read: Read
    states: tuple[StateRule, ...]
    reason: str | None = None
    every: float
    deadline: float
    cancel: Read | None = None
    """A write tool, by registry id, that stops the operation."""
    gone_is_success: bool = False


class Evidence(Part):
    """What proves the effect; names of `$answer` (bare), `$after.x` or `$before.x`."""

    operation_id: str | None = None
    new_version: str | None = None
    state: str | None = None
    absent: dict[str, str] = Field(default_factory=dict)
    """Fact → why it cannot be had, e.g. `operation_id: 204 without a body`."""
    facts: dict[str, str] = Field(default_factory=dict)
    proof: Condition | None = None


class Compensation(Part):
    """The write that makes good, or why there is none."""

    tool: str | None = None
    arguments: dict[str, Template] = Field(default_factory=dict)
    none: str | None = None


class WriteTerms(Part):
    """All that a write has and a read has not."""

    summary: str
    target: Target
    approval: tuple[ApprovalRow, ...]
    consequences: Names = ()
    irreversible: tuple[str, ...] = ()
    affects: str | None = None
    """The list input whose length is the number of records; one record if none."""
    checks: tuple[Check, ...] = ()
    changes: tuple[Change, ...] = ()
    preview: NativePreview | None = None
    idempotency: Idempotency
    version_check: Literal["atomic", "advisory", "none"]
    unknown: Unknown | None = None
    """None: a lost answer goes to the operator at once."""
    follow: Follow | None = None
    evidence: Evidence
    compensation: Compensation
    resend: bool = False
