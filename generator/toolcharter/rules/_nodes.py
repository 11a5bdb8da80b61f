"""A walk through the closed schema of a contract's arguments: every value that a model can put somewhere, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from toolcharter.diagnostics import Origin
from toolcharter.resolve import ResolvedTool
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.once import PerObject

from ._json import Schema, as_list, as_map, branches_of, parts_of

__all__ = ["Node", "input_nodes", "nodes_below", "place_of", "recursions_of"]

_DEEPEST = 40
_MOST_USES = 16
"""How often one definition is walked through; the places that use it once more are yielded, and not what is in them."""
_LIFTED = frozenset(
    {
        "const", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties",
        "maximum", "minItems", "minLength", "minimum", "pattern", "type",
    }
)  # fmt: skip
_SHAPES = ("additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems")


@dataclass(frozen=True, slots=True)
class Node:
    """One schema below a root: the names that lead to it (`*` for elements and entries) and whether its parent requires it."""

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


def input_nodes(contract: Contract) -> tuple[Node, ...]:
    """Return every schema of the arguments, the root first, each recursive definition once.

    What `allOf` says beside a shape narrows the shape and is no place of its own: its bounds count as the shape's, and
    `parts_of` has the rest.
    """
    return _WALKS.of(contract).nodes


def recursions_of(contract: Contract) -> tuple[tuple[str, Node], ...]:
    """Return each definition that may contain itself, with the place where it comes round."""
    return _WALKS.of(contract).recursions


def nodes_below(schema: Schema) -> Iterator[Node]:
    """Yield a schema that stands alone, and every schema inside it."""
    yield from _Walk(as_map(schema.get("$defs"))).walk(Node((), schema), frozenset())


class _Walk:
    def __init__(self, definitions: Schema) -> None:
        self.definitions = definitions
        self.uses: Counter[str] = Counter()
        self.recursions: dict[str, Node] = {}

    def walk(self, node: Node, within: frozenset[str]) -> Iterator[Node]:
        schema = node.schema
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2]
            if name in within:
                self.recursions.setdefault(name, node)
            if name in within or name not in self.definitions or len(node.path) > _DEEPEST:
                return
            self.uses[name] += 1
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            merged = Node(node.path, {**as_map(self.definitions[name]), **beside}, node.is_required)
            if self.uses[name] > _MOST_USES:
                yield merged
                return
            yield from self.walk(merged, within | {name})
            return
        whole = Node(node.path, self._lifted(schema), node.is_required)
        yield whole
        for child in _children(whole):
            yield from self.walk(child, within)

    def _lifted(self, schema: Schema) -> Schema:
        """Return the schema with the bounds of what must hold beside it, and all of it where it has no shape itself."""
        if "allOf" not in schema:
            return schema
        has_shape = any(key in schema for key in ("type", "properties", "oneOf", "anyOf"))
        lifted: dict[str, object] = {}
        for part in [*parts_of(schema, self.definitions)][1:]:
            lifted.update({k: v for k, v in part.items() if k in _LIFTED or not has_shape})
        return {**lifted, **schema}


def _children(node: Node) -> Iterator[Node]:
    schema, required = node.schema, as_list(node.schema.get("required"))
    for name, value in sorted(as_map(schema.get("properties")).items()):
        yield Node((*node.path, name), as_map(value), name in required)
    for key in _SHAPES:
        inner = as_map(schema.get(key))
        if inner:
            yield Node((*node.path, "*"), inner, True)
    for value in (
        *as_map(schema.get("patternProperties")).values(),
        *as_list(schema.get("prefixItems")),
    ):
        if as_map(value):
            yield Node((*node.path, "*"), as_map(value), True)
    for branch in branches_of(schema):
        yield Node(node.path, branch, node.is_required)


def place_of(tool: ResolvedTool, kind: str, path: tuple[str, ...]) -> Origin:
    """Return where `input.a.b` or `view.a` is written, or its nearest parent, or the tool."""
    names = [part for part in path if part != "*"]
    while names:
        found = tool.places.get(".".join((kind, *names)))
        if found is not None:
            return found
        names.pop()
    return tool.origin


@dataclass(frozen=True, slots=True)
class _Walked:
    nodes: tuple[Node, ...]
    recursions: tuple[tuple[str, Node], ...]


def _walk_contract(contract: Contract) -> _Walked:
    walk = _Walk(as_map(contract.arguments.get("$defs")))
    nodes = tuple(walk.walk(Node((), contract.arguments), frozenset()))
    return _Walked(nodes, tuple(sorted(walk.recursions.items(), key=lambda found: found[0])))


_WALKS: PerObject[Contract, _Walked] = PerObject(_walk_contract)
