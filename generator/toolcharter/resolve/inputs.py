"""What may come in: each input's place, schema and need, and the closed schema of the arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.schema import InputSpec
from toolcharter.patterns import is_anchored, may_hold_space
from toolcharter_runtime.frozen import InputUse, Money
from toolcharter_runtime.jsonvalue import is_list, is_map
from toolcharter_runtime.language import (
    LanguageError,
    Place,
    parse_place,
    pointer_of,
    references,
)

from .case import Case, Input
from .findings import UncarriedError
from .hoisting import rooted
from .merging import JsonSchema, types_of
from .places import find_spot
from .projecting import flattened
from .trees import resolve_tree
from .words import check_name

__all__ = ["CURSOR", "arguments_schema", "input_uses", "resolve_inputs"]

CURSOR: JsonSchema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 4096,
    "description": "From next_cursor of the page before; leave it out for the first page.",
}
"""The opaque cursor that the model hands back."""


def resolve_inputs(case: Case) -> None:
    """Fill `case.inputs`, in the order of the charter."""
    filled = {str(parse_place(place)) for place in case.spec.send if _is_place(place)}
    for name, written in case.spec.input.items():
        spec, pointer = _shared(case, name, written)
        try:
            found = _resolve(case, name, spec, pointer, filled)
        except UncarriedError as error:
            case.findings.uncarried(error, f"input `{name}`", pointer)
            found = None
        if found is None:
            case.is_placed = False
        else:
            _check_guards(case, found)
            case.inputs[name] = found
            case.keep_places(f"input.{name}", pointer, spec)
    _require_composed(case)
    if case.is_placed:
        try:
            case.together = tuple(flattened(case))
        except UncarriedError as error:
            case.findings.uncarried(error, "the body", case.at("input"))


def _check_guards(case: Case, one: Input) -> None:
    """What is said of one value is refused where the boundary would not see it: inside a value, and of no amount."""
    for pointer, spec in _specs_inside(one.spec, one.pointer):
        for word in (word for word in _OF_INPUTS if getattr(spec, word) is not None):
            message = (
                f"input `{one.name}`: `{word}` is said of a value inside it, where nothing heeds it"
            )
            hint = "remove it, or make that value an input of its own with `to`"
            case.findings.error("TC731", message, f"{pointer}/{word}", hint)
    kinds = set(types_of(one.schema) or ())
    if one.spec.money is not None and kinds - _AMOUNTS:
        message = f"input `{one.name}` is no number that could be an amount"
        case.findings.error(
            "TC731", message, f"{one.pointer}/money", "say `money` of the amount itself"
        )


_OF_INPUTS: Final = ("money", "resolved_by", "multi_segment")
_AMOUNTS: Final = frozenset({"integer", "number", "string", "null"})


def _specs_inside(spec: InputSpec, pointer: str) -> Iterator[tuple[str, InputSpec]]:
    for steps, inner in spec.inner():
        below = pointer + pointer_of(*steps)
        yield below, inner
        yield from _specs_inside(inner, below)


def _require_composed(case: Case) -> None:
    """Without a word of the charter, an input is required where a required place is composed of it."""
    for text, value in case.spec.send.items():
        if not isinstance(value, str) or not _is_place(text):
            continue
        for reference in references(value):
            one = case.inputs.get(reference.path[0]) if reference.root is None else None
            if one is None or one.place is not None or one.spec.required is not None:
                continue
            spot = find_spot(case, parse_place(text), case.at("send", text))
            if spot is not None and spot.required:
                case.inputs[one.name] = replace(one, required=True)


def _is_place(text: str) -> bool:
    try:
        parse_place(text)
    except LanguageError:
        return False
    return True


def _shared(case: Case, name: str, written: InputSpec) -> tuple[InputSpec, str]:
    fields = case.api.charter.fields
    if not written.model_fields_set and name in fields:
        case.api.used_fields.add(name)
        return fields[name], f"/fields/{escape(name)}"
    return written, case.at("input", name)


def _resolve(
    case: Case, name: str, spec: InputSpec, pointer: str, filled: set[str]
) -> Input | None:
    check_name(name)
    place = _place_of(case, name, spec, pointer, filled)
    bare = Input(name, {}, spec.required or False, spec, pointer, place, label=name)
    if place is None:
        if not _is_composed(case, name):
            _report_no_place(case, name, pointer)
            return None
        return resolve_tree(case, bare, None)
    spot = find_spot(case, place, pointer)
    if spot is None:
        return None
    required = spot.required if spec.required is None else spec.required
    last = place.pointer.rpartition("/")[2]
    near = (last, spot.known)
    bare = replace(bare, required=required, text=spot.description, near=near)
    return resolve_tree(case, bare, spot.schema)


def _place_of(
    case: Case, name: str, spec: InputSpec, pointer: str, filled: set[str]
) -> Place | None:
    if spec.to is not None:
        return parse_place(spec.to)
    places = [place for place in _named_places(case, name) if str(place) not in filled]
    if len(places) > 1:
        message = f"input `{name}` could stand at {' or '.join(map(str, places))}"
        case.findings.error("TC118", message, pointer, "say which with `to`")
    return places[0] if places else None


def _named_places(case: Case, name: str) -> Iterator[Place]:
    declared: set[tuple[str, str]] = {
        (p.location, p.name) for p in case.operation.parameters if p.location != "path"
    }
    declared |= {("path", path_name) for path_name in case.operation.path_names}
    for location in ("path", "query", "header", "cookie"):
        if (location, name) in declared:
            yield parse_place(f"{location}.{name}")
    if case.body is not None and name in case.api.reader.walk(case.body.schema, (name,)).known:
        yield parse_place(f"/{escape(name)}")


def _is_composed(case: Case, name: str) -> bool:
    sent = [*case.spec.send.values()]
    try:
        return any(
            r.root is None and r.path[0] == name for value in sent for r in references(value)
        )
    except LanguageError:
        return True


def _report_no_place(case: Case, name: str, pointer: str) -> None:
    known = {p.name for p in case.operation.parameters} | set(case.operation.path_names)
    if case.body is not None:
        known |= set(case.api.reader.walk(case.body.schema, (name,)).known)
    message = f"{case.operation.key} has no parameter or property `{name}`"
    hint = nearest(name, known) or "say where it goes with `to`, or compose it in `send`"
    case.findings.error("TC110", message, pointer, hint)


def arguments_schema(case: Case) -> JsonSchema:
    """Return the closed schema of what the model may send."""
    properties = {name: one.schema for name, one in case.inputs.items()}
    required = [name for name, one in case.inputs.items() if one.required]
    if case.spec.page is not None:
        properties["cursor"] = dict(CURSOR)
    schema: JsonSchema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if required:
        schema["required"] = required
    if case.together:
        schema["allOf"] = list(case.together)
    return rooted(schema)


def input_uses(case: Case) -> dict[str, InputUse]:
    """Return what the boundary must know of each input beside its schema."""
    return {name: _use(one) for name, one in case.inputs.items()}


def _use(one: Input) -> InputUse:
    money = one.spec.money
    return InputUse(
        money=None if money is None else Money(unit=money.unit, currency=money.currency),
        free_text=_holds_free_text(one.schema),
    )


def _holds_free_text(schema: Mapping[str, object]) -> bool:
    """Say whether a model can write prose there (P16), in a value or as the key of a map."""
    kind = schema.get("type")
    kinds = kind if is_list(kind) else [kind]
    if "string" in kinds and _is_prose(schema):
        return True
    if "object" in kinds and schema.get("additionalProperties", True) is not False:
        keys = schema.get("propertyNames")
        if _is_prose(keys if is_map(keys) else {}):
            return True
    return any(map(_holds_free_text, _inside(schema)))


def _is_prose(schema: Mapping[str, object]) -> bool:
    if {"enum", "const"} & schema.keys():
        return False
    if schema.get("format") in ("date", "date-time", "time", "uuid", "ipv4", "ipv6"):
        return False
    pattern = schema.get("pattern")
    return not isinstance(pattern, str) or not is_anchored(pattern) or may_hold_space(pattern)


def _inside(schema: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for keyword in ("items", "additionalProperties"):
        inner = schema.get(keyword)
        if is_map(inner):
            yield inner
    for keyword in ("properties", "patternProperties"):
        inner = schema.get(keyword)
        if is_map(inner):
            yield from filter(is_map, inner.values())
    for keyword in ("anyOf", "oneOf", "prefixItems"):
        inner = schema.get(keyword)
        if is_list(inner):
            yield from filter(is_map, inner)
