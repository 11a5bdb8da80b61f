"""A run, and what it may use up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from toolcharter_runtime.records.values import Json, need

__all__ = ["Charge", "RunRow", "Slot"]


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
        need(self.tenant, "tenant")
        need(self.run_id, "run_id")


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
