"""Walks through the closed schemas of a contract, and the few questions that several rules ask of a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard, cast

from toolcharter.diagnostics import Origin
from toolcharter.patterns import is_finite, may_hold_space
from toolcharter.resolve import ResolvedTool, has_bound
from toolcharter.source import Description
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.language import references

__all__ = [
    "Node",
    "Schema",
    "as_list",
    "as_map",
    "bindings_of",
    "branches_of",
    "input_nodes",
    "is_fenced",
    "names_of",
    "place_of",
    "places_by_input",
    "places_reached",
    "types_of",
    "words_of",
    "writable_properties",
]

Schema: TypeAlias = Mapping[str, Any]
_BOUNDED_FORMATS = frozenset({"date", "date-time", "time", "uuid", "ipv4", "ipv6"})
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Node:
    """One schema below a root: the names that lead to it (`*` for items) and whether its parent requires it."""

    path: tuple[str, ...]
    schema: Schema
    is_required: bool = False

    @property
    def name(self) -> str:
        """Return how the place is called in a message, e.g. `destination.line1`."""
        return ".".join(self.path) or "the arguments"

    @property
    def field(self) -> str:
        """Return the last name that is not an element's."""
        return next((part for part in reversed(self.path) if part != "*"), "")


def as_map(value: object) -> dict[str, Any]:
    """Return a JSON object as it is, and anything else as an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return a JSON array as it is, and anything else as an empty one."""
    return value if _is_list(value) else []


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def input_nodes(contract: Contract) -> Iterator[Node]:
    """Yield every schema of the arguments, the root first, each recursive definition once."""
    definitions = as_map(contract.arguments.get("$defs"))
    yield from _walk(Node((), contract.arguments), definitions, frozenset())


def _walk(node: Node, definitions: Schema, within: frozenset[str]) -> Iterator[Node]:
    schema = node.schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        if name not in within and name in definitions and len(node.path) <= _DEEPEST:
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            merged = Node(node.path, {**as_map(definitions[name]), **beside}, node.is_required)
            yield from _walk(merged, definitions, within | {name})
        return
    yield node
    for child in _children(node):
        yield from _walk(child, definitions, within)


def _children(node: Node) -> Iterator[Node]:
    schema, required = node.schema, as_list(node.schema.get("required"))
    for name, value in sorted(as_map(schema.get("properties")).items()):
        yield Node((*node.path, name), as_map(value), name in required)
    for key in ("items", "additionalProperties"):
        inner = as_map(schema.get(key))
        if inner:
            yield Node((*node.path, "*"), inner, True)
    for branch in (*branches_of(schema), *map(as_map, as_list(schema.get("allOf")))):
        yield Node(node.path, branch, node.is_required)


def branches_of(schema: Schema) -> tuple[Schema, ...]:
    """Return the branches of a union, without a lone `null`; empty where there is none."""
    branches = map(as_map, as_list(schema.get("oneOf")) or as_list(schema.get("anyOf")))
    return tuple(branch for branch in branches if branch.get("type") != "null")


def types_of(schema: Schema) -> frozenset[str]:
    """Return the JSON types that the schema names, `null` left out."""
    named = schema.get("type")
    names: list[Any] = [named] if isinstance(named, str) else as_list(named)
    return frozenset(name for name in names if isinstance(name, str) and name != "null")


def is_fenced(schema: Schema) -> bool:
    """Say whether a value cannot be free text: an enum, a constant, no string, a date or id, a tight pattern (P16)."""
    if "enum" in schema or "const" in schema:
        return True
    types = types_of(schema)
    if types and "string" not in types:
        return True
    if schema.get("format") in _BOUNDED_FORMATS:
        return True
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or may_hold_space(pattern):
        return False
    return is_finite(pattern) or has_bound(schema, "maxLength")


def place_of(tool: ResolvedTool, kind: str, path: tuple[str, ...]) -> Origin:
    """Return where `input.a.b` or `view.a` is written, or its nearest parent, or the tool."""
    names = [part for part in path if part != "*"]
    while names:
        found = tool.places.get(".".join((kind, *names)))
        if found is not None:
            return found
        names.pop()
    return tool.origin


def words_of(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name: `apiKey`, `API-Key` and `api_key` alike."""
    spaced: list[str] = []
    for index, character in enumerate(name):
        if not character.isalnum():
            spaced.append(" ")
            continue
        follows_lower = index > 0 and character.isupper() and name[index - 1].islower()
        spaced.append(f" {character}" if follows_lower else character)
    return tuple("".join(spaced).lower().split())


def bindings_of(contract: Contract) -> Iterator[tuple[str, Any]]:
    """Yield every place of the request (`query.x`, `header.x`, `/pointer`) with the template that fills it."""
    for parameter in contract.request.parameters:
        yield f"{parameter.location}.{parameter.name}", parameter.value
    body = contract.request.body
    for binding in body.bindings if body is not None else ():
        if binding.each is None:
            yield binding.at, binding.value
        else:
            yield binding.at, "{" + binding.each + "}"


def places_by_input(contract: Contract) -> dict[str, tuple[str, ...]]:
    """Return the places that an input fills by itself, by the input's name; `rows.*.name` for one of a list's items."""
    places: dict[str, tuple[str, ...]] = {}
    for at, text, within in _templates(contract):
        if text.startswith("{") and text.endswith("}"):
            name = within + text[1:-1]
            places[name] = (*places.get(name, ()), at)
    return places


def places_reached(contract: Contract) -> dict[str, tuple[str, ...]]:
    """Return the places that an input fills, by itself or joined with other text, by the input's name."""
    places: dict[str, tuple[str, ...]] = {}
    for at, text, within in _templates(contract):
        for reference in references(text):
            if reference.root is None:
                name = within + ".".join(reference.path)
                places[name] = (*places.get(name, ()), at)
    return places


def _templates(contract: Contract) -> Iterator[tuple[str, str, str]]:
    """Yield each text of the request: its place, the template, and what stands before the names of an item's fields."""
    for at, value in bindings_of(contract):
        yield from ((inner, text, "") for inner, text in _texts(at, value))
    body = contract.request.body
    for binding in body.bindings if body is not None else ():
        for item in binding.item:
            for inner, text in _texts(f"{binding.at}/*{item.at}", item.value):
                yield inner, text, f"{binding.each}.*."


def _texts(at: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    for name, inner in as_map(value).items():
        yield from _texts(f"{at}/{name}", inner)
    for inner in as_list(value):
        yield from _texts(f"{at}/*", inner)


def names_of(node: Node, places: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the words of an input's own name, and of the last name of each place that it fills."""
    filled = (
        at.rpartition("/")[2].rpartition(".")[2] for at in places.get(".".join(node.path), ())
    )
    return tuple(words for words in map(words_of, (node.field, *filled)) if words)


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
