"""Grades the claims of a write, and asks for the attestations that are missing (docs/charter.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from toolcharter_runtime.frozen import AnswerRule, Request, ViewField, WriteTerms
from toolcharter_runtime.language import Reference, parse_template, references

from .answers import rule_statuses
from .case import Case
from .operations import is_declared
from .reads import Book
from .request import sent_references

__all__ = ["grade_claims", "version_check"]


def version_check(case: Case, request: Request) -> Literal["atomic", "advisory", "none"]:
    """Return who compares the version: the upstream, the boundary, or nobody."""
    target, repeat = case.spec.target, case.spec.idempotency
    if target is None or target.version is None or target.version.none is not None:
        return "none"
    if any(reference.root == "version" for _, reference, _ in sent_references(request)):
        return "atomic"
    if target.version.absent and (
        _sends_if_none_match(request) or (repeat is not None and repeat.by == "id")
    ):
        return "atomic"
    return "advisory"


def _sends_if_none_match(request: Request) -> bool:
    return any(
        p.location == "header" and p.name.lower() == "if-none-match" and p.value == "*"
        for p in request.parameters
    )


def grade_claims(
    case: Case, book: Book, terms: WriteTerms, request: Request, answers: Sequence[AnswerRule]
) -> None:
    """State each claim of a write with what it rests on; reports what must be attested and is not."""
    _grade_version(case, terms, request, answers)
    _grade_repeat(case, terms, request)
    _grade_evidence(case, book, terms)
    if terms.unknown is not None and terms.unknown.where:
        roots = {reference.root for reference in references(dict(terms.unknown.where))}
        proves = "the effect" if roots & {"key", "marker"} else "the state"
        case.ledger.state(f"a match proves {proves}", "proved")


def _grade_version(
    case: Case, terms: WriteTerms, request: Request, answers: Sequence[AnswerRule]
) -> None:
    if terms.version_check != "atomic":
        return
    sent = any(reference.root == "version" for _, reference, _ in sent_references(request))
    if _refuses_stale(case, answers):
        case.ledger.state("a stale version is refused", "declared")
        return
    key = "version" if sent else "id" if terms.idempotency.by == "id" else "absent"
    why = "the version is enforced upstream, while no declared answer becomes VERSION_CONFLICT"
    code = case.ledger.has(key)
    if not code and sent:
        case.findings.error(
            "TC542",
            "the version is sent, and no declared answer becomes VERSION_CONFLICT",
            case.at("answers"),
            f"add a rule with `code: VERSION_CONFLICT`, or attest: {{{key}: DECIDE}}",
        )
        return
    case.ledger.need(key, "a stale version is refused", why, case.at("target"))


def _refuses_stale(case: Case, answers: Sequence[AnswerRule]) -> bool:
    if "412" in case.operation.responses:
        return True
    for rule in answers:
        if rule.code == "VERSION_CONFLICT":
            statuses = rule_statuses(rule)
            if all(is_declared(case.operation, status) for status in statuses):
                return True
            if case.spec.target is not None and any(
                case.ledger.has(f"http {status}") for status in statuses
            ):
                return case.spec.idempotency is None or case.spec.idempotency.by != "id"
    return False


def _grade_key(case: Case, place: str, pointer: str) -> None:
    """State what the key rests on: a place that takes one is no promise that the API keeps it."""
    claim, stated = "one effect per key", case.ledger.claims.get(f"place {place}")
    if stated is not None and stated.grade == "attested":
        case.ledger.state(claim, "attested", stated.because)
    elif _says_key(case, place):
        case.ledger.state(claim, "declared", f"{place} is declared")
    else:
        case.ledger.need(
            "key", claim, f"nothing says that {place} makes a repeat harmless", pointer
        )


def _says_key(case: Case, place: str) -> bool:
    """Say whether the place is called an idempotency key, by its name or by its parameter's description."""
    texts = [place] + [
        parameter.description or ""
        for parameter in case.operation.parameters
        if f"{parameter.location}.{parameter.name}".lower() == place.lower()
    ]
    return any("idempoten" in text.lower() for text in texts)


