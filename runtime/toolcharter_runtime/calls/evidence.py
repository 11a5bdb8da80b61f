"""What proves an effect (E1): taken from the answer and one read after the commit, and never invented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcharter_runtime import frozen
from toolcharter_runtime.envelope import Evidence, TargetName
from toolcharter_runtime.language import ABSENT, UNSET, Scope, equal, holds, look_up_names, render
from toolcharter_runtime.records import DecisionRow, Proposal, instant_text
from toolcharter_runtime.values import as_map

from .call import Call, CallError
from .target import Observed, observe, version_of

__all__ = ["Approval", "Effect", "approval_of", "gather"]

_NOT_READABLE = "the target could not be read after the commit"


@dataclass(frozen=True, slots=True)
class Approval:
    """Who approved, for the evidence."""

    approved_by: tuple[str, ...] = ()
    self_approved: bool = False


def approval_of(proposal: Proposal, decisions: tuple[DecisionRow, ...]) -> Approval:
    """Return who approved, from the stored decisions of a proposal that was consumed (it was judged then)."""
    approved = [one for one in decisions if one.outcome == "approved"]
    chain = {proposal.agent, proposal.person} - {None}
    return Approval(
        tuple(sorted({one.principal for one in approved})),
        any({one.principal, one.subject} & chain for one in approved),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What is known of a write that took effect, before the target is read again."""

    answer: Mapping[str, Any]
    """Raw values of the write's view, or of the match that stands for it."""
    proof: Literal["answer", "effect", "state"]
    replayed: bool = False
    attempts: int = 1
    resolved_by: str | None = None
    is_finished: bool = True
    """False: accepted, and its end is not seen."""
    approval: Approval


@dataclass(slots=True)
class _Facts:
    """Values, and the reasons of those that are missing."""

    absent: dict[str, str] = field(default_factory=dict[str, str])

    def have(self, name: str, value: Any, reason: str) -> Any:
        if value is ABSENT or value is None:
            self.absent[name] = reason
            return None
        return value


async def gather(call: Call, proposal: Proposal, scope: Scope, effect: Effect) -> Evidence:
    """Read the target once more and return the evidence of a write that took effect."""
    terms, target = call.write, call.write.target
    after = await _read_after(call, scope) if effect.is_finished else None
    roots = _roots(proposal, effect.answer, after)
    facts = _Facts()
    named = {
        "upstream_operation_id": (terms.evidence.operation_id, "operation_id"),
        "next_state": (terms.evidence.state, "state"),
    }
    found = {
        name: facts.have(name, _name(source, roots), _why_not(terms, known, source))
        for name, (source, known) in named.items()
    }
    own = {
        name: facts.have(name, _name(source, roots), _why_not(terms, name, source))
        for name, source in terms.evidence.facts.items()
    }
    return Evidence(
        proposal_id=proposal.proposal_id,
        target=TargetName(target.type, proposal.target["id"]),
        previous_version=facts.have(
            "previous_version", proposal.target["version"], _unversioned(target)
        ),
        new_version=facts.have(
            "new_version", _new_version(terms, roots, after), _no_new_version(terms, after)
        ),
        changed_fields=facts.have(
            "changed_fields", _changed_fields(call, proposal, after), _no_changes(target, effect)
        ),
        **found,
        committed_at=instant_text(call.parts.now()),
        approved_by=effect.approval.approved_by,
        self_approved=effect.approval.self_approved,
        version_check=proposal.target["check"],
        replayed=effect.replayed,
        attempts=effect.attempts,
        effect_differs=_differs(call, proposal, scope, roots, after),
        proof=effect.proof,
        resolved_by=effect.resolved_by,
        facts=own,
        absent=facts.absent,
    )


async def _read_after(call: Call, scope: Scope) -> Observed | None:
    """One read after the commit; None where there is none to make or it failed."""
    if call.write.target.read is None:
        return None
    try:
        return await observe(call, scope)
    except CallError:
        return None


