"""The one path from a call to an effect (D1): it parses data, enforces limits and calls what is registered."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import ValidationError

from toolcharter_runtime.caller import Caller
from toolcharter_runtime.canonical import Rejected, check_json, parse_json
from toolcharter_runtime.capability import Capability
from toolcharter_runtime.declare import Tool
from toolcharter_runtime.envelope import Failure, Problem, Success
from toolcharter_runtime.faults import find_fault
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.listing import COMMIT_SCHEMA, OPERATION_SCHEMA, ListedTool
from toolcharter_runtime.records import Cause, ExecutionRow, ProposalRow, RunRow, mint_id
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.telemetry import CallSpan
from toolcharter_runtime.unmapped import told
from toolcharter_runtime.validation import parse_arguments, validate_arguments
from toolcharter_runtime.values import as_map

from .answering import Reply
from .call import Call, CallError, Parts, deadline_after, refuse
from .committing import commit
from .following import cancel_operation, get_operation
from .limits import Allowance
from .proposing import propose
from .reading import read

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["Arguments", "OpenRun", "dispatch"]

Arguments: TypeAlias = "Mapping[str, Any] | str | bytes"

_log: Final = logging.getLogger("toolcharter_runtime")


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run in this process: its row, who calls, what it may do."""

    parts: Parts
    row: RunRow
    caller: Caller
    capability: Capability
    allowance: Allowance = field(default_factory=Allowance)


async def dispatch(run: OpenRun, name: str, arguments: Arguments) -> Reply:
    """Carry one call to its reply; whatever goes wrong becomes a problem of the closed set."""
    request_id = mint_id("rq")
    with CallSpan(request_id, run.row.run_id) as span:
        tool: ListedTool | None = None
        try:
            tool = _find_tool(run, name)
            span.name_tool(tool.id)
            _check_deadline(run)
            given = _parse(run, tool, arguments)
            _build_model(run, tool, given)
            call, act = await _register(run, tool, given, request_id)
            reply = await (run.allowance.carry(call, act) if tool.kind == "read" else act())
        except CallError as error:
            reply = _failure(run, request_id, error)
            await _audit_refusal(run, tool, request_id, error)
        except Exception as error:  # an unmapped one: a reference and no inner text (R1)
            _log.error("INTERNAL %s: %s", request_id, told(error))
            reply = _failure(run, request_id, refuse("INTERNAL"))
        span.end(reply)
        return reply


def _find_tool(run: OpenRun, name: str) -> ListedTool:
    """Find the tool in the run's capability set; outside it, one and the same refusal (D3)."""
    tool = run.capability.by_name.get(name)
    if tool is None:
        raise refuse("UNKNOWN_TOOL", note="not in the run's capability set")
    return tool


def _check_deadline(run: OpenRun) -> None:
    if run.row.deadline is not None and run.parts.now() >= run.row.deadline:
        raise refuse("RUN_BUDGET_EXHAUSTED", message="The run's deadline has passed.")


def _parse(run: OpenRun, tool: ListedTool, arguments: Arguments) -> dict[str, Any]:
    """Parse and validate the raw JSON against the frozen schema."""
    contract = run.capability.contracts.get(tool.id)
    try:
        if contract is None or tool.kind == "commit":
            return _parse_id(is_commit=tool.kind == "commit", arguments=arguments)
        if isinstance(arguments, str | bytes):
            return parse_arguments(contract, arguments)
        return validate_arguments(contract, _object(arguments))
    except Rejected as error:
        raise refuse("INVALID_ARGUMENT", field=error.pointer, message=error.reason) from None


def _object(arguments: Any) -> dict[str, Any]:
    members = as_map(arguments)
    if members is None:
        raise Rejected("", "must be an object, or the text of one")
    return dict(members)


def _parse_id(*, is_commit: bool, arguments: Arguments) -> dict[str, Any]:
    if isinstance(arguments, str | bytes):
        value = parse_json(arguments)
    else:
        value = check_json(_object(arguments))
    schema, validator = _compiled(is_commit=is_commit)
    if not isinstance(value, dict) or not validator.is_valid(value):
        raise find_fault(validator.iter_errors(value), schema)
    return value


