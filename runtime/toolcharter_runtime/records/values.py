"""What all records share: JSON, ids, times in their one form, and the cause of a change."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

__all__ = ["Cause", "Json", "instant_text", "mint_id", "need", "parse_instant"]

Json: TypeAlias = Any
"""A JSON value: null, boolean, integer, float, string, list or map of these."""


def mint_id(prefix: str) -> str:
    """Return a new random id such as `prop_9f86d0…`: 128 bits in hexadecimal, derived from nothing (P2)."""
    return f"{prefix}_{secrets.token_hex(16)}"


def instant_text(at: datetime) -> str:
    """Return an instant in UTC with six decimals and `Z`: the one form that digests and signatures use (C2)."""
    if at.tzinfo is None:
        raise ValueError("A time without a zone")
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse_instant(text: str) -> datetime:
    """Read what `instant_text` wrote; raise ValueError for anything else."""
    if len(text) != 27 or text[10] != "T" or text[-1] != "Z":
        raise ValueError("Not an instant of this store")
    return datetime.fromisoformat(text)


def need(value: str, name: str) -> None:
    """Refuse an empty value of a field that every record has (S8)."""
    if not value:
        raise ValueError(f"A record without {name}")


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
        need(self.tenant, "tenant")
        need(self.request_id, "request_id")
