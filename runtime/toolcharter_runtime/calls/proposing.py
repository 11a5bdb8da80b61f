"""Preview of a write: everything is validated, read and rendered before the proposal exists, and nothing changes (P1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import Rejected, digest
from toolcharter_runtime.language import ABSENT, Scope, pointer_of, read_pointer, references
from toolcharter_runtime.policy import Verdict, self_decision
from toolcharter_runtime.records import Proposal, mint_id
from toolcharter_runtime.upstream.bodies import carry
from toolcharter_runtime.upstream.request import BuiltRequest, build_request, request_digest
from toolcharter_runtime.validation import complete_arguments

from .call import Call, refuse
from .effect import difference, effect_sentence, free_texts, records
from .keys import marker_of, new_key
from .limits import check_amounts
from .native_preview import native_preview
from .proposed import propose_reply
from .ruling import rule_early, rule_now
from .target import Observed, check_preconditions, observe, target_names

__all__ = ["propose"]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A proposal while it is made: what was found, in the order of P1."""

    arguments: dict[str, Any]
    scope: Scope
    observed: Observed
    shown: Mapping[str, Any]
    preview: Mapping[str, Any]
    verdict: Verdict
    built: BuiltRequest


async def propose(call: Call, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make and store a proposal; return what a model sees of it (P20)."""
    draft = await _draft(call, complete_arguments(call.contract, arguments))
    proposal = _assemble(call, draft)
    decision = self_decision(draft.verdict, proposal, call.parts.now())
    row = await call.parts.store.add_proposal(proposal, call.cause(), decision=decision)
    return propose_reply(call, row).to_json()


async def _draft(call: Call, arguments: dict[str, Any]) -> _Draft:
    terms = call.write
    check_amounts(call, arguments)
    key = new_key(call.contract.request.key_form)
    scope = call.scope(arguments, key=key, marker=marker_of(key), records=records(terms, arguments))
    rule_early(call, scope)
    observed = await observe(call, scope)
    _require_target(terms.target, observed)
    scope = scope.with_roots(**observed.roots(), **_carried(call, observed))
    shown = await check_preconditions(call, scope, observed.seen)
    verdict = rule_now(call, scope)
    built = _build(call.contract, scope)
    preview = await native_preview(call, scope)
    return _Draft(arguments, scope, observed, shown, preview, verdict, built)


def _require_target(target: frozen.Target, observed: Observed) -> None:
    if observed.seen is None:
        return
    if target.absent and not observed.absent:
        raise refuse("PRECONDITION_FAILED", message="The target exists already.")
    if observed.absent and not target.absent:
        raise refuse("TARGET_NOT_FOUND")


def _assemble(call: Call, draft: _Draft) -> Proposal:
    contract, terms, run, now = call.contract, call.write, call.run, call.parts.now()
    identity, resources = target_names(call, draft.scope)
    fields = _target_fields(call)
    return Proposal(
        proposal_id=mint_id("prop"),
        tenant=run.tenant,
        run_id=run.run_id,
        agent=run.agent,
        person=run.person,
        tool=contract.id,
        contract_digest=call.parts.snapshot.digest_of(contract.id),
        arguments=draft.arguments,
        injected=dict(draft.scope.roots),
        target={
            "type": terms.target.type,
            "id": identity,
            "version": draft.observed.version,
            "check": _version_check(terms, draft.built),
        },
        upstream=call.parts.upstream_name(),
        policy_rows=draft.verdict.rows,
        effect=_effect(contract, draft.scope, fields),
        difference=_shown_difference(call, draft, fields),
        request_digest=request_digest(draft.built),
        expires_at=_expiry(now, draft.verdict),
        created_at=now,
        key=draft.scope.roots["key"],
        operation=contract.operation,
        arguments_sha256=digest("arguments", draft.arguments),
        root_request_id=call.request_id,
        resources=resources,
        quorum=draft.verdict.quorum,
    )


def _version_check(terms: frozen.WriteTerms, built: BuiltRequest) -> str:
    """A check is atomic only where the version is in the request: a weak validator never is (V1, V3)."""
    if terms.version_check == "atomic" and not built.precondition:
        return "advisory"
    return terms.version_check


def _carried(call: Call, observed: Observed) -> dict[str, Any]:
    """Return the target's own object for a full replacement."""
    body = call.contract.request.body
    if body is None or body.carried is None or observed.seen is None:
        return {}
    answer = observed.seen.answer
    carried = ABSENT if answer is None else carry(body.carried, answer.body)
    return {} if carried is ABSENT else {"carried": carried}


def _expiry(now: datetime, verdict: Verdict) -> datetime:
    return now + timedelta(seconds=verdict.expires_in)


def _effect(contract: frozen.Contract, scope: Scope, fields: tuple[frozen.ViewField, ...]) -> str:
    sentence = effect_sentence(contract, scope, fields)
    if sentence is None:
        raise refuse("INVALID_ARGUMENT", **_unset(contract, scope))
    return sentence


def _unset(contract: frozen.Contract, scope: Scope) -> dict[str, Any]:
    """Say which input the summary names and the call leaves out."""
    named = references(contract.write.summary) if contract.write else ()
    for pointer in (pointer_of(*one.path) for one in named if one.root is None):
        if read_pointer(dict(scope.arguments), pointer) is ABSENT:
            return {"field": pointer, "message": "is required: the effect in words names it"}
    return {"note": "the summary names what is not there"}


def _build(contract: frozen.Contract, scope: Scope) -> BuiltRequest:
    try:
        return build_request(contract.request, scope)
    except Rejected as error:
        raise refuse("INVALID_ARGUMENT", field=error.pointer, message=error.reason) from None


def _shown_difference(
    call: Call, draft: _Draft, fields: tuple[frozen.ViewField, ...]
) -> dict[str, Any]:
    terms = call.write
    changes = difference(call.contract, draft.scope, fields)
    if terms.changes and not changes:
        raise refuse("INVALID_ARGUMENT", message="The call changes nothing: set one input.")
    beside = {
        name: draft.observed.before[name]
        for name in terms.target.show
        if name in draft.observed.before
    }
    parts: dict[str, Any] = {
        "changes": changes,
        "shown": {**beside, **draft.shown},
        "untrusted": free_texts(call.contract, draft.arguments),
        "not_guaranteed": list(terms.preview.not_guaranteed) if terms.preview else [],
        "consequences": list(terms.consequences),
        "irreversible": list(terms.irreversible),
        "records": draft.scope.roots["records"],
        "preview": dict(draft.preview),
    }
    return {name: value for name, value in parts.items() if value not in ([], {})}


def _target_fields(call: Call) -> tuple[frozen.ViewField, ...]:
    read = call.write.target.read
    return () if read is None else call.parts.snapshot.contract(read.tool).view.fields
