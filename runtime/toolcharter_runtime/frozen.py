"""The frozen contract of one tool version: all that the boundary needs to carry a call.

The generator writes one of these as JSON under a package's `catalog/`; the boundary runs from it and from nothing else.
It is closed: schemas lie inside, and there is no way back to the description or the charter. Strings called
*template*, *place* and *condition* are in the charter's little language (`toolcharter_runtime.language`).
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

__all__ = [
    "AnswerRule",
    "ApprovalRow",
    "Auth",
    "Binding",
    "Body",
    "Carried",
    "Change",
    "Check",
    "Claim",
    "Compensation",
    "Contract",
    "Encoding",
    "Evidence",
    "Follow",
    "Idempotency",
    "InputUse",
    "Limits",
    "Money",
    "NativePreview",
    "Page",
    "Parameter",
    "Policy",
    "Read",
    "Request",
    "Resolver",
    "Success",
    "Target",
    "Timeout",
    "Unknown",
    "View",
    "ViewField",
    "WriteTerms",
]

Schema: TypeAlias = dict[str, JsonValue]
Template: TypeAlias = JsonValue
"""A JSON value in which every string is a template, e.g. `"heads/{branch}"` or `{"parse": []}`."""
Condition: TypeAlias = dict[str, JsonValue]
Names: TypeAlias = tuple[str, ...]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Parameter(_Frozen):
    """One path, query or header parameter of the request."""

    location: Literal["path", "query", "header"]
    name: str
    value: Template
    style: Literal[
        "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"
    ]
    explode: bool = False
    allow_reserved: bool = False
    multi_segment: bool = False
    """A path value that may hold `/` (X1)."""
    accepts: Schema | None = None
    """Checked when the value is rendered, where the generator could not prove it (values of the run, versions)."""


class Binding(_Frozen):
    """One place of the request body and what stands there.

    Either `value` is a template, or `each` names a list input and `item` binds each of its elements: places are then
    relative to the element, and `{name}` is a field of the element.
    """

    at: str
    """RFC 6901 pointer into the body; empty for all of it."""
    value: Template = None
    each: str | None = None
    item: tuple[Binding, ...] = ()
    accepts: Schema | None = None


class Encoding(_Frozen):
    """How one property of a form body is written (OpenAPI 3.1, Encoding Object)."""

    style: Literal["form", "spaceDelimited", "pipeDelimited", "deepObject"] = "form"
    explode: bool = True
    allow_reserved: bool = False


class Carried(_Frozen):
    """A full replacement: the target's own object is sent back with the bindings laid over it."""

    at: str
    """Pointer to the object, in the target's answer and in the request body alike."""
    without: tuple[str, ...] = ()
    """Pointers below it that are not carried."""


class Body(_Frozen):
    """The request body."""

    media: str
    kind: Literal["json", "form"]
    bindings: tuple[Binding, ...] = ()
    encodings: dict[str, Encoding] = Field(default_factory=dict)
    carried: Carried | None = None
    partial: bool = False
    """An absent field leaves its value alone, so no default is written into the body (C3)."""


class Request(_Frozen):
    """The HTTP request, whole but for credentials."""

    method: str
    path: str
    """The path template below the upstream's URL, e.g. `/customers/{customer_id}`."""
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    accept: str | None = None
    key_form: Literal["uuid", "base62"] | None = None
    """The form of `{$key}`; none where no key is sent or asked for."""


class Auth(_Frozen):
    """Which credential the call needs; the application's `auth(caller, tool)` supplies it."""

    scheme: str
    kind: Literal["bearer", "basic", "api_key", "oauth2", "openid"]
    location: Literal["header", "query", "cookie"] = "header"
    name: str = "Authorization"
    scopes: Names = ()
    acts_as: Literal["service", "person"] = "service"


class AnswerRule(_Frozen):
    """What an upstream answer means; the first rule whose condition holds decides."""

    when: Condition
    """Keys are places of the answer: `http`, `header.X`, `/pointer`."""
    outcome: Literal["completed", "accepted", "rejected", "unknown"]
    code: str | None = None
    field: str | None = None
    replayed: bool = False


class Success(_Frozen):
    """A success status that the description declares, e.g. `200` or `2XX`, and whether it carries JSON."""

    status: str
    media: str | None = None


class Money(_Frozen):
    """How an amount is read by people: minor units or a decimal string, and where its currency is."""

    unit: Literal["minor", "decimal"]
    currency: str
    """A name of the same view or input, `$before.x`, or a constant in quotes such as `"'EUR'"`."""


class ViewField(_Frozen):
    """One name of the view and where the answer has it."""

    name: str
    at: str | None = None
    """A place of the answer (`/pointer`, `header.X`); inside `each`, a pointer relative to the element."""
    count: str | None = None
    """A place whose number of elements is the value."""
    each: tuple[ViewField, ...] | None = None
    accepts: Schema = Field(default_factory=dict)
    """The schema of the raw value; formats are asserted. Of `each`: the schema of the list (bounds only)."""
    required: bool = False
    branch: Schema | None = None
    """Of a union: only values that this schema accepts are taken, any other is left out."""
    hidden: bool = False
    """For the boundary only."""
    secret: bool = False
    redact: Literal["mask", "last4", "hash"] | None = None
    truncate: int | None = None
    open_enum: bool = False
    open_union: bool = False
    money: Money | None = None


