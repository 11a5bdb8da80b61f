"""After a lost answer: ask as the charter says, send again only where I5 allows it, else unknown (I4 to I7)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from toolcharter_runtime import frozen
from toolcharter_runtime.language import Scope, holds, look_up_names, references, where_holds
from toolcharter_runtime.records import ExecutionRow

from .call import Call, CallError
from .reading import Seen, look_through

__all__ = ["Conclusion", "ask", "may_resend", "proof_of"]

_PAUSES: Final = (0.0, 0.3, 1.0)
"""Before each question; a question that fails, or finds nothing, is asked again."""
_MARGIN: Final = 60.0
"""Seconds of the key's window that are left unused (I5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What became of one send."""

    state: Literal["succeeded", "accepted", "failed", "cancelled", "unknown"]
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Raw values of the write's view, or of the match that stands for them."""
    violates: bool = False
    """The answer broke its contract: the values are what could be saved of it, for the evidence (E2)."""
    proof: Literal["answer", "effect", "state"] = "answer"
    code: str | None = None
    place: str | None = None
    """The field of the problem."""
    retry_after: float | None = None
    replayed: bool = False
    resolved_by: str | None = None
    is_matched: bool = False
    """The values are a match's: they may lack what the answer would have had."""
    too_large: bool = False
    asked: tuple[str, ...] = ()
    found_nothing: bool = False
    """The last question was answered, and there was no match."""


async def ask(call: Call, execution: ExecutionRow, scope: Scope) -> Conclusion:
    """Ask for the outcome until it is known or the questions are used up; nothing is ever sent but reads."""
    unknown = call.write.unknown
    if unknown is None:
        return Conclusion(state="unknown", asked=("the charter declares no question",))
    asked: list[str] = []
    last = Conclusion(state="unknown")
    for pause in _PAUSES:
        if pause:
            await call.parts.pause(pause)
        last = await _ask_once(call, execution, scope, unknown)
        asked += last.asked
        if last.state != "unknown" or (last.asked and last.asked[-1].endswith("two matches")):
            break
        if call.left() <= 0:
            break
    return replace(last, asked=tuple(asked))


async def _ask_once(
    call: Call, execution: ExecutionRow, scope: Scope, unknown: frozen.Unknown
) -> Conclusion:
    scope = scope.with_roots(sent_at=_sent_at(call, unknown, execution))
    name = unknown.read.tool
    try:
        matches = [
            seen
            async for seen in look_through(call, unknown.read, scope, unknown.pages)
            # A target that is gone is no match, unless absence is what was to be brought about.
            if (not seen.absent or unknown.where.get("absent") is True)
            and where_holds(unknown.where, look_up_names(seen.names(), scope), scope)
        ]
    except CallError as error:
        return Conclusion(state="unknown", asked=(f"{name}: {error.problem.code}",))
    if len(matches) > 1:
        return Conclusion(state="unknown", asked=(f"{name}: two matches",))
    if matches:
        return _of_match(call, scope, unknown, matches[0])
    if _surely_not_done(call, execution, unknown):
        return Conclusion(
            state="failed",
            code="UPSTREAM_UNAVAILABLE",
            resolved_by="status",
            asked=(f"{name}: no match after {unknown.not_done_after} s",),
        )
    return Conclusion(state="unknown", asked=(f"{name}: no match",), found_nothing=True)


def _of_match(call: Call, scope: Scope, unknown: frozen.Unknown, seen: Seen) -> Conclusion:
    """A match stands for the answer; its state is that of `states`, or of `follow`, where it has their fields."""
    states = unknown.states or (call.write.follow.states if call.write.follow else ())
    found = state_of(states, seen.values, scope)
    known = Conclusion(
        state="succeeded",
        values=dict(seen.values),
        proof=proof_of(unknown),
        resolved_by="status",
        is_matched=True,
        asked=(f"{unknown.read.tool}: a match",),
    )
    if found == "failed":
        return replace(known, state="failed", code="UPSTREAM_REJECTED")
    if found == "cancelled":
        return replace(known, state="cancelled")
    if found in ("queued", "running") or (found is None and call.write.follow is not None):
        return replace(known, state="accepted")
    return known


def state_of(
    states: Iterable[frozen.StateRule], values: Mapping[str, Any], scope: Scope
) -> str | None:
    """Return the state of the first rule that holds, or None."""
    look_up = look_up_names(values, scope)
    return next((rule.state for rule in states if holds(rule.when, look_up, scope)), None)


def proof_of(unknown: frozen.Unknown) -> Literal["effect", "state"]:
    """A `where` on the key or the marker proves the effect, any other only the state."""
    roots = {item.root for item in references(dict(unknown.where))}
    return "effect" if roots & {"key", "marker"} else "state"


def may_resend(call: Call, execution: ExecutionRow, conclusion: Conclusion) -> bool:
    """Return whether the same bytes may go out once more in this execution (I5)."""
    terms = call.write
    if conclusion.state != "unknown":
        return False
    if not terms.resend or execution.attempts > 1 or terms.idempotency.by not in ("key", "nature"):
        return False
    body = call.contract.request.body
    if body is not None and body.carried is not None and terms.version_check != "atomic":
        return False
    if terms.unknown is None:
        if terms.idempotency.by != "nature":
            return False
    elif not conclusion.found_nothing:
        return False
    window = terms.idempotency.window
    return window is None or _age(call, execution) < window - _MARGIN


def _surely_not_done(call: Call, execution: ExecutionRow, unknown: frozen.Unknown) -> bool:
    after = unknown.not_done_after
    return after is not None and _age(call, execution) >= after


def _age(call: Call, execution: ExecutionRow) -> float:
    return (call.parts.now() - execution.sent_at).total_seconds()


def _sent_at(call: Call, unknown: frozen.Unknown, execution: ExecutionRow) -> Any:
    """Return the first byte's time less 60 s, as the read's input asks: epoch seconds or a date-time."""
    at = execution.sent_at.timestamp() - 60
    contract = call.parts.snapshot.contract(unknown.read.tool)
    for name, template in unknown.read.arguments.items():
        if any(item.root == "sent_at" for item in references(template)):
            properties: Any = contract.arguments.get("properties", {})
            if properties.get(name, {}).get("type") in ("integer", "number"):
                return int(at)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
