"""What goes out: each name of the view, proved through the success schemas, and the closed schema of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolcharter.charter.findings import nearest
from toolcharter.charter.places import escape
from toolcharter.charter.schema import ViewSpec
from toolcharter_runtime.frozen import Money, ViewField
from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.language import parse_place, tokens_of

from .case import Case
from .ceilings import bounded
from .findings import UncarriedError
from .leaves import nullable, only_branch, tighten, typed
from .merging import JsonSchema, has_bound, types_of
from .operations import success_bodies, success_headers
from .schemas import Branch, Step

__all__ = ["OPEN_ENUM_LENGTH", "resolve_view"]


OPEN_ENUM_LENGTH = 100
"""The longest value of an enum that may grow, where the description bounds its strings no further."""
_OF_LIST = frozenset({"maxItems", "minItems", "uniqueItems"})


@dataclass(frozen=True, slots=True)
class _Scene:
    """Where a view's places start: the successes' bodies, or the items of a list."""

    schemas: tuple[JsonSchema, ...]
    pointer: str
    items_of: str | None = None
    """The list whose items these are."""
    is_write_only: bool = False


def resolve_view(case: Case) -> None:
    """Fill `case.view`, in the order of the charter."""
    scene = _Scene(success_bodies(case), case.at("view"))
    case.view = _fields(case, case.spec.view, scene)
    for name in case.spec.view:
        case.places[f"view.{name}"] = case.api.charter.origin(case.at("view", name))
    lists = [field.name for field in case.view if field.each is not None]
    if case.spec.page is not None:
        if len(lists) != 1:
            message = (
                f"{case.name} is paged, so its view needs one list with `each`; it has {len(lists)}"
            )
            case.findings.error("TC732", message, case.at("view"))
        else:
            case.items = lists[0]


def _fields(case: Case, specs: Mapping[str, ViewSpec], scene: _Scene) -> tuple[ViewField, ...]:
    found: list[ViewField] = []
    for name, spec in specs.items():
        pointer = f"{scene.pointer}/{escape(name)}"
        try:
            field = _field(case, name, spec, scene, pointer)
        except UncarriedError as error:
            case.findings.uncarried(error, f"view `{name}`", pointer)
            continue
        if field is not None:
            found.append(field)
    return tuple(found)


def _field(case: Case, name: str, spec: ViewSpec, scene: _Scene, pointer: str) -> ViewField | None:
    if (spec.at is None) == (spec.count is None):
        message = f"view `{name}` needs one of `at` and `count`"
        case.findings.error("TC732", message, pointer)
        return None
    step = _walk(case, spec, scene, pointer)
    if step is None:
        return None
    if spec.count is not None:
        return _count(name, spec, step)
    if spec.each is not None:
        return _list(case, name, spec, step, pointer)
    return _value(case, name, spec, step, pointer)


def _walk(case: Case, spec: ViewSpec, scene: _Scene, pointer: str) -> Step | None:
    text = spec.at if spec.at is not None else spec.count
    if text is None:
        return None
    if scene.items_of is None and text.startswith("header."):
        return _header(case, spec, text, pointer)
    if scene.items_of is None and parse_place(text).location != "body":
        message = f"`{text}` is no place of an answer: write /pointer or header.NAME"
        case.findings.error("TC735", message, pointer)
        return None
    tokens = tokens_of("" if text == "body" else text)
    steps = [case.api.reader.walk(schema, tokens) for schema in scene.schemas]
    found = [step for step in steps if step.exists and step.schema is not None]
    if found:
        always = len(found) == len(steps) and all(step.required for step in found)
        schema = found[0].schema if all(s.schema == found[0].schema for s in found) else _any(found)
        is_write_only = scene.is_write_only or any(step.is_write_only for step in found)
        return Step(schema, always, found[0].many, is_write_only=is_write_only)
    claim = f"answer {text}" if scene.items_of is None else f"answer {text} of {scene.items_of}"
    return _not_found(case, spec, claim, steps, pointer)


def _any(found: list[Step]) -> JsonSchema:
    unique: list[JsonSchema] = []
    for step in found:
        if step.schema is not None and step.schema not in unique:
            unique.append(step.schema)
    return {"anyOf": unique}


def _not_found(
    case: Case, spec: ViewSpec, claim: str, steps: list[Step], pointer: str
) -> Step | None:
    text = spec.at if spec.at is not None else spec.count or ""
    is_typed = (
        bool({"type", "const", "enum"} & spec.schema_keywords().keys()) or spec.each is not None
    )
    if any(step.exists for step in steps) or (is_typed and not steps):
        case.ledger.state(claim, "declared", "the description leaves it open; typed in the charter")
        known = {name for step in steps for name in step.known}
        is_write_only = any(step.is_write_only for step in steps)
        is_many = "*" in text.split("/")
        return Step(None, False, is_many, tuple(sorted(known)), is_write_only=is_write_only)
    known = {name for step in steps for name in step.known}
    if not steps:
        message = f"{case.operation.key} declares no JSON answer that could hold `{text}`"
        case.findings.error(
            "TC407", message, pointer, "type it in the charter, or add the schema with an overlay"
        )
    else:
        message = f"no success of {case.operation.key} has `{text}`"
        case.findings.error("TC110", message, pointer, nearest(text.rpartition("/")[2], known))
    return None


def _header(case: Case, spec: ViewSpec, text: str, pointer: str) -> Step | None:
    name = text.removeprefix("header.")
    declared = success_headers(case.operation)
    for known, schema in declared.items():
        if known.lower() == name.lower():
            return Step(schema, False)
    if case.ledger.attested(text, f"answer {text}"):
        return Step(None, False)
    if "type" in spec.schema_keywords():
        case.ledger.state(f"answer {text}", "declared", "typed in the charter")
        return Step(None, False)
    message = f"no success of {case.operation.key} declares the header `{name}`"
    case.findings.error("TC110", message, pointer, f"attest `{text}`, and type it in the charter")
    return None


def _count(name: str, spec: ViewSpec, step: Step) -> ViewField:
    accepts: JsonSchema = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
    return ViewField(
        name=name, count=spec.count, accepts=accepts, required=step.required, hidden=spec.hidden
    )


def _list(case: Case, name: str, spec: ViewSpec, step: Step, pointer: str) -> ViewField:
    if step.schema is None:
        item: JsonSchema = {}
        bounds: JsonSchema = {}
        required = False
    else:
        expanded = case.api.reader.expand(step.schema)
        arrays = [b for b in expanded.branches if types_of(b.schema) == ("array",)]
        if len(arrays) != 1:
            raise UncarriedError("items", "no list stands there", "remove `each`", "TC113")
        found = arrays[0].schema.get("items")
        item = found if is_object(found) else {}
        bounds = {k: v for k, v in arrays[0].schema.items() if k == "maxItems"}
        required = step.required and not expanded.nullable and len(expanded.branches) == 1
    written = {k: v for k, v in spec.schema_keywords().items() if k in ("minItems", "maxItems")}
    accepts = _list_bound(case, name, tighten({"type": "array", **bounds}, written), pointer)
    is_write_only = case.api.reader.is_write_only(step)
    scene = _Scene((item,), f"{pointer}/each", name, is_write_only)
    inner = _fields(case, spec.each or {}, scene)
    return ViewField(
        name=name, at=spec.at, each=inner, accepts=accepts, required=required, hidden=spec.hidden
    )


def _list_bound(case: Case, name: str, accepts: JsonSchema, pointer: str) -> JsonSchema:
    page = case.spec.page
    if page is not None and page.size:
        size = next(iter(page.size.values()))
        if accepts.get("maxItems", size) >= size:
            return {**accepts, "maxItems": size}
    if has_bound(accepts, "maxItems"):
        return accepts
    shallow = bounded(
        case, {"type": "array", "items": {"type": "boolean"}}, f"view `{name}`", pointer
    )
    bound = shallow.get("maxItems")
    return accepts if bound is None else {**accepts, "maxItems": bound}


def _value(case: Case, name: str, spec: ViewSpec, step: Step, pointer: str) -> ViewField:
    written = spec.schema_keywords()
    of_list = {k: written.pop(k) for k in _OF_LIST & written.keys()} if step.many else {}
    schema, branch_of, is_sure = _carried(case, spec, step, written)
    required = step.required and is_sure
    if spec.open_enum and "enum" in schema:
        schema = {k: v for k, v in schema.items() if k != "enum"}
        if "string" in (types_of(schema) or ()):
            schema.setdefault("maxLength", OPEN_ENUM_LENGTH)
    if step.many:
        schema = tighten({"type": "array", "items": schema}, of_list)
    if spec.truncate is None:
        schema = bounded(case, schema, f"view `{name}`", pointer)
    if spec.required is True and not required:
        reason = "the description does not promise it"
        raise UncarriedError("required", reason, "remove `required`", "TC115")
    money = spec.money
    return ViewField(
        name=name,
        at=spec.at,
        accepts=_without_text(schema, is_write_only=case.api.reader.is_write_only(step)),
        required=required,
        branch=branch_of,
        hidden=spec.hidden,
        secret=spec.secret,
        redact=spec.redact,
        truncate=spec.truncate,
        open_enum=spec.open_enum,
        open_union=spec.open_union,
        money=None if money is None else Money(unit=money.unit, currency=money.currency),
    )


def _carried(
    case: Case, spec: ViewSpec, step: Step, written: Mapping[str, Any]
) -> tuple[JsonSchema, JsonSchema | None, bool]:
    """Return the raw value's schema, what tells its branch from others, and whether it is always of that branch."""
    if step.schema is None:
        return typed(written, (spec.at or "").rpartition("/")[2], step.known), None, True
    expanded = case.api.reader.expand(step.schema)
    wanted = spec.branch
    if wanted is None and len(expanded.branches) > 1 and "type" in written:
        wanted = str(written["type"])
    branch = only_branch(expanded, wanted)
    schema = tighten(case.api.leaves.carry(branch), written)
    if wanted is not None and (len(expanded.branches) > 1 or expanded.nullable):
        return schema, _telling(branch), False
    return (nullable(schema) if expanded.nullable else schema), None, True


def _telling(branch: Branch) -> JsonSchema:
    """Return what tells the branch from the others: its type."""
    kinds = types_of(branch.schema)
    return {"type": kinds[0]} if kinds else {}


def _without_text(schema: JsonSchema, *, is_write_only: bool) -> JsonSchema:
    kept = {key: value for key, value in schema.items() if key not in ("default", "description")}
    return {**kept, "writeOnly": True} if is_write_only else kept  # TC401 asks for it
