"""The closed set of error codes, and what follows from each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

__all__ = ["CASES", "ErrorCase", "ErrorCode", "NextAction", "ReadCode", "WriteCode"]

ErrorCode: TypeAlias = Literal[
    "UNKNOWN_TOOL",
    "INVALID_ARGUMENT",
    "TARGET_NOT_FOUND",
    "PRECONDITION_FAILED",
    "PREVIEW_UNAVAILABLE",
    "POLICY_DENIED",
    "APPROVAL_PENDING",
    "APPROVAL_DENIED",
    "APPROVAL_EXPIRED",
    "APPROVAL_WITHDRAWN",
    "APPROVER_NOT_AUTHORIZED",
    "PROPOSAL_NOT_FOUND",
    "PROPOSAL_CHANGED",
    "CONTRACT_CHANGED",
    "VERSION_CONFLICT",
    "IDEMPOTENCY_KEY_REUSED",
    "OPERATION_IN_PROGRESS",
    "OPERATION_NOT_FOUND",
    "RATE_LIMITED",
    "CONCURRENCY_LIMIT",
    "RUN_BUDGET_EXHAUSTED",
    "UPSTREAM_UNAVAILABLE",
    "UPSTREAM_REJECTED",
    "UPSTREAM_CONTRACT_VIOLATION",
    "RESULT_TOO_LARGE",
    "UNKNOWN_OUTCOME",
    "TIMEOUT",
    "CANCELLED",
    "INTERNAL",
]
ReadCode: TypeAlias = Literal[
    "UNKNOWN_TOOL",
    "INVALID_ARGUMENT",
    "TARGET_NOT_FOUND",
    "RATE_LIMITED",
    "CONCURRENCY_LIMIT",
    "RUN_BUDGET_EXHAUSTED",
    "UPSTREAM_UNAVAILABLE",
    "UPSTREAM_REJECTED",
    "UPSTREAM_CONTRACT_VIOLATION",
    "RESULT_TOO_LARGE",
    "TIMEOUT",
    "CANCELLED",
    "INTERNAL",
]
"""What any call may be answered with."""
WriteCode: TypeAlias = Literal[
    ReadCode,
    "PRECONDITION_FAILED",
    "POLICY_DENIED",
    "APPROVAL_PENDING",
    "APPROVAL_DENIED",
    "APPROVAL_EXPIRED",
    "APPROVAL_WITHDRAWN",
    "APPROVER_NOT_AUTHORIZED",
    "PROPOSAL_NOT_FOUND",
    "PROPOSAL_CHANGED",
    "CONTRACT_CHANGED",
    "VERSION_CONFLICT",
    "IDEMPOTENCY_KEY_REUSED",
    "OPERATION_IN_PROGRESS",
    "UNKNOWN_OUTCOME",
]
"""What a preview or a commit may be answered with."""
NextAction: TypeAlias = Literal[
    "fix_arguments",
    "choose_other_tool",
    "wait_for_approval",
    "propose_again",
    "retry",
    "wait",
    "wait_for_operator",
    "escalate",
    "stop",
]


@dataclass(frozen=True, slots=True)
class ErrorCase:
    """One row of the table of codes: the fixed text, the next steps (the first is the default), and R2.

    `retryable` is None where it depends on the call; the default is then no.
    """

    message: str
    next_actions: tuple[NextAction, ...]
    retryable: bool | None = False
    details: tuple[str, ...] = ()


def _case(
    message: str,
    *actions: NextAction,
    retryable: bool | None = False,
    details: tuple[str, ...] = (),
) -> ErrorCase:
    return ErrorCase(message, actions, retryable, details)


CASES: Final[Mapping[ErrorCode, ErrorCase]] = {
    "UNKNOWN_TOOL": _case("There is no such tool here.", "choose_other_tool"),
    "INVALID_ARGUMENT": _case("An argument is not valid.", "fix_arguments"),
    "TARGET_NOT_FOUND": _case("The target does not exist.", "fix_arguments", "propose_again"),
    "PRECONDITION_FAILED": _case("A precondition does not hold.", "propose_again", "fix_arguments"),
    "PREVIEW_UNAVAILABLE": _case("The upstream gave no preview.", "escalate"),
    "POLICY_DENIED": _case("The policy does not allow this.", "stop"),
    "APPROVAL_PENDING": _case(
        "Nobody has decided on the proposal yet.", "wait_for_approval", details=("expires_at",)
    ),
    "APPROVAL_DENIED": _case(
        "An approver denied the proposal.", "propose_again", "stop", details=("reason",)
    ),
    "APPROVAL_EXPIRED": _case("The proposal or its approval has expired.", "propose_again"),
    "APPROVAL_WITHDRAWN": _case("The approval was withdrawn.", "propose_again"),
    "APPROVER_NOT_AUTHORIZED": _case("An approver may no longer approve this.", "escalate"),
    "PROPOSAL_NOT_FOUND": _case("There is no such proposal.", "propose_again"),
    "PROPOSAL_CHANGED": _case(
        "The stored proposal is not the one that was approved.", "propose_again"
    ),
    "CONTRACT_CHANGED": _case("The tool has changed since the preview.", "propose_again"),
    "VERSION_CONFLICT": _case(
        "The target has changed since the preview.",
        "propose_again",
        details=("previous_version", "current_version"),
    ),
    "IDEMPOTENCY_KEY_REUSED": _case("The upstream knows the key from another request.", "stop"),
    "OPERATION_IN_PROGRESS": _case(
        "The operation is still being carried out.", "retry", retryable=True
    ),
    "OPERATION_NOT_FOUND": _case("There is no such operation.", "stop"),
    "RATE_LIMITED": _case(
        "The upstream asks for fewer calls.", "wait", "propose_again", retryable=None
    ),
    "CONCURRENCY_LIMIT": _case(
        "Too many calls are under way at once.", "wait", "propose_again", retryable=None
    ),
    "RUN_BUDGET_EXHAUSTED": _case("This run has used up what it may do.", "stop"),
    "UPSTREAM_UNAVAILABLE": _case(
        "The upstream could not be reached or failed.", "wait", "propose_again", retryable=None
    ),
    "UPSTREAM_REJECTED": _case("The upstream refused the request.", "stop", "fix_arguments"),
    "UPSTREAM_CONTRACT_VIOLATION": _case("The upstream's answer breaks the contract.", "escalate"),
    "RESULT_TOO_LARGE": _case("The result is too large.", "fix_arguments"),
    "UNKNOWN_OUTCOME": _case(
        "Whether the write took effect is not known; an operator has it.", "wait_for_operator"
    ),
    "TIMEOUT": _case("The upstream did not answer in time.", "retry", retryable=True),
    "CANCELLED": _case("The call was cancelled.", "stop"),
    "INTERNAL": _case("The boundary failed; the request id is the reference.", "stop"),
}
"""Every code with what follows from it; `tests/runtime/envelope` compares it with the published table."""
