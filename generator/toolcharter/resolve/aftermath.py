"""What follows a write: the question after a lost answer, the operation that is followed, evidence, compensation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.terms import FactSource
from toolcharter_runtime.frozen import Compensation, Evidence, Follow, StateRule, Unknown

from .case import Case
from .reads import Book, Fill
from .targets import check_shown

__all__ = ["resolve_compensation", "resolve_evidence", "resolve_follow", "resolve_unknown"]


_STATES = ("queued", "running", "succeeded", "failed", "cancelled")


def resolve_unknown(case: Case, book: Book, before: Case | None) -> Unknown | None:
    """Return what is asked after a lost answer; None where a person is asked at once."""
    spec = case.spec.unknown
    if spec is None or spec.read is None:
        return None
    pointer = case.at("unknown")
    read = book.read(case, spec.read, pointer, Fill(spec.arguments, before))
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
        hint = "state `page` of the read; of a list that is whole, view `/*/x` and ask what it `contains`"
        case.findings.error("TC547", message, pointer, hint)
    waits = None
    if spec.not_found is not None:
        waits = round(spec.not_found.not_done_after)
        case.ledger.need(
            "not_found", "no match after a time means not done", "nothing promises it", pointer
        )
    return Unknown(
        read=read,
        where=spec.where,
        pages=spec.pages,
        states=tuple(_states(spec.states)),
        not_done_after=waits,
    )


def _states(specs: Mapping[str, Mapping[str, Any]]) -> Iterator[StateRule]:
    """Yield the rules in the order of the charter, which decides where two of them hold."""
    for state, condition in specs.items():
        yield StateRule(state=state, when=dict(condition))


def _check_states(case: Case, states: tuple[str, ...], pointer: str) -> None:
    for state in states:
        if state not in _STATES:
            message = f"`{state}` is no state of an operation"
            case.findings.error(
                "TC731", message, f"{pointer}/states/{escape(state)}", nearest(state, _STATES)
            )


def resolve_follow(case: Case, book: Book, before: Case | None) -> Follow | None:
    """Return how an accepted operation is polled; None where it is not followed."""
    spec = case.spec.follow
    if spec is None:
        return None
    pointer = case.at("follow")
    read = book.read(case, spec.read, pointer, Fill(spec.arguments, before, answers=case.spec.view))
    reader = book.find(spec.read)
    if read is None or reader is None:
        return None
    for state, condition in spec.states.items():
        book.condition(
            case, condition, reader.view_names(), f"{pointer}/states/{escape(state)}", before
        )
    _check_states(case, tuple(spec.states), pointer)
    _check_mapped(case, reader, pointer)
    _check_followed(case, pointer)
    if spec.reason is not None:
        check_shown(case, reader, (spec.reason,), pointer)
    cancel = None
    if spec.cancel is not None:
        cancel = book.read(
            case, spec.cancel, f"{pointer}/cancel", Fill(effect="write", answers=case.spec.view)
        )
        _check_cancel(case, book, spec.cancel, pointer)
    return Follow(
        read=read,
        states=tuple(_states(spec.states)),
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


def _check_followed(case: Case, pointer: str) -> None:
    """Warn of rules that say completed and never accepted: only a lost answer would then be followed."""
    outcomes = {rule.outcome for rule in case.spec.answers}
    if "completed" in outcomes and "accepted" not in outcomes:
        message = f"no answer of {case.name} is accepted, so `follow` serves a lost answer only"
        hint = "where the answer is no more than a start, say `is: accepted`"
        case.findings.warning("TC805", message, pointer, hint)


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


def resolve_evidence(case: Case, book: Book, before: Case | None) -> Evidence | None:
    """Return what proves the effect; None where the charter has no word on it."""
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


def resolve_compensation(case: Case, book: Book, before: Case | None) -> Compensation:
    """Return the write that makes good, its inputs filled, or the reason why there is none."""
    spec = case.spec.compensation
    if spec is None or spec.tool is None:
        return Compensation(none=spec.none if spec else None)
    pointer = case.at("compensation")
    read = book.read(case, spec.tool, pointer, Fill(spec.arguments, before, "write"))
    if read is None:
        return Compensation(none=None)
    return Compensation(tool=read.tool, arguments=read.arguments)
