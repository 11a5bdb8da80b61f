"""The frozen contract of one tool version."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .answer import AnswerRule, Money, Page, Success, View
from .part import Names, Part, Schema
from .reads import Resolver
from .request import Auth, Request
from .terms import WriteTerms

__all__ = ["Claim", "Contract", "InputUse", "Limits", "Timeout"]


class Timeout(Part):
    """Seconds."""

    connect: float = 5
    read: float = 20
    total: float = 60


class Limits(Part):
    """Per run, in flight and summed; none is without limit."""

    per_run: int | None = None
    per_run_in_flight: int | None = None
    per_tenant_in_flight: int | None = None
    total: dict[str, int] = Field(default_factory=dict)


class InputUse(Part):
    """What the boundary must know of one input beside its schema."""

    description: str | None = None
    money: Money | None = None
    free_text: bool = False
    """Not bounded by an enum, number, date or anchored pattern without spaces: shown apart, untrusted (P16)."""


class Claim(Part):
    """A claim of the contract and what it rests on (docs/charter.md)."""

    claim: str
    grade: Literal["proved", "declared", "attested"]
    because: str | None = None


class Contract(Part):
    """One tool version, frozen."""

    contract: Literal[1] = 1
    tool: str
    version: int
    revision: int = 1
    effect: Literal["read", "write"]
    hidden: bool = False
    purposes: Names | None = None
    """Where it may serve; none means all."""
    description: str
    operation: str
    """How the description names it, e.g. `GET /customers/{customer_id} (getCustomer)`."""
    arguments: Schema
    """JSON Schema (2020-12) of what the model may send: closed, formats asserted, patterns in ECMA-262."""
    inputs: dict[str, InputUse] = Field(default_factory=dict)
    resolvers: tuple[Resolver, ...] = ()
    request: Request
    auth: Auth | None = None
    successes: tuple[Success, ...]
    answers: tuple[AnswerRule, ...] = ()
    view: View
    page: Page | None = None
    write: WriteTerms | None = None
    retry: bool = False
    """Reads: may be tried again after a transient failure."""
    timeout: Timeout = Timeout()
    limits: Limits = Limits()
    claims: tuple[Claim, ...] = ()

    @property
    def id(self) -> str:
        """The registry id, e.g. `get_customer.v1`."""
        return f"{self.tool}.v{self.version}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form: what is written, and what the digest is over."""
        return {"contract": self.contract, **self.model_dump(mode="json", exclude_defaults=True)}
