"""What a write says of itself: approval, target, changes, repeats, the unknown, evidence, compensation.

Guards that a write must have are optional here: the absence of one has a code of its own (TC5xx), given when the
tool is resolved, instead of a general "field required".
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StrictInt

from toolcharter_runtime.jsonvalue import is_list, is_object

from .values import Closed, Condition, Duration, Names, Period, Short, Template

__all__ = [
    "AffectsSpec",
    "ApprovalRowSpec",
    "ApprovalRows",
    "ChangeSpec",
    "CheckSpec",
    "CompensationSpec",
    "EvidenceSpec",
    "FactSource",
    "FollowSpec",
    "IdempotencySpec",
    "NotFoundSpec",
    "PreviewSpec",
    "ReadSpec",
    "ReplacesSpec",
    "TargetSpec",
    "UnknownSpec",
    "VersionSpec",
]


class ReadSpec(Closed):
    """A read tool of this charter and how its inputs are filled; what is not said is filled by name."""

    read: str
    arguments: dict[str, Template] = Field(default_factory=dict, alias="with")


class ApprovalRowSpec(Closed):
    """A policy and when it applies; the first row that holds decides, and the last has no condition."""

    policy: str
    when: Condition | None = None


def _expand_rows(value: object) -> object:
    if isinstance(value, str):
        return [{"policy": value}]
    return [value] if is_object(value) else value


ApprovalRows = Annotated[
    tuple[ApprovalRowSpec, ...], Short(_expand_rows, {"type": "string"}), Field(min_length=1)
]
"""One policy by name, or rows."""


class AffectsSpec(Closed):
    """The list input whose length is the number of records."""

    each: str


class VersionSpec(Closed):
    """The target's version: fields of its view, absence, or the reason why there is none."""

    fields: Names = ()
    absent: Literal[True] | None = None
    none: str | None = None


def _expand_version(value: object) -> object:
    if isinstance(value, str):
        return {"fields": [value]}
    return {"fields": value} if is_list(value) else value


class TargetSpec(Closed):
    """What a write changes; tenant, type and id name the resource that is locked."""

    type: str
    id: str | None = None
    read: str | None = None
    arguments: dict[str, Template] = Field(default_factory=dict, alias="with")
    via: ReadSpec | None = None
    version: (
        Annotated[
            VersionSpec,
            Short(_expand_version, {"type": ["string", "array"], "items": {"type": "string"}}),
        ]
        | None
    ) = None
    require: Condition = Field(default_factory=dict)
    show: Names = ()


class CheckSpec(ReadSpec):
    """A further precondition on another resource."""

    require: Condition = Field(min_length=1)
    show: Names = ()
    because: str | None = None


class ChangeSpec(Closed):
    """One row of the difference; `before` alone takes `after` from the input of that name."""

    before: str | None = None
    after: Template = None
    add: Template = None
    remove: Template = None


class ReplacesSpec(Closed):
    """A full replacement that sends the target's own object back, or the reason why it need not."""

    at: str | None = None
    without: Names = Field(default=(), alias="except")
    none: str | None = None


class PreviewSpec(Closed):
    """The upstream's own preview: a read, or a dry run of the write."""

    read: str | None = None
    arguments: dict[str, Template] = Field(default_factory=dict, alias="with")
    show: Names = ()
    not_guaranteed: Names = ()
    dry_run: dict[str, JsonValue] | None = None
    confirmed_by: Condition | None = None


class IdempotencySpec(Closed):
    """How a repeat has one effect."""

    by: Literal["key", "version", "id", "nature", "marker"]
    window: Period | None = None
    because: str | None = None


class NotFoundSpec(Closed):
    """After which time no match means not done (attested)."""

    not_done_after: Duration


class UnknownSpec(Closed):
    """What is asked after a lost answer; `operator` goes to a person at once."""

    operator: Literal[True] | None = None
    read: str | None = None
    arguments: dict[str, Template] = Field(default_factory=dict, alias="with")
    where: Condition = Field(default_factory=dict)
    states: dict[str, Condition] = Field(default_factory=dict)
    pages: StrictInt = Field(default=1, ge=1, le=20)
    not_found: NotFoundSpec | None = None


def expand_unknown(value: object) -> object:
    """Return the full form of `unknown: operator`."""
    return {"operator": True} if value == "operator" else value


class FollowSpec(ReadSpec):
    """How an accepted operation is polled, and which state each condition means."""

    states: dict[str, Condition] = Field(min_length=1)
    reason: str | None = None
    every: Duration
    deadline: Duration
    cancel: str | None = None


class FactSource(Closed):
    """A name that has a fact, or the reason why it cannot be had."""

    name: str | None = None
    none: str | None = None


def _expand_fact(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


Fact = Annotated[FactSource, Short(_expand_fact, {"type": "string"})]


class EvidenceSpec(Closed):
    """What proves the effect; keys beside the four are the charter's own facts."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Fact]  # pyright: ignore[reportIncompatibleVariableOverride]  (pydantic's own way)

    operation_id: Fact | None = None
    new_version: Fact | None = None
    state: Fact | None = None
    proof: Condition | None = None

    def facts(self) -> dict[str, FactSource]:
        """Return the charter's own facts by name."""
        return dict(self.__pydantic_extra__ or {})


class CompensationSpec(Closed):
    """The write that makes good, or why there is none."""

    tool: str | None = None
    arguments: dict[str, Template] = Field(default_factory=dict, alias="with")
    none: str | None = None
