"""Who calls: the tenant, the agent, and the person it acts for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Caller"]


@dataclass(frozen=True, slots=True)
class Caller:
    """The requester chain of a run (D2): agent and person together; stated by the application, never by a model."""

    tenant: str
    agent: str
    person: str | None = None

    def __post_init__(self) -> None:
        """Refuse a caller without tenant or agent (S8)."""
        if not self.tenant or not self.agent:
            raise ValueError("a caller needs a tenant and an agent")
