"""All that a write has and a read has not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.schema import PolicySpec
from toolcharter.charter.terms import FactSource, PreviewSpec
from toolcharter_runtime.frozen import (
    AnswerRule,
    ApprovalRow,
    Change,
    Check,
    Compensation,
    Evidence,
    Follow,
    Idempotency,
    NativePreview,
    Policy,
    Request,
    Target,
    Unknown,
    WriteTerms,
)
from toolcharter_runtime.language import parse_place, references

from .case import Case
from .grades import grade_claims, version_check
from .reads import Book

__all__ = ["resolve_terms", "target_case"]

_DEFAULT_EXPIRY = 900.0
_GUARDS = (
    ("approval", "TC501", "an approval policy"),
    ("idempotency", "TC502", "a word on what makes a repeat harmless"),
    ("evidence", "TC517", "evidence"),
    ("unknown", "TC518", "a plan for a lost answer"),
    ("compensation", "TC528", "a compensation, or the reason why there is none"),
    ("summary", "TC529", "its effect in words"),
)


def target_case(case: Case, book: Book) -> Case | None:
    """Return the tool that reads the target, if the target is read."""
    return book.find(case.spec.target.read) if case.spec.target is not None else None


def resolve_terms(
    case: Case, book: Book, request: Request, answers: tuple[AnswerRule, ...]
) -> WriteTerms | None:
    """Return the terms; None where a guard is missing, which is an error of its own."""
    if not _has_guards(case):
        return None
    spec = case.spec
    before = target_case(case, book)
    target = _target(case, book)
    idempotency, evidence = _idempotency(case), _evidence(case, book, before)
    if target is None or idempotency is None or evidence is None:
        return None
    summary = spec.summary or ""
    book.check_names(case, summary, case.at("summary"), before)
    terms = WriteTerms(
        summary=summary,
        target=target,
        approval=tuple(_approval(case, book, before)),
        consequences=_consequences(case),
        irreversible=spec.irreversible,
        affects=_affects(case),
        checks=tuple(_checks(case, book, before)),
        changes=tuple(_changes(case, book, before)),
        preview=_preview(case, book, before),
        idempotency=idempotency,
        version_check=version_check(case, request),
        unknown=_unknown(case, book, before),
        follow=_follow(case, book, before),
        evidence=evidence,
        compensation=_compensation(case, book, before),
        resend=spec.retry == "resend",
    )
    grade_claims(case, book, terms, request, answers)
    return terms


def _has_guards(case: Case) -> bool:
    missing = False
    for key, code, what in _GUARDS:
        if getattr(case.spec, key) is None:
            case.findings.error(code, f"{case.name} writes without {what}", case.at())
            missing = True
    target = case.spec.target
    if target is None or target.version is None or target.id is None:
        case.findings.error(
            "TC516",
            f"{case.name} writes without a target, its id and its version",
            case.at("target"),
        )
        missing = True
    return not missing


def _target(case: Case, book: Book) -> Target | None:
    spec = case.spec.target
    if spec is None or spec.version is None or spec.id is None:
        return None
    pointer = case.at("target")
    before = book.find(spec.read)
    via = None
    if spec.via is not None:
        via = book.read(case, spec.via.read, spec.via.arguments, f"{pointer}/via")
        _check_via(case, book, pointer)
    read = None
    if spec.read is not None:
        read = book.read(case, spec.read, spec.arguments, pointer)
    book.check_names(case, spec.id, f"{pointer}/id", before)
    names = before.view_names() if before is not None else ()
    book.condition(case, spec.require, names, f"{pointer}/require", before)
    for key, wanted in (("version", spec.version.fields), ("show", spec.show)):
        for name in wanted:
            if name not in names:
                message = f"the target's view has no `{name}`"
                case.findings.error("TC737", message, f"{pointer}/{key}", nearest(name, names))
    if before is None and spec.read is None and (spec.version.fields or spec.version.absent):
        message = "a version needs a target that is read"
        case.findings.error("TC516", message, pointer, "state `read`, or `version: {none: why}`")
    return Target(
        type=spec.type,
        id=spec.id,
        read=read,
        via=via,
        version=spec.version.fields,
        absent=spec.version.absent is True,
        unversioned=spec.version.none,
        require=spec.require,
        show=spec.show,
    )


def _check_via(case: Case, book: Book, pointer: str) -> None:
    spec = case.spec.target
    if spec is None or spec.via is None:
        return
    hop = book.find(spec.via.read)
    if hop is None:
        return
    for value in (spec.id, *spec.arguments.values()):
        for reference in references(value):
            if reference.root == "via" and reference.path[0] not in hop.view_names():
                message = f"{spec.via.read} has no `{reference.path[0]}` in its view"
                case.findings.error(
                    "TC737", message, pointer, nearest(reference.path[0], hop.view_names())
                )


def _approval(case: Case, book: Book, before: Case | None) -> Iterator[ApprovalRow]:
    rows = case.spec.approval or ()
    policies = case.api.charter.policies
    names = [*case.spec.input]
    for index, row in enumerate(rows):
        pointer = case.at("approval", str(index))
        spec = policies.get(row.policy)
        if spec is None:
            message = f"there is no policy `{row.policy}`"
            case.findings.error("TC526", message, pointer, nearest(row.policy, policies))
            continue
        if row.when is not None:
            book.condition(case, row.when, names, f"{pointer}/when", before)
        yield ApprovalRow(policy=_policy(row.policy, spec), when=row.when)


def _policy(name: str, spec: PolicySpec) -> Policy:
    return Policy(
        name=name,
        approvers=spec.approvers,
        quorum=spec.quorum or 1,
        expires_in=round(spec.expires_in or _DEFAULT_EXPIRY),
        self_approval=spec.self_approval,
        after_transient=spec.after_transient,
        none=spec.none,
    )


def _consequences(case: Case) -> tuple[str, ...]:
    marks = case.spec.consequences
    return marks if case.spec.affects is None or "bulk" in marks else (*marks, "bulk")


def _affects(case: Case) -> str | None:
    affects = case.spec.affects
    if affects is None:
        return None
    one = case.inputs.get(affects.each)
    pointer = case.at("affects")
    if one is None or one.schema.get("type") != "array":
        message = f"`{affects.each}` is no input that is a list"
        case.findings.error("TC737", message, pointer, nearest(affects.each, case.spec.input))
    elif "maxItems" not in one.schema:
        message = f"input `{affects.each}` has no `maxItems`, so any number of records could change"
        case.findings.error("TC205", message, pointer, "state `maxItems`")
    return affects.each


def _checks(case: Case, book: Book, before: Case | None) -> Iterator[Check]:
    for index, spec in enumerate(case.spec.checks):
        pointer = case.at("checks", str(index))
        read = book.read(case, spec.read, spec.arguments, pointer, before=before)
        reader = book.find(spec.read)
        if read is None or reader is None:
            continue
        book.condition(case, spec.require, reader.view_names(), f"{pointer}/require", before)
        _check_shown(case, reader, spec.show, pointer)
        yield Check(read=read, require=spec.require, show=spec.show, because=spec.because)


def _check_shown(case: Case, reader: Case, names: tuple[str, ...], pointer: str) -> None:
    for name in names:
        if name not in reader.view_names():
            message = f"{reader.name} has no `{name}` in its view"
            case.findings.error(
                "TC737", message, f"{pointer}/show", nearest(name, reader.view_names())
            )


def _changes(case: Case, book: Book, before: Case | None) -> Iterator[Change]:
    known = before.view_names() if before is not None else ()
    for label, spec in case.spec.changes.items():
        pointer = case.at("changes") + "/" + escape(label)
        after: Any = spec.after
        if spec.before is not None and spec.before not in known:
            message = f"the target's view has no `{spec.before}`"
            case.findings.error("TC737", message, pointer, nearest(spec.before, known))
        if not {"after", "add", "remove"} & spec.model_fields_set:
            if spec.before not in case.spec.input:
                message = f"the change `{label}` does not say what comes after"
                case.findings.error("TC732", message, pointer, "state `after`, `add` or `remove`")
                continue
            after = f"{{{spec.before}}}"
        for value in (after, spec.add, spec.remove):
            book.check_names(case, value, pointer, before)
        yield Change(label=label, before=spec.before, after=after, add=spec.add, remove=spec.remove)
    if "changes" not in case.spec.model_fields_set and before is not None:
        yield from _changes_by_name(case, before)


def _changes_by_name(case: Case, before: Case) -> Iterator[Change]:
    """Inputs of the same name in the target's view, where the write stands at the target's own path.

    An amount to refund is not the amount of the charge: a write elsewhere says its changes itself.
    """
    if before.operation.path != case.operation.path:
        return
    for name, one in case.inputs.items():
        if one.place is not None and one.place.location == "path":
            continue
        if before.view_field(name) is not None and one.branches is None and one.each is None:
            yield Change(label=name, before=name, after=f"{{{name}}}")


def _preview(case: Case, book: Book, before: Case | None) -> NativePreview | None:
    spec = case.spec.preview
    if spec is None:
        return None
    pointer = case.at("preview")
    if (spec.read is None) == (spec.dry_run is None):
        message = "a preview is either a read or a dry run"
        case.findings.error("TC731", message, pointer)
        return None
    read = None
    if spec.read is not None:
        read = book.read(case, spec.read, spec.arguments, pointer, before=before)
        reader = book.find(spec.read)
        if reader is not None:
            _check_shown(case, reader, spec.show, pointer)
    else:
        _check_dry_run(case, spec, pointer)
    return NativePreview(
        read=read,
        show=spec.show,
        not_guaranteed=spec.not_guaranteed,
        dry_run=spec.dry_run,
        confirmed_by=spec.confirmed_by,
    )


def _check_dry_run(case: Case, spec: PreviewSpec, pointer: str) -> None:
    for text in spec.dry_run or {}:
        place = parse_place(text)
        if (
            place.location in ("query", "header")
            and case.parameter(place.location, place.name) is None
        ):
            case.ledger.need(
                text, f"place {text}", f"{case.operation.key} declares no `{text}`", pointer
            )
    if spec.confirmed_by is None:
        why = "no answer confirms that the dry run was one"
        case.ledger.need("dry_run", "a dry run changes nothing", why, pointer)


def _idempotency(case: Case) -> Idempotency | None:
    spec = case.spec.idempotency
    if spec is None:
        return None
    window = None if spec.window is None or math.isinf(spec.window) else round(spec.window)
    return Idempotency(by=spec.by, window=window, because=spec.because)


def _unknown(case: Case, book: Book, before: Case | None) -> Unknown | None:
    spec = case.spec.unknown
    if spec is None or spec.read is None:
        return None
    pointer = case.at("unknown")
    read = book.read(case, spec.read, spec.arguments, pointer, before=before)
    reader = book.find(spec.read)
    if read is None or reader is None:
        return None
    if not spec.where:
        case.findings.error("TC732", "`unknown` lacks `where`: what a match is", pointer)
    book.condition(case, spec.where, reader.view_names(), f"{pointer}/where", before)
    for state, condition in spec.states.items():
        book.condition(
            case, condition, reader.view_names(), f"{pointer}/states/{escape(state)}", before
        )
    _check_states(case, tuple(spec.states), pointer)
    if any(field.each is not None for field in reader.view) and reader.spec.page is None:
        message = f"{spec.read} answers a list without pages, which a search could miss part of"
        case.findings.error("TC547", message, pointer, "state `page` of the read")
    waits = None
    if spec.not_found is not None:
        waits = round(spec.not_found.not_done_after)
        case.ledger.need(
            "not_found", "no match after a time means not done", "nothing promises it", pointer
        )
    return Unknown(
        read=read, where=spec.where, pages=spec.pages, states=spec.states, not_done_after=waits
    )


_STATES = ("queued", "running", "succeeded", "failed", "cancelled")


def _check_states(case: Case, states: tuple[str, ...], pointer: str) -> None:
    for state in states:
        if state not in _STATES:
            message = f"`{state}` is no state of an operation"
            case.findings.error(
                "TC731", message, f"{pointer}/states/{escape(state)}", nearest(state, _STATES)
            )


def _follow(case: Case, book: Book, before: Case | None) -> Follow | None:
    spec = case.spec.follow
    if spec is None:
        return None
    pointer = case.at("follow")
    read = book.read(
        case, spec.read, spec.arguments, pointer, before=before, by_name=case.spec.view
    )
    reader = book.find(spec.read)
    if read is None or reader is None:
        return None
    for state, condition in spec.states.items():
        book.condition(
            case, condition, reader.view_names(), f"{pointer}/states/{escape(state)}", before
        )
    _check_states(case, tuple(spec.states), pointer)
    _check_mapped(case, reader, pointer)
    if spec.reason is not None:
        _check_shown(case, reader, (spec.reason,), pointer)
    cancel = None
    if spec.cancel is not None:
        cancel = book.read(
            case, spec.cancel, {}, f"{pointer}/cancel", effect="write", by_name=case.spec.view
        )
        _check_cancel(case, book, spec.cancel, pointer)
    return Follow(
        read=read,
        states=spec.states,
        reason=spec.reason,
        every=spec.every,
        deadline=spec.deadline,
        cancel=cancel,
        gone_is_success=case.ledger.attested("gone", "an operation that is gone has not failed"),
    )


def _check_cancel(case: Case, book: Book, name: str, pointer: str) -> None:
    stops = book.find(name)
    if stops is None:
        return
    rows = stops.spec.approval or ()
    policies = [case.api.charter.policies.get(row.policy) for row in rows]
    if any(policy is not None and policy.none is None for policy in policies):
        message = f"{name} needs a person's approval, so it cannot be a cancel"
        case.findings.error(
            "TC547", message, f"{pointer}/cancel", "its policy must be `{none: why}`"
        )


def _check_mapped(case: Case, reader: Case, pointer: str) -> None:
    """Every value of the states' enums is mapped to a state; one that is not would count as running forever."""
    spec = case.spec.follow
    named: dict[str, list[Any]] = {}
    for condition in spec.states.values() if spec else ():
        for name, wanted in condition.items():
            values = wanted if isinstance(wanted, list) else [wanted]
            named.setdefault(name, []).extend(values)
    for name, values in named.items():
        field = reader.view_field(name)
        enum = field.accepts.get("enum") if field is not None else None
        if not isinstance(enum, list) or any(isinstance(value, dict) for value in values):
            continue
        lacking = [str(value) for value in enum if value is not None and value not in values]
        if lacking:
            message = f"`states` maps no state to {', '.join(lacking)} of `{name}`"
            case.findings.error(
                "TC549", message, f"{pointer}/states", "map every value of the enum"
            )


