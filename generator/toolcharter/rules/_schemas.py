"""What several rules ask of schemas and requests, behind one name; and the fields that a full replacement could set."""

from __future__ import annotations

from toolcharter.source import Description
from toolcharter.source.outline import parts_in_place

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
        for part in parts_in_place(description, schema)
        for name, value in as_map(part.get("properties")).items()
        if not _is_read_only(as_map(value), description)
    )


def _is_read_only(schema: Schema, description: Description) -> bool:
    return any(part.get("readOnly") is True for part in parts_in_place(description, schema))