class View(_Frozen):
    """What goes out: fields, and the closed schema of the result after redaction."""

    fields: tuple[ViewField, ...] = ()
    result: Schema
    """JSON Schema (2020-12) of the result that the model sees; of a list, with `next_cursor`."""
    maximum_bytes: int
    """Bound of the whole answer body that is read (X5)."""
    result_bytes: int | None = None
    """Bound of the result as compact JSON in UTF-8, `next_cursor` apart; none where its schema alone bounds it."""


class Page(_Frozen):
    """How one more page is asked for; the model sees one opaque `cursor` and `next_cursor`.

    `{$cursor}` stands in the request where the upstream's own cursor goes.
    """

    kind: Literal["answer", "last", "link", "url", "offset", "number"]
    """`answer`: the next cursor is at `next`. `last`: the last item's value at `next` (relative to the item).
    `link`: query parameter `take` of the `Link` header's relation `next`. `url`: parameter `take` of the URL at the
    place `next`. `offset`: items seen so far. `number`: page number."""
    next: str | None = None
    take: str | None = None
    until: Condition | None = None
    items: str
    """The list field of the view."""
    size: int


class Read(_Frozen):
    """A read that the boundary makes for itself, by registry id."""

    tool: str
    """e.g. `get_customer.v1`"""
    arguments: dict[str, Template] = Field(default_factory=dict)


class Resolver(_Frozen):
    """An identifier that must be among the answers of a read."""

    input: str
    read: Read
    field: str
    """Name in the read's view; in a list, the name inside its elements."""


class Check(_Frozen):
    """A further precondition on another resource."""

    read: Read
    require: Condition
    show: Names = ()
    because: str | None = None


class Target(_Frozen):
    """What a write changes."""

    type: str
    id: Template
    """A template, or a list input's template: each element is locked."""
    read: Read | None = None
    via: Read | None = None
    """One hop: its view is `{$via.x}` in `id` and in the read's arguments."""
    version: Names = ()
    """Fields of the read's view; several make a tuple that is never sent."""
    absent: bool = False
    """The version is absence: the write creates the target."""
    unversioned: str | None = None
    """The reason for `version: {none: why}`."""
    require: Condition = Field(default_factory=dict)
    show: Names = ()


class Change(_Frozen):
    """One row of the difference."""

    label: str
    before: str | None = None
    """A field of the target's view."""
    after: Template = None
    add: Template = None
    remove: Template = None


class Policy(_Frozen):
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


class ApprovalRow(_Frozen):
    """One row of the policy table; the first whose condition holds applies."""

    policy: Policy
    when: Condition | None = None


class NativePreview(_Frozen):
    """The upstream's own preview: a read, or a dry-run of the write itself."""

    read: Read | None = None
    show: Names = ()
    not_guaranteed: Names = ()
    dry_run: dict[str, JsonValue] | None = None
    """Places of the request and the values they take."""
    confirmed_by: Condition | None = None


class Idempotency(_Frozen):
    """How a repeat has one effect (charter.md, section 6)."""

    by: Literal["key", "version", "id", "nature", "marker"]
    window: int | None = None
    """Seconds from the first send; none is forever."""
    because: str | None = None


class Unknown(_Frozen):
    """What is asked after a lost answer."""

    read: Read
    where: Condition
    pages: int = 1
    states: dict[str, Condition] = Field(default_factory=dict)
    not_done_after: int | None = None
    """Seconds after which no match means not done (attested)."""


class Follow(_Frozen):
    """How an accepted operation is polled."""

    read: Read
    states: dict[str, Condition]
    reason: str | None = None
    every: float
    deadline: float
    cancel: Read | None = None
    """A write tool, by registry id, that stops the operation."""
    gone_is_success: bool = False


class Evidence(_Frozen):
    """What proves the effect; names of `$answer` (bare), `$after.x` or `$before.x`."""

    operation_id: str | None = None
    new_version: str | None = None
    state: str | None = None
    absent: dict[str, str] = Field(default_factory=dict)
    """Fact → why it cannot be had, e.g. `operation_id: 204 without a body`."""
    facts: dict[str, str] = Field(default_factory=dict)
    proof: Condition | None = None


class Compensation(_Frozen):
    """The write that makes good, or why there is none."""

    tool: str | None = None
    arguments: dict[str, Template] = Field(default_factory=dict)
    none: str | None = None


class Timeout(_Frozen):
    """Seconds."""

    connect: float = 5
    read: float = 20
    total: float = 60


class Limits(_Frozen):
    """Per run, in flight and summed; none is without limit."""

    per_run: int | None = None
    per_run_in_flight: int | None = None
    per_tenant_in_flight: int | None = None
    total: dict[str, int] = Field(default_factory=dict)


class InputUse(_Frozen):
    """What the boundary must know of one input beside its schema."""

    description: str | None = None
    money: Money | None = None
    free_text: bool = False
    """Not bounded by an enum, number, date or anchored pattern without spaces: shown apart, untrusted (P16)."""


class Claim(_Frozen):
    """A claim of the contract and what it rests on (charter.md, section 7)."""

    claim: str
    grade: Literal["proved", "declared", "attested"]
    because: str | None = None


class WriteTerms(_Frozen):
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


class Contract(_Frozen):
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
