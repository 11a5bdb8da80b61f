"""Description and charter, resolved: every tool a frozen contract, or the reasons why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.schema import Charter, LimitsSpec, TimeoutSpec, ToolSpec
from toolcharter.charter.sentences import language_findings
from toolcharter.diagnostics import Diagnostic, Staged
from toolcharter.source import Description, Operation
from toolcharter_runtime.frozen import Claim, Contract, Limits, Read, Resolver, Timeout

from .answers import resolve_answers
from .api import ResolvedApi, ResolvedTool
from .case import Api, Case
from .claims import Ledger
from .credentials import resolve_auth
from .findings import Findings, tool_pointer
from .inputs import arguments_schema, input_uses, resolve_inputs
from .leaves import LeafReader
from .operations import description_of, plan_body, successes
from .pages import resolve_page
from .reads import Book, Fill
from .request import resolve_request
from .results import result_view
from .schemas import SchemaReader
from .terms import resolve_terms, target_case
from .views import resolve_view

__all__ = ["resolve_api"]


def resolve_api(description: Description, charter: Charter) -> Staged[ResolvedApi]:
    """Resolve every tool of a charter; all errors of a run are reported together.

    A charter whose places and templates cannot be read, which loading it reported, is not resolved. There is a value only where every tool could be resolved: a tool with a missing guard is never made without it.
    """
    if any(language_findings(charter)):
        return Staged(None)
    requests, answers = SchemaReader(description), SchemaReader(description, is_lenient=True)
    api = Api(charter, description, requests, LeafReader(requests), answers, LeafReader(answers))
    attested: set[str] = set()
    cases: dict[str, Case] = {}
    diagnostics: list[Diagnostic] = []
    for name, spec in charter.tools.items():
        found, said = _open(api, name, spec, attested)
        diagnostics += said
        if found is not None:
            cases[name] = found
    for case in cases.values():
        resolve_inputs(case)
        resolve_view(case)
    book = Book(cases, charter.tools)
    tools = [tool for name in sorted(cases) if (tool := _contract(cases[name], book)) is not None]
    for case in cases.values():
        diagnostics += case.findings.found
    diagnostics += _about_the_whole(api, attested)
    diagnostics = _once(diagnostics)
    is_whole = len(tools) == len(charter.tools) and all(d.severity != "error" for d in diagnostics)
    value = ResolvedApi(charter.package, tuple(tools), charter, description) if is_whole else None
    return Staged(value, tuple(diagnostics))


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings in order, one that several tools share only once and of no tool."""
    first: dict[tuple[object, ...], Diagnostic] = {}
    for finding in sorted(diagnostics, key=lambda one: one.sort_key):
        key = finding.sort_key
        shared = key in first and first[key].tool != finding.tool
        first[key] = replace(first[key], tool=None) if shared else first.get(key, finding)
    return list(first.values())


def _open(
    api: Api, name: str, spec: ToolSpec, attested: set[str]
) -> tuple[Case | None, tuple[Diagnostic, ...]]:
    findings = Findings(api.charter, name)
    found = api.description.operation(spec.operation)
    said = tuple(_at_tool(api.charter, name, finding) for finding in found.diagnostics)
    if found.value is None:
        return None, said
    operation: Operation = found.value
    ledger = Ledger(api.charter, name, spec, findings, attested)
    case = Case(api, name, spec, operation, findings, ledger)
    if spec.effect is None:
        findings.error("TC503", f"{name} does not say whether it reads or writes", case.at())
    case.body = plan_body(case)
    return case, said


def _at_tool(charter: Charter, name: str, finding: Diagnostic) -> Diagnostic:
    """Put an operation that is not there at the charter's line that names it."""
    is_missing = finding.code in ("TC726", "TC707")
    return Diagnostic(
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        origin=charter.origin(tool_pointer(name, "operation")) if is_missing else finding.origin,
        hint=finding.hint,
        tool=name,
    )


def _contract(case: Case, book: Book) -> ResolvedTool | None:
    before = target_case(case, book) if case.is_write else None
    request = resolve_request(case, before)
    answers = resolve_answers(case)
    page = resolve_page(case)
    auth = resolve_auth(case)
    declared = successes(case)
    resolvers = tuple(_resolvers(case, book))
    terms = resolve_terms(case, book, request, answers) if case.is_write else None
    _check_retry(case)
    case.ledger.report_unused()
    spec = case.spec
    if case.findings.has_errors or spec.effect is None or (case.is_write and terms is None):
        return None
    contract = Contract(
        tool=case.name,
        version=spec.version,
        effect=spec.effect,
        hidden=spec.hidden,
        purposes=spec.purposes,
        description=description_of(case),
        operation=_operation_name(case.operation),
        arguments=arguments_schema(case),
        inputs=input_uses(case),
        resolvers=resolvers,
        request=request,
        auth=auth,
        successes=declared,
        answers=answers,
        view=result_view(case),
        page=page,
        write=terms,
        retry=not case.is_write and spec.retry != "none",
        timeout=_timeout(case),
        limits=_limits(case),
        claims=_claims(case),
    )
    return ResolvedTool(
        contract, case.api.charter.origin(case.at()), case.operation, dict(case.places)
    )


