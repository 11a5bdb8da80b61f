"""Definitions that lie inside a schema, moved to its root, where their references look for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_object

from .merging import JsonSchema
from .sameness import same
from .subschemas import inside

__all__ = ["rooted"]

_REF: Final = "#/$defs/"


def rooted(schema: JsonSchema) -> JsonSchema:
    """Return the schema with all `$defs` at its root; two of one name that differ get names of their own."""
    found: dict[str, Any] = {}
    bare = _lifted(schema, {}, found)
    return {**bare, "$defs": found} if found else bare


def _lifted(schema: Any, names: Mapping[str, str], found: dict[str, Any]) -> Any:
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
        elif keyword != "$defs":
            lifted[keyword] = inside(keyword, value, lambda part: _lifted(part, names, found))
    return lifted


def _take(definitions: Mapping[str, Any], found: dict[str, Any]) -> dict[str, str]:
    """Take the definitions in; return the name that each has at the root."""
    names = {name: name for name in definitions}
    while True:
        taken = {final: _lifted(definitions[name], names, found) for name, final in names.items()}
        clashes = [
            name
            for name, final in names.items()
            if not same(found.get(final, taken[final]), taken[final])
        ]
        if not clashes:
            found.update(taken)
            return names
        for name in clashes:
            names[name] = _free(names[name], names.values())


def _free(name: str, taken: Collection[str]) -> str:
    """Return a longer name that no definition beside it has."""
    while name in taken:
        name += "_"
    return name
