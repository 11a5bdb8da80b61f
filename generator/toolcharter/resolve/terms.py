"""All that a write has and a read has not."""

from __future__ import annotations

import math
from collections.abc import Iterator

from toolcharter.charter.findings import nearest
from toolcharter.charter.schema import PolicySpec
from toolcharter_runtime.frozen import (
    AnswerRule,
    ApprovalRow,
    Idempotency,
    Policy,
    Request,
    WriteTerms,
)

from .aftermath import resolve_compensation, resolve_evidence, resolve_follow, resolve_unknown
from .case import Case
from .grades import grade_claims, version_check
from .merging import has_bound
from .plainness import check_compared, check_joined
from .reads import Book
from .targets import resolve_changes, resolve_checks, resolve_preview, resolve_target

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
    target = resolve_target(case, book)
    idempotency, evidence = _idempotency(case), resolve_evidence(case, book, before)
    if target is None or idempotency is None or evidence is None:
        return None
    summary = spec.summary or ""
    book.check_names(case, summary, case.at("summary"), before)
    check_joined(case, summary, case.at("summary"))
    terms = WriteTerms(
        summary=summary,
        target=target,
        approval=tuple(_approval(case, book, before)),
        consequences=_consequences(case),
        irreversible=spec.irreversible,
        affects=_affects(case),
        checks=tuple(resolve_checks(case, book, before)),
        changes=tuple(resolve_changes(case, book, before)),
        preview=resolve_preview(case, book, before),
        idempotency=idempotency,
        version_check=version_check(case, request),
        unknown=resolve_unknown(case, book, before),
        follow=resolve_follow(case, book, before),
        evidence=evidence,
        compensation=resolve_compensation(case, book, before),
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
            check_compared(case, row.when, f"{pointer}/when")
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
    elif not has_bound(one.schema, "maxItems"):
        message = f"input `{affects.each}` has no `maxItems`, so any number of records could change"
        case.findings.error("TC205", message, pointer, "state `maxItems`")
    return affects.each


def _idempotency(case: Case) -> Idempotency | None:
    spec = case.spec.idempotency
    if spec is None:
        return None
    window = None if spec.window is None or math.isinf(spec.window) else round(spec.window)
    return Idempotency(by=spec.by, window=window, because=spec.because)
