"""What each upstream answer means: the tool's own rules, then the defaults that fit it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from toolcharter.charter.findings import nearest
from toolcharter.charter.schema import AnswerSpec
from toolcharter_runtime.codes import ErrorCode
from toolcharter_runtime.frozen import AnswerRule
from toolcharter_runtime.language import parse_place, references, tokens_of

from .case import Case
from .findings import UncarriedError
from .merging import JsonSchema
from .operations import is_declared, is_json, success_bodies

__all__ = ["resolve_answers", "rule_statuses"]

_CODES = frozenset(get_args(ErrorCode))


def resolve_answers(case: Case) -> tuple[AnswerRule, ...]:
    """Return the rules in the order in which they are tried."""
    rules: list[AnswerRule] = []
    for index, spec in enumerate(case.spec.answers):
        pointer = case.at("answers", str(index))
        _check_rule(case, spec, pointer)
        if any(_is_shadowed(spec, rule) for rule in rules):
            message = f"answer rule {index + 1} of {case.name} is never reached: an earlier one holds first"
            case.findings.error("TC545", message, pointer, "put it before, or remove it")
        rules.append(_rule(spec))
    _check_tag(case)
    for index, spec in enumerate(case.api.charter.defaults.answers):
        if _default_fits(case, spec):
            case.api.used_defaults.add(f"/answers/{index}")
            rules.append(_rule(spec))
    return tuple(rules)


def rule_statuses(rule: AnswerSpec | AnswerRule) -> tuple[int, ...]:
    """Return the statuses that a rule names."""
    wanted = rule.when.get("http")
    values = wanted if isinstance(wanted, list) else [wanted]
    return tuple(
        value for value in values if isinstance(value, int) and not isinstance(value, bool)
    )


def _rule(spec: AnswerSpec) -> AnswerRule:
    return AnswerRule(
        when=spec.when,
        outcome=spec.outcome,
        code=spec.code,
        field=spec.field,
        replayed=spec.replayed,
    )


def _is_shadowed(spec: AnswerSpec, earlier: AnswerRule) -> bool:
    return all(key in spec.when and spec.when[key] == value for key, value in earlier.when.items())


def _default_fits(case: Case, spec: AnswerSpec) -> bool:
    """Say whether a default rule concerns the tool.

    `unknown` is kept for every write, declared or not: it is the careful reading, and needs no claim.
    """
    if not case.is_write:
        return (
            spec.outcome == "rejected"
            and spec.code != "IDEMPOTENCY_KEY_REUSED"
            and _all_declared(case, spec)
        )
    return spec.outcome == "unknown" or _all_declared(case, spec)


def _all_declared(case: Case, spec: AnswerSpec) -> bool:
    statuses = all(
        is_declared(case.operation, status)
        or case.ledger.attested(f"http {status}", f"status {status}")
        for status in rule_statuses(spec)
    )
    return statuses and all(
        _has_header(case, place) or case.ledger.attested(place, f"answer {place}")
        for place in spec.when
        if place.startswith("header.")
    )


def _has_header(case: Case, text: str) -> bool:
    name = parse_place(text).name.lower()
    responses = case.operation.responses.values()
    return any(name == known.lower() for response in responses for known in response.headers)


def _check_rule(case: Case, spec: AnswerSpec, pointer: str) -> None:
    for status in rule_statuses(spec):
        if not is_declared(case.operation, status):
            why = f"{case.operation.key} does not declare the status {status}"
            case.ledger.need(f"http {status}", f"status {status}", why, f"{pointer}/when")
    for place in spec.when:
        _check_place(case, place, f"{pointer}/when")
    if spec.code is not None and spec.code not in _CODES:
        message = f"`{spec.code}` is no error code of the boundary"
        case.findings.error("TC737", message, f"{pointer}/code", nearest(spec.code, _CODES))
    if spec.outcome != "rejected" and spec.code is not None:
        message = f"an answer that is {spec.outcome} has no code"
        case.findings.error("TC731", message, f"{pointer}/code", "remove `code`")
    if spec.field is not None and spec.field.split(".")[0] not in case.spec.input:
        message = f"`field` names no input of {case.name}"
        case.findings.error(
            "TC737", message, f"{pointer}/field", nearest(spec.field, case.spec.input)
        )
    for reference in references(dict(spec.when)):
        problem = case.name_problem(reference, None) if reference.root in (None, "run") else None
        if problem is not None:
            case.findings.error("TC737", problem[0], f"{pointer}/when", problem[1])


def _check_place(case: Case, text: str, pointer: str) -> None:
    place = parse_place(text)
    if place.location in ("path", "query", "cookie"):
        message = f"`{text}` is no place of an answer: write http, header.NAME or /pointer"
        case.findings.error("TC735", message, pointer)
    if place.location == "header" and not _has_header(case, text):
        why = f"no answer of {case.operation.key} declares the header `{place.name}`"
        case.ledger.need(text, f"answer {text}", why, pointer)
    if place.location != "body":
        return
    known: set[str] = set()
    for schema in _bodies(case):
        try:
            step = case.api.answer_reader.walk(schema, tokens_of(place.pointer))
        except UncarriedError as error:
            case.findings.uncarried(error, f"`{text}`", pointer)
            return
        if step.exists:
            return
        known |= set(step.known)
    if known:
        message = f"no answer of {case.operation.key} has `{text}`"
        case.findings.error("TC110", message, pointer, nearest(text.rpartition("/")[2], known))


def _check_tag(case: Case) -> None:
    """Report a write whose successes and errors only a tag tells apart, while no rule looks at it (TC543).

    A description that declares its errors as `default` may answer them with 200.
    """
    errors = case.operation.responses.get("default")
    if not case.is_write or errors is None:
        return
    asked = {*(place for spec in case.spec.answers for place in spec.when)}
    asked |= {place for spec in case.api.charter.defaults.answers for place in spec.when}
    wrong = [schema for media, schema in errors.bodies.items() if is_json(media)]
    for success in success_bodies(case):
        for error in wrong:
            tag = _telling_tag(case, success, error)
            if tag is not None and not any(place.startswith("/") for place in asked):
                message = f"a success and an error of {case.operation.key} differ by `{tag}`, and no rule looks at it"
                hint = f"add under `answers`: {{when: {{/{tag}: …}}, is: rejected}}"
                case.findings.error("TC543", message, case.at("answers"), hint)
                return


def _telling_tag(case: Case, success: JsonSchema, error: JsonSchema) -> str | None:
    """Return a property that both have, with constants that never meet."""
    try:
        left, right = case.api.answer_reader.flat(success), case.api.answer_reader.flat(error)
        for name in left.get("properties", {}):
            ours, theirs = _constants(case, left, name), _constants(case, right, name)
            if ours and theirs and not any(value in theirs for value in ours):
                return str(name)
    except UncarriedError:
        return None
    return None


def _constants(case: Case, schema: JsonSchema, name: str) -> list[object]:
    if name not in schema.get("properties", {}):
        return []
    inner = case.api.answer_reader.flat(schema["properties"][name])
    values: list[object] = [inner["const"]] if "const" in inner else inner.get("enum", [])
    return values


def _bodies(case: Case) -> Iterator[JsonSchema]:
    for response in case.operation.responses.values():
        for media, schema in response.bodies.items():
            if is_json(media):
                yield schema
