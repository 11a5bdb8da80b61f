"""`tools/<tool>_v<N>.py` and `errors.py`: one declaration a tool, and the codes that each may return."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from toolcharter.naming import class_name, module_name
from toolcharter_runtime.codes import ErrorCode
from toolcharter_runtime.declare import facts_of
from toolcharter_runtime.frozen import Contract

from ._environment import Code, identifier, render
from .sources import sources_of
from .views import ErrorsView, ErrorView, FactView, ToolView

__all__ = ["declaration_text", "errors_text"]

_EVERY = {
    "UNKNOWN_TOOL", "INVALID_ARGUMENT", "TARGET_NOT_FOUND", "RATE_LIMITED", "CONCURRENCY_LIMIT", "RUN_BUDGET_EXHAUSTED",
    "UPSTREAM_UNAVAILABLE", "UPSTREAM_REJECTED", "UPSTREAM_CONTRACT_VIOLATION", "RESULT_TOO_LARGE", "TIMEOUT",
    "CANCELLED", "INTERNAL",
}  # fmt: skip
_WRITE = {
    "PRECONDITION_FAILED", "POLICY_DENIED", "APPROVAL_PENDING", "APPROVAL_DENIED", "APPROVAL_EXPIRED",
    "APPROVAL_WITHDRAWN", "APPROVER_NOT_AUTHORIZED", "PROPOSAL_NOT_FOUND", "PROPOSAL_CHANGED", "CONTRACT_CHANGED",
    "VERSION_CONFLICT", "IDEMPOTENCY_KEY_REUSED", "OPERATION_IN_PROGRESS", "UNKNOWN_OUTCOME",
}  # fmt: skip


def declaration_text(contract: Contract) -> str:
    """Return the module that declares a tool's version; its facts are those of the frozen contract."""
    module = module_name(contract.tool, contract.version)
    tool = class_name(contract.tool)
    view = ToolView(
        sources=sources_of(contract),
        text=contract.description,
        kind=Code("ReadTool" if contract.effect == "read" else "WriteTool"),
        module=identifier(module),
        tool=contract.tool,
        version=contract.version,
        arguments=identifier(f"{tool}Arguments"),
        result=identifier(f"{tool}Result"),
        error=identifier(f"{tool}Error"),
        facts=tuple(FactView(identifier(k), v) for k, v in facts_of(contract).items()),
    )
    return render("tools/declaration.py.j2", view)


def errors_text(contracts: Iterable[Contract]) -> str:
    """Return `errors.py`: for each tool the codes that any of its versions may return, in the order of the table."""
    codes: dict[str, set[str]] = {}
    for contract in contracts:
        codes.setdefault(class_name(contract.tool), set()).update(_codes(contract))
    views = tuple(
        ErrorView(identifier(f"{tool}Error"), tuple(c for c in get_args(ErrorCode) if c in found))
        for tool, found in sorted(codes.items(), key=lambda one: f"{one[0]}Error")
    )
    names = tuple(view.name for view in views)
    return render("package/errors.py.j2", ErrorsView(sources=(), errors=views, names=names))


def _codes(contract: Contract) -> set[str]:
    """Return what a call of the tool may be answered with."""
    codes = _EVERY | {rule.code for rule in contract.answers if rule.code is not None}
    if contract.write is None:
        return codes
    codes |= _WRITE
    if contract.write.preview is not None:
        codes.add("PREVIEW_UNAVAILABLE")
    return codes
