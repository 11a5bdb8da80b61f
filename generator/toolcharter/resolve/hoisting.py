"""Definitions that lie inside a schema, moved to its root, where their references look for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_list, is_object

from .merging import JsonSchema

__all__ = ["rooted"]

_REF: Final = "#/$defs/"
_VALUES: Final = frozenset({"const", "default", "enum", "examples", "required"})


def rooted(schema: JsonSchema) -> JsonSchema:
    """Return the schema with all `$defs` at its root; two of one name that differ get names of their own."""
    found: dict[str, Any] = {}
    bare = _lifted(schema, {}, found)
    return {**bare, "$defs": found} if found else bare


def _lifted(schema: Any, names: Mapping[str, str], found: dict[str, Any]) -> Any:
    if is_list(schema):
        return [_lifted(part, names, found) for part in schema]
    if not is_object(schema):
        return schema
    definitions = schema.get("$defs")
    if is_object(definitions):
        names = _take(definitions, found)
    lifted: JsonSchema = {}
    for keyword, value in schema.items():
        if keyword == "$ref" and isinstance(value, str):
            name = value.removeprefix(_REF)
            lifted[keyword] = _REF + names.get(name, name)
        elif keyword in _VALUES:
            lifted[keyword] = value
        elif keyword != "$defs":
            lifted[keyword] = _lifted(value, names, found)
    return lifted


def _take(definitions: Mapping[str, Any], found: dict[str, Any]) -> dict[str, str]:
    """Take the definitions in; return the name that each has at the root."""
    names = {name: name for name in definitions}
    while True:
        taken = {final: _lifted(definitions[name], names, found) for name, final in names.items()}
        clashes = [
            n for n, final in names.items() if found.get(final, taken[final]) != taken[final]
        ]
        if not clashes:
            found.update(taken)
            return names
        for name in clashes:
            names[name] = f"{names[name]}_"