def _evidence(case: Case, book: Book, before: Case | None) -> Evidence | None:
    spec = case.spec.evidence
    if spec is None:
        return None
    pointer = case.at("evidence")
    absent: dict[str, str] = {}
    names: dict[str, str] = {}
    sources: dict[str, FactSource | None] = {
        "operation_id": spec.operation_id,
        "new_version": spec.new_version,
        "state": spec.state,
        **spec.facts(),
    }
    for fact, source in sources.items():
        if source is None:
            continue
        if source.name is not None:
            names[fact] = source.name
            _check_fact(case, book, before, source.name, f"{pointer}/{escape(fact)}")
        elif source.none is not None:
            absent[fact] = source.none
    if spec.proof is not None:
        book.condition(case, spec.proof, [*case.spec.view], f"{pointer}/proof", before)
    standard: dict[Literal["operation_id", "new_version", "state"], str | None] = {
        "operation_id": names.pop("operation_id", None),
        "new_version": names.pop("new_version", None),
        "state": names.pop("state", None),
    }
    if not names and not any(standard.values()) and spec.proof is None:
        message = f"the evidence of {case.name} is no more than a status"
        case.findings.error("TC517", message, pointer, "name a fact, or a `proof` on $after")
    return Evidence(
        operation_id=standard["operation_id"],
        new_version=standard["new_version"],
        state=standard["state"],
        absent=absent,
        facts=names,
        proof=spec.proof,
    )


def _check_fact(case: Case, book: Book, before: Case | None, name: str, pointer: str) -> None:
    if name.startswith("$"):
        book.condition(case, {name: {"exists": True}}, (), pointer, before)
    elif name not in case.spec.view:
        message = f"the view has no `{name}`"
        case.findings.error("TC737", message, pointer, nearest(name, case.spec.view))


def _compensation(case: Case, book: Book, before: Case | None) -> Compensation:
    spec = case.spec.compensation
    if spec is None or spec.tool is None:
        return Compensation(none=spec.none if spec else None)
    pointer = case.at("compensation")
    read = book.read(case, spec.tool, spec.arguments, pointer, before=before, effect="write")
    if read is None:
        return Compensation(none=None)
    return Compensation(tool=read.tool, arguments=read.arguments)
