"""A described schema as it counts for a value: references followed, `allOf` laid together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcharter.rules._described import Definitions
from toolcharter.rules._json import Schema, as_list, as_map, types_of

__all__ = ["Shape", "shape_of"]

_REF = "#/$defs/"
_TYPED = ("const", "enum", "properties", "items", "prefixItems", "oneOf", "anyOf", "not")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a schema says in place, and the components that it is made of."""

    schema: Schema
    names: frozenset[str]

    @property
    def kinds(self) -> frozenset[str]:
        """Return the JSON types that it names, or that its keywords speak of."""
        named = types_of(self.schema)
        if not named and as_map(self.schema.get("properties")):
            return frozenset({"object"})
        return named or (frozenset({"array"}) if "items" in self.schema else named)

    @property
    def is_untyped(self) -> bool:
        """Say whether any value would do."""
        has_rest = isinstance(self.schema.get("additionalProperties"), dict)
        return not self.kinds and not has_rest and not any(key in self.schema for key in _TYPED)

    @property
    def properties(self) -> dict[str, Any]:
        """Return the properties that it describes."""
        return as_map(self.schema.get("properties"))


def shape_of(schema: Schema, definitions: Definitions) -> Shape:
    """Return the shape of a schema; of a union with one branch beside null, that branch's."""
    names: dict[str, None] = {}
    merged: dict[str, Any] = {}
    for part in _parts(schema, definitions, names):
        for key, value in part.items():
            if key == "properties":
                merged[key] = {**as_map(merged.get(key)), **as_map(value)}
            elif key == "required":
                merged[key] = [*as_list(merged.get(key)), *as_list(value)]
            elif key not in ("$ref", "allOf"):
                merged.setdefault(key, value)
    alone = _only_branch(merged)
    if alone is None:
        return Shape(merged, frozenset(names))
    inner = shape_of(alone, definitions)
    rest = {key: value for key, value in merged.items() if key not in ("oneOf", "anyOf")}
    return Shape({**inner.schema, **rest}, frozenset(names) | inner.names)


def _only_branch(schema: Schema) -> Schema | None:
    union = as_list(schema.get("oneOf")) or as_list(schema.get("anyOf"))
    branches = [as_map(branch) for branch in union if as_map(branch).get("type") != "null"]
    return branches[0] if len(branches) == 1 else None


def _parts(schema: Schema, definitions: Definitions, names: dict[str, None]) -> Iterator[Schema]:
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith(_REF):
        name = reference.removeprefix(_REF)
        if name not in names:
            names[name] = None
            yield from _parts(as_map(definitions.definition(name)), definitions, names)
    for part in as_list(schema.get("allOf")):
        yield from _parts(as_map(part), definitions, names)
