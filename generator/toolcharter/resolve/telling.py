"""What tells the value of one branch of a union from those of the others, in an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolcharter_runtime.jsonvalue import is_object

from .findings import UncarriedError
from .merging import JsonSchema, types_of
from .schemas import Branch, Expanded

__all__ = ["telling"]


def telling(
    branch: Branch, expanded: Expanded, flat: Callable[[JsonSchema], JsonSchema]
) -> JsonSchema:
    """Return a schema that the branch's values meet and the others' do not; raises `UncarriedError` without any.

    Its type, where that differs; of one object among others, a required property whose constant only it has.
    """
    kinds = types_of(branch.schema)
    others = [
        other.schema
        for other in expanded.branches
        if other.schema != branch.schema and _may_share_type(kinds, types_of(other.schema))
    ]
    if not others or kinds != ("object",):
        return {"type": kinds[0]} if kinds else {}
    for name, schema in branch.schema.get("properties", {}).items():
        own = _constants(schema, flat)
        if own and name in branch.schema.get("required", ()):
            theirs = [_constants(other.get("properties", {}).get(name), flat) for other in others]
            if all(values and not any(one in values for one in own) for values in theirs):
                tag = {"const": own[0]} if len(own) == 1 else {"enum": own}
                return {"type": "object", "properties": {name: tag}, "required": [name]}
    reason = "nothing in an answer tells this kind of object from the others"
    raise UncarriedError(
        "anyOf", reason, "leave `branch` out: what is listed is taken from any of them", "TC113"
    )


def _may_share_type(left: tuple[str, ...] | None, right: tuple[str, ...] | None) -> bool:
    return left is None or right is None or bool(set(left) & set(right))


def _constants(schema: Any, flat: Callable[[JsonSchema], JsonSchema]) -> list[Any]:
    if not is_object(schema):
        return []
    schema = flat(schema)
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))
