"""A described schema as it counts for a value: all that holds in place laid together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcharter.rules._json import Schema, as_map, types_of
from toolcharter.source import Description
from toolcharter.source.outline import flat

__all__ = ["Shape", "shape_of"]

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


def shape_of(schema: Schema, description: Description) -> Shape:
    """Return the shape of a schema."""
    names: set[str] = set()
    return Shape(flat(description, schema, names), frozenset(names))
