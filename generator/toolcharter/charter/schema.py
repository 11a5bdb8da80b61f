"""The charter: the effect and policy annotation file, as a closed model.

This is the format of charter 1, key by key. What a value means beyond its shape (places, templates, names of other
tools) is settled where tools are resolved.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, PrivateAttr, StrictBool, StrictInt

from toolcharter.diagnostics import Origin

from .fields import InputEntry, InputSpec, Keywords, MoneySpec, ViewEntry, ViewSpec
from .places import Places
from .terms import (
    AffectsSpec,
    ApprovalRows,
    ChangeSpec,
    CheckSpec,
    CompensationSpec,
    EvidenceSpec,
    FollowSpec,
    IdempotencySpec,
    PreviewSpec,
    ReplacesSpec,
    TargetSpec,
    UnknownSpec,
    expand_unknown,
)
from .values import Closed, Condition, Day, Duration, Names, Short, Size, Template

__all__ = [
    "Acknowledgement",
    "AnswerSpec",
    "Attestation",
    "AuthSpec",
    "Ceilings",
    "Charter",
    "Defaults",
    "InputSpec",
    "Keywords",
    "LimitsSpec",
    "MoneySpec",
    "PageNext",
    "PageSpec",
    "PolicySpec",
    "RoleSpec",
    "Silence",
    "TimeoutSpec",
    "ToolSpec",
    "ViewSpec",
    "charter_schema",
]


class Ceilings(Closed):
    """Bounds of last resort, where neither description nor charter has one."""

    string: StrictInt | None = Field(default=None, ge=1)
    array: StrictInt | None = Field(default=None, ge=1)
    result: Size | None = None


class PolicySpec(Closed):
    """Who approves, how many and for how long; or nobody, with the reason."""

    approvers: str | None = None
    quorum: StrictInt | None = Field(default=None, ge=1)
    expires_in: Duration | None = None
    self_approval: StrictBool = False
    after_transient: Literal["spend", "keep"] = "spend"
    none: str | None = None


def _expand_all(value: object) -> object:
    return ["all"] if value == "all" else value


_ToolNames = Annotated[tuple[str, ...], Short(_expand_all, {"const": "all"})]


class RoleSpec(Closed):
    """What a role may call; `reads: all` (kept as the one name `all`) is every read that is not hidden."""

    reads: _ToolNames = ()
    writes: _ToolNames = ()
    purposes: Names = ()


class AuthSpec(Closed):
    """Which credential a call needs."""

    scheme: str
    scopes: Names = ()
    acts_as: Literal["service", "person"] = Field(default="service", alias="as")
    because: str | None = None


class TimeoutSpec(Closed):
    """Seconds, each with the runtime's default where it is not said."""

    connect: Duration | None = None
    read: Duration | None = None
    total: Duration | None = None


class LimitsSpec(Closed):
    """How often and how much within a run or a tenant."""

    per_run: StrictInt | None = Field(default=None, ge=1)
    per_run_in_flight: StrictInt | None = Field(default=None, ge=1)
    per_tenant_in_flight: StrictInt | None = Field(default=None, ge=1)
    total: dict[str, StrictInt] = Field(default_factory=dict)


class AnswerSpec(Closed):
    """What an upstream answer means; keys of `when` are places of the answer."""

    when: Condition = Field(min_length=1)
    outcome: Literal["completed", "accepted", "rejected", "unknown"] = Field(alias="is")
    code: str | None = None
    field: str | None = None
    replayed: StrictBool = False


class Attestation(Closed):
    """Why a claim holds that the description cannot carry."""

    because: str
    source: str | None = None
    on: Day | None = None


def _expand_attestation(value: object) -> object:
    return {"because": value} if isinstance(value, str) else value


_Attestations = dict[str, Annotated[Attestation, Short(_expand_attestation, {"type": "string"})]]


class Silence(Closed):
    """Why a rule does not apply to one tool, and until when."""

    because: str
    until: Day | None = None


class Acknowledgement(Closed):
    """Who accepts a change that widens permission, and until when."""

    because: str
    owner: str
    until: Day | None = None


class PageNext(Closed):
    """Where the next cursor comes from: exactly one of the five, `take` for `link` and `url`."""

    at: str | None = None
    last: str | None = None
    link: str | None = None
    url: str | None = None
    counted: Literal["offset", "number"] | None = None
    take: str | None = None


