"""What tells the branches of a union apart: the discriminator that is stated, or a property with constants of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolcharter_runtime.jsonvalue import is_list, is_map, is_object

from .case import Case
from .findings import UncarriedError
from .merging import JsonSchema
from .schemas import Branch, Expanded

__all__ = ["Tagged", "constants_of", "tag_of"]


@dataclass(frozen=True, slots=True)
class Tagged:
    """One branch, and the constant that stands for it."""

    schema: JsonSchema
    constant: Any


def tag_of(case: Case, expanded: Expanded, schema: JsonSchema) -> tuple[str, dict[str, Tagged]]:
    """Return the property that tells the branches apart, and the branch of each of its values.

    Raises `UncarriedError` where there is none.
    """
    stated = case.api.reader.flat(schema).get("x-discriminator")
    if is_map(stated) and stated.get("propertyName"):
        tag = str(stated["propertyName"])
        found = _stated(case, expanded, schema, tag, stated)
        if found:
            return tag, found
    names: dict[str, None] = {}
    for branch in expanded.branches:
        names.update(dict.fromkeys(branch.schema.get("properties", {})))
    for name in names:
        values = [_required_constants(case, branch, name) for branch in expanded.branches]
        texts = {_text(value) for each in values for value in each}
        if all(values) and len(texts) == sum(map(len, values)):
            return name, {
                _text(value): Tagged(branch.schema, value)
                for branch, each in zip(expanded.branches, values, strict=True)
                for value in each
            }
    hint = "say `kinds`, or take one with `branch`"
    raise UncarriedError("oneOf", "no property tells the branches apart", hint, "TC301")


def _stated(
    case: Case, expanded: Expanded, schema: JsonSchema, tag: str, stated: Mapping[str, Any]
) -> dict[str, Tagged]:
    """Return the branches of a discriminator: mapped, by their own constants, or by their names."""
    by_name = {branch.name: branch.schema for branch in expanded.branches if branch.name}
    found: dict[str, Tagged] = {}
    mapping: Mapping[str, str] = stated.get("mapping") or {}
    for value, name in mapping.items():
        node = by_name.get(name) or _heir(case, expanded, schema, name)
        if node is not None:
            found[value] = Tagged(node, value)
    mapped = [one.schema for one in found.values()]
    for branch in expanded.branches:
        if branch.schema in mapped or (mapped and len(expanded.branches) == 1):
            continue
        own = _required_constants(case, branch, tag)
        for value in own or ([branch.name] if branch.name else []):
            found.setdefault(_text(value), Tagged(branch.schema, value))
    return found


def _heir(case: Case, expanded: Expanded, schema: JsonSchema, name: str) -> JsonSchema | None:
    """Return a component that a base without a union names in its mapping, as a value of the base."""
    if len(expanded.branches) != 1:
        return None
    both: JsonSchema = {"allOf": [schema, {"$ref": f"#/$defs/{name}"}]}
    branches = case.api.reader.expand(both).branches
    return branches[0].schema if len(branches) == 1 else None


def _required_constants(case: Case, branch: Branch, name: str) -> list[Any]:
    """Return the constants that a required property of a branch may have."""
    if name not in branch.schema.get("required", ()):
        return []
    return [value for value in constants_of(case, branch.schema, name) if _is_scalar(value)]


def constants_of(case: Case, node: JsonSchema, name: str) -> list[Any]:
    """Return the values that an object lists for a property; none if it lists none."""
    described = node.get("properties", {}).get(name)
    if not is_object(described):
        return []
    schema = case.api.reader.flat(described)
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if is_list(values) else []


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | bool)


def _text(value: Any) -> str:
    """Return a constant as the charter names it."""
    return value if isinstance(value, str) else json.dumps(value)
