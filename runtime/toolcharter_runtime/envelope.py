"""The one envelope of every reply, the closed set of error codes, and evidence (R1, R2, E1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Generic, Literal, TypeAlias, TypedDict, TypeVar, Unpack, get_args

from toolcharter_runtime.codes import CASES, ErrorCase, ErrorCode, NextAction

__all__ = [
    "CASES",
    "Details",
    "ErrorCase",
    "ErrorCode",
    "Evidence",
    "Failure",
    "NextAction",
    "Outcome",
    "Problem",
    "ProblemParts",
    "Status",
    "Success",
    "TargetName",
]

Status: TypeAlias = Literal["completed", "accepted", "rejected", "unknown"]

R_co = TypeVar("R_co", covariant=True)
C_co = TypeVar("C_co", bound=str, covariant=True)


@dataclass(frozen=True, slots=True)
class Details:
    """The details of a problem; which of them a code has is closed (R1)."""

    previous_version: Any = None
    current_version: Any = None
    expires_at: str | None = None
    reason: str | None = None


class ProblemParts(TypedDict, total=False):
    """What may be said of a problem beside its code; see `Problem`."""

    message: str | None
    field: str | None
    retryable: bool | None
    retry_after: float | None
    next_action: NextAction | None
    details: Details | None


@dataclass(frozen=True, slots=True)
class Problem(Generic[C_co]):
    """What went wrong. `code` drives control flow, `message` is for people, `field` is a pointer into the arguments.

    `retry_after` is in seconds. Use `Problem.of`, which takes text and next step from the table.
    """

    code: C_co
    message: str
    retryable: bool
    retry_after: float | None
    field: str | None
    next_action: NextAction
    details: Details | None = None

    @staticmethod
    def of(code: ErrorCode, **given: Unpack[ProblemParts]) -> Problem[ErrorCode]:
        """Return the problem of a code; raise `ValueError` for a part that the table leaves no choice about."""
        case = CASES[code]
        action = given.get("next_action") or case.next_actions[0]
        retryable, details = given.get("retryable"), given.get("details")
        if action not in case.next_actions:
            raise ValueError(f"{code} never says {action}")
        if case.retryable is not None and retryable not in (None, case.retryable):
            raise ValueError(f"{code} is always retryable={case.retryable}")
        if details is not None and not case.details:
            raise ValueError(f"{code} has no details")
        return Problem(
            code=code,
            message=given.get("message") or case.message,
            retryable=bool(case.retryable if retryable is None else retryable),
            retry_after=given.get("retry_after"),
            field=given.get("field"),
            next_action=action,
            details=details,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the wire form; `details` holds exactly the code's own, or is null."""
        details = None
        if self.details is not None:
            names = _details_of(self.code)
            details = {name: getattr(self.details, name) for name in names}
        return {
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
            "retry_after": self.retry_after,
            "field": self.field,
            "next_action": self.next_action,
            "details": details,
        }


@dataclass(frozen=True, slots=True)
class TargetName:
    """What a write changed: `type` as the charter calls it, `id` as the call named it."""

    type: str
    id: Any


_REASONED: Final = (
    "previous_version",
    "new_version",
    "changed_fields",
    "next_state",
    "upstream_operation_id",
    "committed_at",
    "proof",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What proves an effect (E1).

    A fact that cannot be had is None with a reason in `absent`, never invented; `Evidence` refuses one without.
    `proof` says what shows the effect: the answer itself, the effect found again, or only the target's state.
    """

    proposal_id: str
    target: TargetName
    previous_version: Any = None
    new_version: Any = None
    changed_fields: tuple[str, ...] | None = None
    next_state: Any = None
    upstream_operation_id: Any = None
    committed_at: str | None = None
    approved_by: tuple[str, ...] = ()
    self_approved: bool = False
    version_check: Literal["atomic", "advisory", "none"]
    replayed: bool = False
    attempts: int = 1
    effect_differs: bool = False
    proof: Literal["answer", "effect", "state"] | None = None
    resolved_by: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    absent: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        """Refuse a missing fact without a reason."""
        bare = [
            name for name in _REASONED if getattr(self, name) is None and name not in self.absent
        ]
        bare += [
            name for name, value in self.facts.items() if value is None and name not in self.absent
        ]
        if bare:
            raise ValueError(f"evidence has no reason for the absence of {', '.join(bare)}")

    def to_json(self) -> dict[str, Any]:
        """Return the wire form."""
        value = {item.name: getattr(self, item.name) for item in fields(self)}
        value["target"] = {"type": self.target.type, "id": self.target.id}
        value["changed_fields"] = None if self.changed_fields is None else list(self.changed_fields)
        value["approved_by"] = list(self.approved_by)
        value["facts"] = dict(self.facts)
        value["absent"] = dict(self.absent)
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Evidence:
        """Return the evidence of a stored wire form."""
        changed = value["changed_fields"]
        parts: dict[str, Any] = {
            **value,
            "target": TargetName(**value["target"]),
            "changed_fields": None if changed is None else tuple(changed),
            "approved_by": tuple(value["approved_by"]),
        }
        return cls(**parts)


@dataclass(frozen=True, slots=True)
class Success(Generic[R_co]):
    """A call that did what it should: `completed`, or `accepted` with the handle of a long operation."""

    status: Literal["completed", "accepted"]
    request_id: str
    run_id: str
    operation_id: str | None
    result: R_co
    evidence: Evidence | None = None

    @property
    def ok(self) -> Literal[True]:
        """True: there is a result."""
        return True

    def to_json(self) -> dict[str, Any]:
        """Return the wire form of R1."""
        return _wire(self, {"result": _json(self.result)})


@dataclass(frozen=True, slots=True)
class Failure(Generic[C_co]):
    """A call with a problem: `rejected` (no effect), `unknown`, or `completed` with the output withheld (E2)."""

    status: Status
    request_id: str
    run_id: str
    operation_id: str | None
    error: Problem[C_co]
    evidence: Evidence | None = None

    @property
    def ok(self) -> Literal[False]:
        """False: there is a problem."""
        return False

    def to_json(self) -> dict[str, Any]:
        """Return the wire form of R1."""
        return _wire(self, {"error": self.error.to_json()})


Outcome: TypeAlias = Success[R_co] | Failure[C_co]
"""What every call returns."""


def _wire(reply: Success[Any] | Failure[Any], body: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = {
        "ok": reply.ok,
        "status": reply.status,
        "request_id": reply.request_id,
        "run_id": reply.run_id,
        "operation_id": reply.operation_id,
    }
    value.update(body)
    if reply.evidence is not None:
        value["evidence"] = reply.evidence.to_json()
    return value


def _json(value: Any) -> Any:
    convert = getattr(value, "to_json", None)
    return convert() if callable(convert) else value


def _details_of(code: str) -> tuple[str, ...]:
    return next((CASES[known].details for known in get_args(ErrorCode) if known == code), ())
