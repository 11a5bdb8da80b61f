"""Reads: those an agent asks for, and those that the boundary makes for itself."""

from __future__ import annotations

import logging
import random
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import Rejected, digest
from toolcharter_runtime.language import UNSET, Scope, render
from toolcharter_runtime.upstream.answer import Answer, Judgement, judge, retry_after
from toolcharter_runtime.upstream.errors import NoAnswer, NotSent, Violation
from toolcharter_runtime.upstream.paging import next_cursor, open_cursor, seal_cursor
from toolcharter_runtime.upstream.request import build_request
from toolcharter_runtime.upstream.retrying import Schedule
from toolcharter_runtime.upstream.view import Projected, present, project
from toolcharter_runtime.validation import validate_arguments

from .call import Call, CallError, refuse

__all__ = ["Seen", "look", "look_through", "read"]

_log: Final = logging.getLogger("toolcharter_runtime")
_SCHEDULE: Final = Schedule()
_TRANSIENT: Final = frozenset(("UPSTREAM_UNAVAILABLE", "TIMEOUT", "RATE_LIMITED"))


@dataclass(frozen=True, slots=True)
class Fetched:
    """One answer to a read that was judged completed."""

    answer: Answer
    projected: Projected


@dataclass(frozen=True, slots=True)
class Seen:
    """What the boundary saw of a resource: raw values of the view, or that it is not there."""

    values: Mapping[str, Any]
    absent: bool = False
    answer: Answer | None = None

    def names(self) -> dict[str, Any]:
        """Return what a condition may look up."""
        return {**self.values, "absent": self.absent}


async def read(call: Call, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make a read for an agent; return the result as it may see it."""
    contract = call.contract
    given = {name: value for name, value in arguments.items() if name != "cursor"}
    binding = "" if contract.page is None else _binding(call, given)
    position = _position(call, arguments.get("cursor"), binding)
    fetched = await _fetch(call, contract, call.scope(given, **_cursor_root(position)), strict=True)
    try:
        result: dict[str, Any] = present(contract, fetched.projected.values, seal=call.parts.seal)
        following = next_cursor(contract, fetched.answer, fetched.projected, position)
    except Violation as broken:
        if broken.too_large:
            raise refuse("RESULT_TOO_LARGE") from None
        raise _broken(call, contract, broken) from None
    if contract.page is not None and following is not None:
        result["next_cursor"] = seal_cursor(call.parts.seal, binding, following)
    return result


async def look(call: Call, wanted: frozen.Read, scope: Scope) -> Seen:
    """Make one of the boundary's own reads; 404 and 410 are an answer, and only the view is checked."""
    contract, inner = _prepare(call, wanted, scope)
    try:
        fetched = await _fetch(call, contract, inner, strict=False)
    except CallError as error:
        if error.problem.code == "TARGET_NOT_FOUND":
            return Seen({}, absent=True)
        raise
    return Seen(fetched.projected.values, answer=fetched.answer)


async def look_through(
    call: Call, wanted: frozen.Read, scope: Scope, pages: int
) -> AsyncIterator[Seen]:
    """Yield the items of a list read, over at most `pages` pages; of a plain read, the one thing seen."""
    contract, inner = _prepare(call, wanted, scope)
    if contract.page is None:
        yield await look(call, wanted, scope)
        return
    position: Any = None
    for _ in range(pages):
        try:
            fetched = await _fetch(
                call, contract, inner.with_roots(**_cursor_root(position)), strict=False
            )
        except CallError as error:
            if error.problem.code == "TARGET_NOT_FOUND":
                return
            raise
        for item in fetched.projected.values.get(contract.page.items) or ():
            yield Seen(item, answer=fetched.answer)
        position = next_cursor(contract, fetched.answer, fetched.projected, position)
        if position is None:
            return


def _prepare(call: Call, wanted: frozen.Read, scope: Scope) -> tuple[frozen.Contract, Scope]:
    contract = call.parts.snapshot.contract(wanted.tool)
    rendered = {name: render(value, scope) for name, value in wanted.arguments.items()}
    arguments = {name: value for name, value in rendered.items() if value is not UNSET}
    try:
        validated: Any = validate_arguments(contract, arguments)
    except Rejected:
        raise refuse("INVALID_ARGUMENT", note=f"{wanted.tool} cannot be asked") from None
    return contract, call.scope(validated)


async def _fetch(call: Call, contract: frozen.Contract, scope: Scope, *, strict: bool) -> Fetched:
    """Send until an answer counts: transient failures are tried again, within one total deadline (R3)."""
    failed = 0
    while True:
        try:
            return await _fetch_once(call, contract, scope, strict=strict)
        except CallError as error:
            failed += 1
            pause = _pause(call, error, failed) if contract.retry else None
            if pause is None:
                raise
        await call.parts.pause(pause)


async def _fetch_once(
    call: Call, contract: frozen.Contract, scope: Scope, *, strict: bool
) -> Fetched:
    try:
        built = build_request(contract.request, scope)
        answer = await call.send(built, contract)
    except Rejected as error:
        raise refuse("INVALID_ARGUMENT", field=error.pointer, message=error.reason) from None
    except NotSent:
        raise refuse("UPSTREAM_UNAVAILABLE", retryable=True) from None
    except NoAnswer as error:
        code: Any = "TIMEOUT" if error.kind == "timeout" else "UPSTREAM_UNAVAILABLE"
        raise refuse(code, retryable=True) from None
    judgement = judge(contract, answer, precondition_sent=False, scope=scope)
    if judgement.outcome != "completed":
        raise _refusal(judgement, answer, call.parts.now())
    try:
        projected = project(contract.view.fields, answer, strict=strict)
    except Violation as broken:
        raise _broken(call, contract, broken) from None
    return Fetched(answer, projected)


def _broken(call: Call, contract: frozen.Contract, broken: Violation) -> CallError:
    """Tell the log where the answer breaks the contract, and none of its values; the model learns that it does."""
    _log.warning(
        "%s: the answer to %s breaks its contract at %s", call.request_id, contract.id, broken
    )
    return refuse("UPSTREAM_CONTRACT_VIOLATION")


def _refusal(judgement: Judgement, answer: Answer, now: datetime) -> CallError:
    code: Any = judgement.code or "UPSTREAM_UNAVAILABLE"
    if code in _TRANSIENT:
        return refuse(code, retryable=True, retry_after=retry_after(answer.headers, now))
    return refuse(code, field=judgement.field)


def _pause(call: Call, error: CallError, failed: int) -> float | None:
    """Return how long to wait before the next attempt, or None where a repeat would not help."""
    if error.problem.code not in _TRANSIENT:
        return None
    chance = random.random()  # noqa: S311 - jitter, not a secret
    return _SCHEDULE.pause(failed, chance, error.problem.retry_after, call.left())


def _cursor_root(position: Any) -> dict[str, Any]:
    return {} if position is None else {"cursor": position}


def _binding(call: Call, given: Mapping[str, Any]) -> str:
    """Return what a cursor is bound to: whose it is, of which tool, with which arguments."""
    return digest("cursor", [call.run.tenant, call.run.run_id, call.contract.id, dict(given)])


def _position(call: Call, cursor: str | None, binding: str) -> Any:
    if cursor is None:
        return None
    try:
        return open_cursor(call.parts.seal, binding, cursor)
    except Rejected:
        raise refuse("INVALID_ARGUMENT", field="/cursor") from None