def _roots(
    proposal: Proposal, answer: Mapping[str, Any], after: Observed | None
) -> dict[str, Mapping[str, Any]]:
    roots: dict[str, Mapping[str, Any]] = {
        "answer": answer,
        "before": proposal.injected.get("before", {}),
    }
    if after is not None:
        roots["after"] = {**after.before, "absent": after.absent}
    return roots


def _name(source: str | None, roots: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return what a name of the charter's evidence stands for: bare names are the answer's."""
    if source is None:
        return ABSENT
    root, _, rest = source[1:].partition(".") if source.startswith("$") else ("answer", "", source)
    value: Any = roots.get(root, ABSENT)
    for part in rest.split("."):
        inside = as_map(value)
        value = ABSENT if inside is None else inside.get(part, ABSENT)
    return value


def _why_not(terms: frozen.WriteTerms, name: str, source: str | None) -> str:
    stated = terms.evidence.absent.get(name)
    if stated is not None:
        return stated
    if source is None:
        return "the charter names no source for it"
    return _NOT_READABLE if source.startswith("$after") else "the answer does not have it"


def _unversioned(target: frozen.Target) -> str:
    if target.absent:
        return "the target did not exist"
    return target.unversioned or "the target has no version"


def _new_version(
    terms: frozen.WriteTerms, roots: Mapping[str, Mapping[str, Any]], after: Observed | None
) -> Any:
    if terms.evidence.new_version is not None:
        return _name(terms.evidence.new_version, roots)
    return ABSENT if after is None or after.absent else version_of(terms.target, after.before)


def _no_new_version(terms: frozen.WriteTerms, after: Observed | None) -> str:
    stated = terms.evidence.absent.get("new_version") or terms.target.unversioned
    if stated is not None:
        return stated
    if after is not None and after.absent:
        return "the target is gone"
    return _NOT_READABLE


def _changed_fields(
    call: Call, proposal: Proposal, after: Observed | None
) -> tuple[str, ...] | None:
    """Return the declared fields whose raw value differs between the preview's read and the one after."""
    target = call.write.target
    if after is None or target.read is None:
        return None
    before: Mapping[str, Any] = proposal.injected.get("before", {})
    view = call.parts.snapshot.contract(target.read.tool).view.fields
    return tuple(
        field.name
        for field in view
        if not field.hidden
        and not field.secret
        and not _same(before.get(field.name, ABSENT), after.before.get(field.name, ABSENT))
    )


def _same(left: Any, right: Any) -> bool:
    if left is ABSENT or right is ABSENT:
        return left is right
    return equal(left, right)


def _no_changes(target: frozen.Target, effect: Effect) -> str:
    if target.read is None:
        return "the charter names no read of the target"
    return _NOT_READABLE if effect.is_finished else "the operation has not ended"


def _differs(
    call: Call,
    proposal: Proposal,
    scope: Scope,
    roots: Mapping[str, Mapping[str, Any]],
    after: Observed | None,
) -> bool:
    """Return whether what happened is not what was shown (V8): a previewed field, a change, the declared proof."""
    terms = call.write
    loose = frozenset(() if terms.preview is None else terms.preview.not_guaranteed)
    previewed: Mapping[str, Any] = proposal.difference.get("preview", {})
    answer = roots["answer"]
    if any(
        name in answer and not equal(value, answer[name])
        for name, value in previewed.items()
        if name not in loose
    ):
        return True
    if after is None:
        return False
    if terms.evidence.proof is not None:
        inside = Scope(scope.arguments, {**scope.roots, **roots})
        if not holds(terms.evidence.proof, look_up_names(answer, inside), inside):
            return True
    return any(
        change.before in after.before and not equal(expected, after.before[change.before])
        for change in terms.changes
        if change.before is not None
        and change.before not in loose
        and (expected := _expected(change, scope)) is not ABSENT
    )


def _expected(change: frozen.Change, scope: Scope) -> Any:
    """Return the value that a plain change promised; sets that grow or shrink are compared by the charter's proof."""
    if change.after is None:
        return ABSENT
    rendered = render(change.after, scope)
    return ABSENT if rendered is UNSET else rendered