@cache
def _compiled(*, is_commit: bool) -> tuple[Mapping[str, Any], Draft202012Validator]:
    schema = COMMIT_SCHEMA if is_commit else OPERATION_SCHEMA
    return schema, compile_schema(schema)


def _build_model(run: OpenRun, tool: ListedTool, given: dict[str, Any]) -> None:
    """Build the declared model of the arguments; the schema has judged them, so that a gap of the model decides nothing."""
    contract = run.capability.contracts.get(tool.id)
    declared: Tool | None = None
    if contract is not None and tool.kind != "commit":
        declared = run.parts.snapshot.declarations.get(contract.id)
    if declared is None:
        return
    try:
        declared.arguments.from_json(given)  # judged already, by pass one
    except ValidationError:
        _log.warning("%s: its model refuses what its contract accepts", tool.id)


async def _register(
    run: OpenRun, tool: ListedTool, given: dict[str, Any], request_id: str
) -> tuple[Call, Callable[[], Awaitable[Reply]]]:
    """Return the call and the handler that is registered for the tool's kind."""
    contract = run.capability.contracts.get(tool.id)
    if contract is None:
        return await _operation(run, tool, given["operation_id"], request_id)
    call = _begin(run, contract, request_id)
    if tool.kind == "read":
        return call, lambda: _completed(call, read(call, given))
    if tool.kind == "preview":
        await _check_pause(run)
        return call, lambda: _completed(call, propose(call, given))
    return call, lambda: commit(call, given["proposal_id"])


def _begin(run: OpenRun, contract: Contract, request_id: str) -> Call:
    until = deadline_after(contract.timeout.total, run.parts.now(), run.row.deadline)
    return Call(
        parts=run.parts,
        run=run.row,
        caller=run.caller,
        contract=contract,
        request_id=request_id,
        until=until,
    )


async def _check_pause(run: OpenRun) -> None:
    """While an outcome of the run is unknown, it may read and nothing more (I7)."""
    now = await run.parts.store.load_run(run.row.tenant, run.row.run_id)
    if now is None or now.paused:
        raise CallError(Problem.of("UNKNOWN_OUTCOME"), status="unknown")


async def _operation(
    run: OpenRun, tool: ListedTool, operation_id: str, request_id: str
) -> tuple[Call, Callable[[], Awaitable[Reply]]]:
    """Find an operation of this very run; any other is as a random id (O2)."""
    store, tenant = run.parts.store, run.row.tenant
    execution = await store.load_execution(tenant, operation_id)
    if execution is None or execution.run_id != run.row.run_id:
        raise refuse("OPERATION_NOT_FOUND")
    row = await store.load_proposal(tenant, execution.proposal_id)
    if row is None or execution.tool not in run.parts.snapshot.ids:
        raise refuse("OPERATION_NOT_FOUND", note="its tool or proposal is gone")
    call = _begin(run, run.parts.snapshot.contract(execution.tool), request_id)
    found: tuple[ProposalRow, ExecutionRow] = (row, execution)
    act = cancel_operation if tool.kind == "cancel_operation" else get_operation
    return call, lambda: act(call, *found)


async def _completed(call: Call, work: Awaitable[Any]) -> Reply:
    result = await work
    return Success("completed", call.request_id, call.run.run_id, None, result)


def _failure(run: OpenRun, request_id: str, error: CallError) -> Reply:
    return Failure(
        error.status,
        request_id,
        run.row.run_id,
        error.operation_id,
        error.problem,
        error.evidence,
    )


async def _audit_refusal(
    run: OpenRun, tool: ListedTool | None, request_id: str, error: CallError
) -> None:
    """Keep why a write, or a tool that is not there, was refused; a refused read makes no durable write."""
    if tool is not None and tool.kind == "read":
        return
    cause = Cause(
        tenant=run.row.tenant,
        request_id=request_id,
        actor=f"agent:{run.row.agent}",
        run_id=run.row.run_id,
        tool=tool.id if tool is not None else None,
    )
    try:
        await run.parts.store.append_audit(
            cause, "call.refused", code=error.problem.code, note=error.note
        )
    except Exception as failure:  # the call was refused already: nothing is left to stop
        _log.error("AUDIT %s: %s", request_id, told(failure))
