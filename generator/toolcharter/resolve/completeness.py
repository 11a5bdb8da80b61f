"""Every required field and parameter of the request has a source, whichever inputs are set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toolcharter.source import ParameterSpec
from toolcharter_runtime.language import Place

from .case import Case
from .credentials import credential_of_cookie
from .findings import UncarriedError
from .merging import JsonSchema
from .places import is_owned

__all__ = ["Source", "check_body", "check_object", "check_parameters"]


@dataclass(frozen=True, slots=True)
class Source:
    """Something that fills a place of the body."""

    tokens: tuple[str, ...]
    always: bool
    """It has a value in every call."""
    name: str
    pointer: str
    is_whole: bool
    """What stands below its place is its own matter: a constant, a union, a list of objects."""

    def below(self) -> Source:
        """Return the source as seen one level further down."""
        return Source(self.tokens[1:], self.always, self.name, self.pointer, self.is_whole)


@dataclass(frozen=True, slots=True)
class _Lack:
    message: str
    pointer: str
    hint: str
    is_missing: bool = False
    """Nothing fills it; else something does that may be unset."""
    at: str = ""


def check_parameters(case: Case, always: Iterable[Place], present: Iterable[Place]) -> None:
    """Report each required parameter, and each name of the path, that no call is sure to fill."""
    sure = {(place.location, place.name.lower()) for place in always}
    maybe = {(place.location, place.name.lower()) for place in present}
    wanted = {("path", name): "path" for name in case.operation.path_names}
    wanted |= {
        (p.location, p.name): p.location
        for p in case.operation.parameters
        if p.required and not _is_supplied(case, p)
    }
    for (location, name), _ in sorted(wanted.items()):
        key = (location, name.lower())
        if key in sure:
            continue
        if key in maybe:
            message = f"`{location}.{name}` is required, and its source may be unset"
            case.findings.error("TC120", message, case.at("input"), "say `required: true`")
        else:
            message = f"{case.operation.key} requires `{location}.{name}`, which nothing fills"
            case.findings.error("TC120", message, case.at(), "fill it in `input` or `send`")


def _is_supplied(case: Case, parameter: ParameterSpec) -> bool:
    """Say whether no source is asked for: a header of the boundary's own, the credential's cookie, no part of the path."""
    if parameter.location == "path":
        return parameter.name not in case.operation.path_names
    if parameter.location == "header":
        return is_owned(parameter.name)
    return parameter.location == "cookie" and credential_of_cookie(case, parameter.name) is not None


def check_body(case: Case, sources: Sequence[Source]) -> None:
    """Report each required property of the body that some call would leave out."""
    body = case.body
    if body is None:
        return
    if not sources:
        if body.required:
            message = f"{case.operation.key} requires a body, and nothing fills it"
            case.findings.error(
                "TC120", message, case.at(), "fill it in `input` or `send`, or send `body: {}`"
            )
        return
    lacks = _lacks(case, body.schema, list(sources), "")
    if case.is_body_optional:
        lacks = [lack for lack in lacks if lack.is_missing or lack.at.count("/") != 1]
    _report(case, lacks)
    if not lacks:
        case.ledger.state("request complete", "proved")


def check_object(case: Case, schema: JsonSchema, sources: Sequence[Source], pointer: str) -> None:
    """Report what an object inside an input would lack; `pointer` is where the charter lists its members."""
    place = sources[0].pointer if sources else pointer
    _report(case, _of_object(case, schema, list(sources), "", place))


def _report(case: Case, lacks: Sequence[_Lack]) -> None:
    """Report what nothing fills; only where there is no such thing, what may be unset."""
    for lack in [lack for lack in lacks if lack.is_missing] or lacks:
        case.findings.error("TC120", lack.message, lack.pointer, lack.hint)


def _lacks(case: Case, schema: JsonSchema, sources: list[Source], at: str) -> list[_Lack]:
    """Return what is missing below one node; of a union, what its best branch lacks."""
    if any(not source.tokens for source in sources):
        return []
    try:
        expanded = case.api.reader.expand(schema)
    except UncarriedError as error:
        return [_Lack(f"`{at or '/'}`: {error.reason}", sources[0].pointer, error.hint)]
    pointer = sources[0].pointer
    attempts = [
        _of_object(case, branch.schema, sources, at, pointer) for branch in expanded.branches
    ]
    if len(attempts) < 2:
        return attempts[0] if attempts else []
    if any(not lack.is_missing for lack in min(attempts, key=_count)):
        return []  # what the branches ask together is asked of the arguments (`projecting`)
    return min(attempts, key=_count)


def _count(lacks: list[_Lack]) -> tuple[int, int]:
    return sum(lack.is_missing for lack in lacks), len(lacks)


def _of_object(
    case: Case, schema: JsonSchema, sources: list[Source], at: str, pointer: str
) -> list[_Lack]:
    lacks: list[_Lack] = []
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.tokens[0], []).append(source)
    for name in schema.get("required", ()):
        group = groups.get(name, [])
        if group:
            lacks.extend(_of_required(group, name, sources, at))
        elif not _is_read_only(case, schema, name):
            message = f"the body requires `{at}/{name}`, which nothing fills"
            lacks.append(_Lack(message, pointer, "fill it in `input` or `send`", True))
    for name, group in groups.items():
        inner = case.api.reader.step(schema, name)
        if inner.schema is not None:
            lacks.extend(_lacks(case, inner.schema, [s.below() for s in group], f"{at}/{name}"))
        elif not inner.exists:
            lacks.append(_Lack(f"the body has no `{at}/{name}`", group[0].pointer, ""))
    return lacks


def _of_required(group: list[Source], name: str, sources: list[Source], at: str) -> list[_Lack]:
    if any(source.always for source in group):
        return []
    others = [source for source in sources if source not in group]
    if others or not at:
        message = f"`{at}/{name}` is required whenever its object is sent, and `{group[0].name}` may be unset"
        return [_Lack(message, group[0].pointer, "say `required: true`", at=f"{at}/{name}")]
    return []


def _is_read_only(case: Case, schema: JsonSchema, name: str) -> bool:
    """A property that only the answer has is not asked of a request (OpenAPI 3.1, `readOnly`)."""
    try:
        step = case.api.reader.step(schema, name)
        return bool(step.schema and case.api.reader.flat(step.schema).get("readOnly"))
    except UncarriedError:
        return False