def _grade_repeat(case: Case, terms: WriteTerms, request: Request) -> None:
    pointer = case.at("idempotency")
    match terms.idempotency.by:
        case "key":
            places = [
                place for place, reference, _ in sent_references(request) if reference.root == "key"
            ]
            if not places:
                message = f"{case.name} repeats by key, and sends none"
                case.findings.error(
                    "TC502", message, pointer, 'send it: `send: {header.NAME: "{$key}"}`'
                )
            for place in places:
                _grade_key(case, place, pointer)
        case "version":
            if terms.version_check != "atomic":
                message = f"{case.name} repeats by version, and the upstream compares none"
                case.findings.error(
                    "TC502", message, pointer, "send `{$version}`, or `header.If-None-Match: '*'`"
                )
            case.ledger.state(
                "every write moves the version", "declared", terms.idempotency.because
            )
        case "id":
            case.ledger.need(
                "id",
                "a second create is refused or returns the first",
                "nothing declares it",
                pointer,
            )
        case "nature":
            if terms.idempotency.because is None:
                message = f"{case.name} repeats by nature without a reason"
                case.findings.error("TC502", message, pointer, "state `because`")
            case.ledger.state("a repeat changes nothing", "attested", terms.idempotency.because)
        case "marker":
            _grade_marker(case, terms, request)


def _grade_marker(case: Case, terms: WriteTerms, request: Request) -> None:
    pointer = case.at("idempotency")
    sent = [
        (place, value)
        for place, reference, value in sent_references(request)
        if reference.root == "marker"
    ]
    if not sent:
        message = f"{case.name} repeats by marker, and sends none"
        case.findings.error("TC502", message, pointer, "send `{$marker}` where a read can find it")
        return
    where = terms.unknown.where if terms.unknown is not None else {}
    if not any(reference.root == "marker" for reference in references(dict(where))):
        message = f"{case.name} repeats by marker, and `unknown` does not look for it"
        case.findings.error("TC518", message, case.at("unknown"), "name `{$marker}` in `where`")
        return
    if any(_is_joined(value) for _, value in sent):
        why = "the marker stands inside a text, which the upstream may alter"
        case.ledger.need("marker", "a marker is found again", why, pointer)
    else:
        case.ledger.state(
            "a marker is found again", "proved", "its field is in the view of the read"
        )


def _is_joined(value: object) -> bool:
    if not isinstance(value, str):
        return False
    parts = parse_template(value)
    return len(parts) > 1 and any(isinstance(part, Reference) for part in parts)


def _grade_evidence(case: Case, book: Book, terms: WriteTerms) -> None:
    """State what each fact rests on; reports a write that may be left without a single one."""
    evidence = terms.evidence
    named = {
        "operation_id": evidence.operation_id,
        "new_version": evidence.new_version,
        "state": evidence.state,
        **evidence.facts,
    }
    found = {
        fact: field
        for fact, name in named.items()
        if name is not None and (field := _evidence_field(case, book, name)) is not None
    }
    for fact, field in found.items():
        if field.required:
            case.ledger.state(f"evidence {fact}", "proved")
        else:
            case.ledger.state(f"evidence {fact}", "declared", "optional in the answer")
    is_sure = bool(evidence.proof) or any(field.required for field in found.values())
    if found and not is_sure:
        message = (
            f"{case.name} may be left without evidence: the answer may leave out {_listed(found)}"
        )
        hint = "Add `proof`, or a fact that the answer always has; else silence it, saying why."
        case.findings.warning("TC548", message, case.at("evidence"), hint)


def _evidence_field(case: Case, book: Book, name: str) -> ViewField | None:
    """Return the field that a fact is taken from: of the answer, or of the target's read."""
    if not name.startswith(("$after.", "$before.")):
        return case.view_field(name)
    target = book.find(case.spec.target.read) if case.spec.target else None
    return None if target is None else target.view_field(name.partition(".")[2])


def _listed(facts: Iterable[str]) -> str:
    return ", ".join(f"`{fact}`" for fact in facts)