def _expand_next(value: object) -> object:
    if value in ("offset", "number"):
        return {"counted": value}
    return {"at": value} if isinstance(value, str) else value


class PageSpec(Closed):
    """How one more page is asked for."""

    next: Annotated[PageNext, Short(_expand_next, {"type": "string"})]
    to: str
    until: Condition | None = None
    size: dict[str, StrictInt] | None = None


class Defaults(Closed):
    """What holds for every tool that has the place; a tool's own entry wins."""

    auth: AuthSpec | None = None
    send: dict[str, Template] = Field(default_factory=dict)
    timeout: TimeoutSpec | None = None
    answers: tuple[AnswerSpec, ...] = ()
    attest: _Attestations = Field(default_factory=dict)
    limits: LimitsSpec | None = None


class ToolSpec(Closed):
    """One tool: what is called, what may come in and go out, and for a write all its guards."""

    operation: str
    media: str | None = None
    version: StrictInt = Field(default=1, ge=1)
    still_callable: dict[int, Day] = Field(default_factory=dict[int, Day])
    effect: Literal["read", "write"] | None = None
    hidden: StrictBool = False
    purposes: Names | None = None
    description: str | None = None
    auth: AuthSpec | None = None
    input: dict[str, InputEntry] = Field(default_factory=dict)
    send: dict[str, Template] = Field(default_factory=dict)
    view: dict[str, ViewEntry] = Field(default_factory=dict)
    page: PageSpec | None = None
    answers: tuple[AnswerSpec, ...] = ()
    summary: str | None = None
    approval: ApprovalRows | None = None
    consequences: Names = ()
    irreversible: tuple[str, ...] = ()
    affects: AffectsSpec | None = None
    target: TargetSpec | None = None
    checks: tuple[CheckSpec, ...] = ()
    changes: dict[
        str,
        Annotated[
            ChangeSpec,
            Short(lambda v: {"before": v} if isinstance(v, str) else v, {"type": "string"}),
        ],
    ] = Field(default_factory=dict)
    replaces: ReplacesSpec | None = None
    partial: StrictBool | None = None
    preview: PreviewSpec | None = None
    idempotency: IdempotencySpec | None = None
    unknown: Annotated[UnknownSpec, Short(expand_unknown, {"const": "operator"})] | None = None
    follow: FollowSpec | None = None
    evidence: EvidenceSpec | None = None
    compensation: CompensationSpec | None = None
    retry: Literal["safe", "none", "resend"] | None = None
    timeout: TimeoutSpec | None = None
    limits: LimitsSpec | None = None
    attest: _Attestations = Field(default_factory=dict)
    silence: dict[str, Silence] = Field(default_factory=dict)
    acknowledge: dict[str, Acknowledgement] = Field(default_factory=dict)


class Charter(Closed):
    """The whole file. `origin` says where a part of it was written."""

    charter: Literal[1]
    package: str
    spec: str
    overlays: tuple[str, ...] = ()
    ceilings: Ceilings = Ceilings()
    context: dict[str, Keywords] = Field(default_factory=dict)
    fields: dict[str, InputEntry] = Field(default_factory=dict)
    policies: dict[str, PolicySpec] = Field(default_factory=dict)
    roles: dict[str, RoleSpec] = Field(default_factory=dict)
    defaults: Defaults = Defaults()
    tools: dict[str, ToolSpec] = Field(min_length=1)
    acknowledge: dict[str, Acknowledgement] = Field(default_factory=dict)

    _places: Places = PrivateAttr(default_factory=Places)

    @property
    def raw(self) -> JsonValue:
        """The plain value as it stands in the file, short forms and all."""
        return self._places.raw

    def model_post_init(self, context: object) -> None:
        """Keep the file's places, if the validation's context brings them."""
        if isinstance(context, Places):
            self._places = context

    def origin(self, pointer: str) -> Origin:
        """Return where the value at `pointer` (RFC 6901, of the file as written) or its nearest parent stands."""
        return self._places.origin(pointer)


def charter_schema() -> dict[str, Any]:
    """Return the published JSON Schema of the format, for editors."""
    body = Charter.model_json_schema(by_alias=True, mode="validation")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **body,
        "title": "Toolcharter charter, format 1",
    }
