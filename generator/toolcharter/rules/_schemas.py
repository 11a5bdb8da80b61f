"""What several rules ask of schemas and requests, behind one name; and the fields that a full replacement could set."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.source import Description

from ._json import (
    Schema,
    as_list,
    as_map,
    branches_of,
    is_bounded_text,
    is_fenced,
    parts_of,
    patterns_of,
    types_of,
    words_of,
)
from ._nodes import Node, input_nodes, nodes_below, place_of, recursions_of
from ._requests import bindings_of, names_of, places_by_input, places_reached

__all__ = [
    "Node",
    "Schema",
    "as_list",
    "as_map",
    "bindings_of",
    "branches_of",
    "input_nodes",
    "is_bounded_text",
    "is_fenced",
    "names_of",
    "nodes_below",
    "parts_of",
    "patterns_of",
    "place_of",
    "places_by_input",
    "places_reached",
    "recursions_of",
    "types_of",
    "words_of",
    "writable_properties",
]


def writable_properties(schema: Schema, description: Description) -> frozenset[str]:
    """Return the properties of an object's schema that a request may set, `allOf` and references followed."""
    return frozenset(
        name
        for part in _parts(schema, description, frozenset())
        for name, value in as_map(part.get("properties")).items()
        if not _is_read_only(as_map(value), description)
    )


def _parts(schema: Schema, description: Description, seen: frozenset[str]) -> Iterator[Schema]:
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        name = reference.removeprefix("#/$defs/")
        if name not in seen:
            yield from _parts(description.definition(name), description, seen | {name})
    yield schema
    for part in as_list(schema.get("allOf")):
        yield from _parts(as_map(part), description, seen)


def _is_read_only(schema: Schema, description: Description) -> bool:
    return any(part.get("readOnly") is True for part in _parts(schema, description, frozenset()))
