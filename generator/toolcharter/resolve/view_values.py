"""The plain values of a view: scalars, and what is made of scalars alone, with the schema that each must meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcharter.charter.schema import ViewSpec
from toolcharter_runtime.frozen import Money, ViewField

from .case import Case
from .ceilings import bounded
from .findings import UncarriedError
from .hoisting import rooted
from .leaves import nullable, only_branch, tighten, typed
from .merging import JsonSchema, types_of
from .schemas import Step
from .telling import telling

__all__ = ["OPEN_ENUM_LENGTH", "resolve_value"]

OPEN_ENUM_LENGTH = 100
"""The longest value of an enum that may grow, where the description bounds its strings no further."""
_OF_LIST = frozenset({"maxItems", "minItems", "uniqueItems"})


def resolve_value(case: Case, name: str, spec: ViewSpec, step: Step, pointer: str) -> ViewField:
    """Return a name whose value is shown as it is, bounded; raises `UncarriedError`."""
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
    if schema.get("items") is False and "prefixItems" in schema:
        schema = {"maxItems": len(schema["prefixItems"]), **schema}
    if spec.truncate is None:
        schema = bounded(case, schema, f"view `{name}`", pointer)
    elif "string" not in (types_of(schema) or ()):
        reason = "only a text can be cut"
        raise UncarriedError("truncate", reason, "remove `truncate`", "TC731")
    if spec.required is True and not required:
        reason = "the description does not promise it"
        raise UncarriedError("required", reason, "remove `required`", "TC115")
    accepts = _without_text(
        rooted(schema), is_write_only=case.api.answer_reader.is_write_only(step)
    )
    if step.may_differ and branch_of is None:
        branch_of = accepts  # where another kind stands, the place may hold anything
    money = spec.money
    return ViewField(
        name=name,
        at=spec.at,
        accepts=accepts,
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
    expanded = case.api.answer_reader.expand(step.schema)
    wanted = spec.branch
    if wanted is None and len(expanded.branches) > 1 and "type" in written:
        wanted = str(written["type"])
    if wanted is None and len(expanded.branches) > 1:
        schema = tighten(case.api.answer_leaves.carry_union(expanded), written)
        return (nullable(schema) if expanded.nullable else schema), None, True
    if wanted is None and not expanded.branches and expanded.nullable:
        return {"type": "null"}, None, True
    branch = only_branch(expanded, wanted)
    schema = tighten(case.api.answer_leaves.carry(branch), written)
    if wanted is not None and (len(expanded.branches) > 1 or expanded.nullable):
        return schema, telling(branch, expanded, case.api.answer_reader.flat), False
    return (nullable(schema) if expanded.nullable else schema), None, True


def _without_text(schema: JsonSchema, *, is_write_only: bool) -> JsonSchema:
    kept = {key: value for key, value in schema.items() if key not in ("default", "description")}
    return {**kept, "writeOnly": True} if is_write_only else kept  # TC401 asks for it
