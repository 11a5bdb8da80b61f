"""A walk through a described schema, as far as references lead, each component once."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.source import Description, Operation
from toolcharter.source.outline import parts_in_place
from toolcharter_runtime.language import tokens_of

from ._json import Schema, as_list, as_map

__all__ = ["contradicted_tags", "described_schemas", "schemas_at"]

_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLES = (
    "additionalProperties",
    "contains",
    "items",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_REF = "#/$defs/"


def described_schemas(schema: Schema, description: Description) -> Iterator[Schema]:
    """Yield the schema and every schema below it, components once."""
    seen: set[str] = set()
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        reference = each.get("$ref")
        if isinstance(reference, str) and reference.startswith(_REF):
            name = reference.removeprefix(_REF)
            if name not in seen:
                seen.add(name)
                waiting.append(as_map(description.definition(name)))
        yield each
        waiting.extend(as_map(value) for value in as_map(each.get("properties")).values())
        waiting.extend(as_map(each.get(key)) for key in _SINGLES if as_map(each.get(key)))
        waiting.extend(as_map(value) for key in _LISTS for value in as_list(each.get(key)))


def schemas_at(operation: Operation, place: str, description: Description) -> tuple[Schema, ...]:
    """Return what the description says of a place of the request, one schema a media type; parts in `allOf` apart."""
    where, _, name = place.partition(".")
    for parameter in operation.parameters:
        if (parameter.location, parameter.name) == (where, name):
            return tuple(parts_in_place(description, parameter.schema))
    if not place.startswith("/"):
        return ()
    found: list[Schema] = [body.schema for body in operation.bodies.values()]
    for step in tokens_of(place):
        parts = [part for one in found for part in parts_in_place(description, one)]
        is_element = step == "*" or str(step).isdecimal()
        key = "items" if is_element else str(step)
        inner = [p.get(key) if is_element else as_map(p.get("properties")).get(key) for p in parts]
        found = [as_map(one) for one in inner if as_map(one)]
    return tuple(part for one in found for part in parts_in_place(description, one))


def contradicted_tags(schema: Schema, description: Description) -> Iterator[tuple[str, str]]:
    """Yield (tag, value) of every discriminator's value that the branch which it names does not accept."""
    for each in described_schemas(schema, description):
        stated = as_map(each.get("x-discriminator"))
        tag, mapping = stated.get("propertyName"), as_map(stated.get("mapping"))
        if not isinstance(tag, str):
            continue
        for value, name in sorted(mapping.items()):
            if isinstance(name, str) and name and not _accepts(name, tag, value, description):
                yield tag, value


def _accepts(name: str, tag: str, value: str, description: Description) -> bool:
    """Say whether a branch has the tag, and takes the value for it."""
    has_tag = False
    for part in parts_in_place(description, {"$ref": _REF + name}):
        found = as_map(part.get("properties")).get(tag)
        if found is None:
            continue
        has_tag = True
        for inner in parts_in_place(description, as_map(found)):
            values = [inner["const"]] if "const" in inner else inner.get("enum")
            if isinstance(values, list) and value not in values:
                return False
    return has_tag
