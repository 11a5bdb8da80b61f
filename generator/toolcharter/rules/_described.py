"""A walk through a described schema, as far as references lead, each component once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from toolcharter.source import Operation
from toolcharter_runtime.language import tokens_of

from ._json import Schema, as_list, as_map

__all__ = ["Definitions", "contradicted_tags", "described_schemas", "schemas_at"]

_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLES = (
    "additionalProperties",
    "contains",
    "items",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_REF = "#/$defs/"


class Definitions(Protocol):
    """Whatever knows the schemas behind `#/$defs/<name>`."""

    def definition(self, name: str) -> dict[str, Any]:
        """Return the schema of a name."""
        ...


def described_schemas(schema: Schema, definitions: Definitions) -> Iterator[Schema]:
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
                waiting.append(as_map(definitions.definition(name)))
        yield each
        waiting.extend(as_map(value) for value in as_map(each.get("properties")).values())
        waiting.extend(as_map(each.get(key)) for key in _SINGLES if as_map(each.get(key)))
        waiting.extend(as_map(value) for key in _LISTS for value in as_list(each.get(key)))


def schemas_at(operation: Operation, place: str, definitions: Definitions) -> tuple[Schema, ...]:
    """Return what the description says of a place of the request, one schema a media type; parts in `allOf` apart."""
    where, _, name = place.partition(".")
    for parameter in operation.parameters:
        if (parameter.location, parameter.name) == (where, name):
            return tuple(_all_of(parameter.schema, definitions, frozenset()))
    if not place.startswith("/"):
        return ()
    found: list[Schema] = [body.schema for body in operation.bodies.values()]
    for step in tokens_of(place):
        parts = [part for one in found for part in _all_of(one, definitions, frozenset())]
        is_element = step == "*" or str(step).isdecimal()
        key = "items" if is_element else str(step)
        inner = [p.get(key) if is_element else as_map(p.get("properties")).get(key) for p in parts]
        found = [as_map(one) for one in inner if as_map(one)]
    return tuple(part for one in found for part in _all_of(one, definitions, frozenset()))


def contradicted_tags(schema: Schema, definitions: Definitions) -> Iterator[tuple[str, str]]:
    """Yield (tag, value) of every discriminator's value that the branch which it names does not accept."""
    for each in described_schemas(schema, definitions):
        stated = as_map(each.get("x-discriminator"))
        tag, mapping = stated.get("propertyName"), as_map(stated.get("mapping"))
        if not isinstance(tag, str):
            continue
        for value, name in sorted(mapping.items()):
            if isinstance(name, str) and name and not _accepts(name, tag, value, definitions):
                yield tag, value


def _accepts(name: str, tag: str, value: str, definitions: Definitions) -> bool:
    """Say whether a branch has the tag, and takes the value for it."""
    has_tag = False
    for part in _all_of({"$ref": _REF + name}, definitions, frozenset()):
        found = as_map(part.get("properties")).get(tag)
        if found is None:
            continue
        has_tag = True
        for inner in _all_of(as_map(found), definitions, frozenset()):
            values = [inner["const"]] if "const" in inner else inner.get("enum")
            if isinstance(values, list) and value not in values:
                return False
    return has_tag


def _all_of(schema: Schema, definitions: Definitions, seen: frozenset[str]) -> Iterator[Schema]:
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith(_REF):
        name = reference.removeprefix(_REF)
        if name not in seen:
            yield from _all_of(as_map(definitions.definition(name)), definitions, seen | {name})
    yield schema
    for part in as_list(schema.get("allOf")):
        yield from _all_of(as_map(part), definitions, seen)