def _claims(case: Case) -> tuple[Claim, ...]:
    """Return all claims of a write; of a read those that the description does not prove."""
    stated = (case.ledger.claims[claim] for claim in sorted(case.ledger.claims))
    return tuple(claim for claim in stated if case.is_write or claim.grade != "proved")


def _operation_name(operation: Operation) -> str:
    plain = f"{operation.method} {operation.path}"
    return f"{plain} ({operation.operation_id})" if operation.operation_id else plain


def _check_retry(case: Case) -> None:
    wrong = "resend" if not case.is_write else "safe"
    if case.spec.retry == wrong:
        allowed = "`safe` or `none`" if not case.is_write else "`none` or `resend`"
        case.findings.error(
            "TC731", f"`retry` of a {case.spec.effect} is {allowed}", case.at("retry")
        )


def _resolvers(case: Case, book: Book) -> Iterator[Resolver]:
    for name, one in case.inputs.items():
        source = one.spec.resolved_by
        if source is None:
            continue
        read = book.read(case, source, one.pointer, Fill())
        reader = book.find(source)
        if read is None or reader is None:
            continue
        if name not in reader.view_names():
            message = f"{source} has no `{name}` in its view, so it cannot resolve it"
            case.findings.error("TC737", message, one.pointer, nearest(name, reader.view_names()))
            continue
        yield Resolver(input=name, read=Read(tool=read.tool, arguments=read.arguments), field=name)


def _timeout(case: Case) -> Timeout:
    default, own = case.api.charter.defaults.timeout, case.spec.timeout
    if default is not None:
        case.api.used_defaults.add("/timeout")
    said: dict[str, float] = {}
    for spec in (default, own):
        said |= _said(spec)
    return Timeout(**said)


def _said(spec: TimeoutSpec | None) -> dict[str, float]:
    return (
        {}
        if spec is None
        else {key: value for key, value in spec.model_dump().items() if value is not None}
    )


def _limits(case: Case) -> Limits:
    default, own = (
        case.api.charter.defaults.limits or LimitsSpec(),
        case.spec.limits or LimitsSpec(),
    )
    if case.api.charter.defaults.limits is not None:
        case.api.used_defaults.add("/limits")
    for name in own.total:
        _check_total(case, name)
    return Limits(
        per_run=own.per_run or default.per_run,
        per_run_in_flight=own.per_run_in_flight or default.per_run_in_flight,
        per_tenant_in_flight=own.per_tenant_in_flight or default.per_tenant_in_flight,
        total=own.total or {k: v for k, v in default.total.items() if k in case.inputs},
    )


def _check_total(case: Case, name: str) -> None:
    one = case.inputs.get(name)
    if one is None:
        message = f"`total` names no input `{name}`"
        case.findings.error("TC737", message, case.at("limits"), nearest(name, case.inputs))
    elif one.schema.get("type") not in ("integer", "number") and one.spec.money is None:
        message = f"input `{name}` is no number that could be summed"
        case.findings.error("TC731", message, case.at("limits"))


def _about_the_whole(api: Api, attested: set[str]) -> Iterator[Diagnostic]:
    charter = api.charter
    findings = Findings(charter)
    _unused_defaults(api, findings, attested)
    for name in charter.fields:
        if name not in api.used_fields:
            message = f"no tool has an input `{name}` that takes its spec from `fields`"
            findings.warning("TC805", message, f"/fields/{escape(name)}", "remove it")
    yield from findings.found


def _unused_defaults(api: Api, findings: Findings, attested: set[str]) -> None:
    defaults = api.charter.defaults
    wanted: Mapping[str, str] = {
        **{f"/send/{escape(place)}": f"`{place}`" for place in defaults.send},
        **{f"/answers/{i}": f"answer rule {i + 1}" for i, _ in enumerate(defaults.answers)},
        **({"/auth": "`auth`"} if defaults.auth is not None else {}),
    }
    for pointer, what in wanted.items():
        if pointer not in api.used_defaults:
            message = f"{what} of `defaults` fits no tool"
            findings.error("TC546", message, f"/defaults{pointer}", "remove it, or correct it")
    for key in defaults.attest:
        if key not in attested:
            message = f"no tool needs the attestation `{key}` of `defaults`"
            findings.error("TC541", message, f"/defaults/attest/{escape(key)}", "remove it")
