"""Schemas of any version, as JSON Schema 2020-12 says the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolcharter.source.definitions import Definitions
from toolcharter.source.document import Anchor, Step
from toolcharter.source.limits import shown
from toolcharter.source.operation import Schema
from toolcharter.source.reading import Node, Reading, malformed
from toolcharter.source.references import Library
from toolcharter.source.refusal import SourceError
from toolcharter.source.shapes import is_array, is_object

from .keywords import DROPPED, LISTS, MAPS, NO_MEANING, SHAPES, SINGLES

__all__ = ["Dialect", "Origins", "SchemaReader", "definition_reference"]

Lift: TypeAlias = Callable[[Schema, Anchor, Reading], Schema]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs from version to version in a schema."""

    lift: Lift
    """Turns the version's own spellings, among keywords already read, into those of 2020-12."""
    keeps_siblings: bool
    """Whether what stands beside `$ref` counts."""


@dataclass(slots=True)
class Origins:
    """Where each container that was handed out is written; holding it keeps its id its own."""

    _anchor_by_id: dict[int, tuple[Any, Anchor]] = field(
        default_factory=dict[int, tuple[Any, Anchor]]
    )

    def keep(self, node: Any, anchor: Anchor) -> None:
        """Note where a container is written."""
        self._anchor_by_id[id(node)] = (node, anchor)

    def has(self, node: Any) -> bool:
        """Say whether the container is known."""
        return id(node) in self._anchor_by_id

    def anchor(self, node: Any) -> Anchor:
        """Return where a container is written; KeyError for one that was never handed out."""
        return self._anchor_by_id[id(node)][1]


def definition_reference(name: str) -> Schema:
    """Return the schema that refers to a definition; names need no escaping."""
    return {"$ref": f"#/$defs/{name}"}


# Keywords with force: in 2.0 and 3.0 an author who writes them beside `$ref` means something that is not there.
_FORCEFUL = frozenset({*SHAPES, *MAPS, *LISTS, *SINGLES, "nullable", "x-nullable"}) - frozenset(
    {"title", "description", "examples", "deprecated"}
)


# Keywords whose scalars decide what a value may be; elsewhere a mistaken scalar is only prose.
_READ_LITERALLY = frozenset({*SHAPES, "const", "default"}) - frozenset(
    {"title", "description", "examples", "deprecated"}
)


@dataclass(slots=True)
class SchemaReader:
    """Reads the schemas of one operation or definition."""

    library: Library
    definitions: Definitions
    dialect: Dialect
    origins: Origins
    reading: Reading

    def read(self, node: Node, *, in_place: bool = False) -> Schema:
        """Return the schema of a node; `{"not": {}}` with a finding for what is none."""
        raw = node.value
        if raw is True or raw is False:
            schema: Schema = {} if raw else {"not": {}}
        elif not is_object(raw):
            malformed(self.reading, node.anchor, "A schema is not an object")
            schema = {"not": {}}
        elif "$ref" in raw:
            schema = self._reference(node, in_place=in_place)
        else:
            schema = self._keywords(node, in_place=in_place)
        self.origins.keep(schema, node.anchor)
        return schema

    def refer(self, node: Node, *, in_place: bool = False) -> Schema:
        """Return a reference to the definition that a node's `$ref` names."""
        try:
            target = self.library.target(node)
        except SourceError as error:
            self.reading.findings.append(error.diagnostic)
            return {"not": {}}
        name = self.definitions.name(target, self.reading)
        if in_place:
            self.reading.in_place[name] = None
        return definition_reference(name)

    def _reference(self, node: Node, *, in_place: bool) -> Schema:
        reference = self.refer(node, in_place=in_place)
        if len(node.value) == 1:
            return reference
        if not self.dialect.keeps_siblings:
            ignored = sorted(_FORCEFUL & node.value.keys())
            if ignored:
                self.reading.report(
                    "TC703",
                    f"{', '.join(map(shown, ignored))} beside `$ref` counts for nothing",
                    node.anchor / ignored[0],
                    "write {allOf: [{$ref: …}], …}",
                    "warning",
                )
            return reference
        return {**reference, **self._keywords(node, in_place=in_place)}

    def _keywords(self, node: Node, *, in_place: bool) -> Schema:
        schema: Schema = {}
        anchor = node.anchor
        for key, value in node.value.items():
            child = Node(anchor / key, value)
            if key in MAPS:
                schema[key] = self._map(child)
            elif key in LISTS:
                schema[key] = self._list(child, in_place=in_place and key == "allOf")
            elif key in SINGLES or (key == "additionalItems" and _is_tuple(node.value)):
                schema[key] = self._single(child)
            elif key == "discriminator":
                schema["x-discriminator"] = self._discriminator(child)
            elif self._is_kept(key, child):
                schema[key] = value
                self._keep_plain(key, child, node)
        lifted = self.dialect.lift(schema, anchor, self.reading)
        if lifted is not schema:
            self._keep_made(lifted, anchor)
        for key, value in lifted.items():
            shape = SHAPES.get(key)
            if shape is not None and not shape[0](value):
                malformed(self.reading, anchor / key, f"{shown(key)} is not {shape[1]}")
        return lifted

    def _is_kept(self, key: str, child: Node) -> bool:
        """Say whether a keyword without schemas in it counts; report one that would, and has no form here."""
        if key in NO_MEANING:
            hint = "write it in the keywords that OpenAPI's schemas share with JSON Schema 2020-12"
            self.reading.report("TC705", f"{shown(key)} is not supported", child.anchor, hint)
            return False
        return key not in DROPPED and key != "$ref" and not _is_extension(key)

    def _keep_plain(self, key: str, child: Node, node: Node) -> None:
        if is_array(child.value) or is_object(child.value):
            self.origins.keep(child.value, child.anchor)
        if node.anchor.document.ambiguous and key in _READ_LITERALLY:
            self._warn_of_ambiguous(node, key)

    def _warn_of_ambiguous(self, node: Node, key: str) -> None:
        """Warn of unquoted scalars in a keyword's value that readers of YAML 1.1 take for something else."""
        ambiguous = node.anchor.document.ambiguous
        value = node.value[key]
        places: list[tuple[Any, Step, Anchor]] = [(node.value, key, node.anchor / key)]
        if is_array(value):
            places = [(value, index, node.anchor / key / index) for index in range(len(value))]
        for container, step, anchor in places:
            if (id(container), step) in ambiguous:
                message = "YAML 1.1 and YAML 1.2 read this scalar differently"
                self.reading.report("TC706", message, anchor, "quote it", "warning")

    def _keep_made(self, schema: Schema, anchor: Anchor) -> None:
        """Give the containers that a lift wrapped around a schema the place of that schema."""
        for made in (part for part in schema.values() if is_array(part)):
            if not self.origins.has(made):
                self.origins.keep(made, anchor)
            for element in made:
                if is_object(element) and not self.origins.has(element):
                    self.origins.keep(element, anchor)

    def _map(self, node: Node) -> dict[str, Schema]:
        members = self.reading.mapping(node, f"{shown(str(node.anchor.steps[-1]))}")
        schemas = {key: self.read(node / key) for key in members}
        self.origins.keep(schemas, node.anchor)
        return schemas

    def _list(self, node: Node, *, in_place: bool) -> list[Schema]:
        elements = self.reading.elements(node, f"{shown(str(node.anchor.steps[-1]))}")
        schemas = [self.read(node / index, in_place=in_place) for index in range(len(elements))]
        self.origins.keep(schemas, node.anchor)
        return schemas

    def _single(self, node: Node) -> Any:
        if node.value is True or node.value is False:
            return node.value
        if is_array(node.value) and node.anchor.steps[-1] == "items":
            return self._list(node, in_place=False)  # a tuple of draft 4: `lift_tuple` renames it
        return self.read(node)

    def _discriminator(self, node: Node) -> Schema:
        if isinstance(node.value, str):  # Swagger 2.0
            return {"propertyName": node.value, "mapping": {}}
        self.reading.mapping(node, "`discriminator`")
        name = self.reading.text(node.get("propertyName"), "`propertyName`")
        if name is None:
            malformed(self.reading, node.anchor, "`discriminator` has no `propertyName`")
        mapping = node.get("mapping")
        values = self.reading.mapping(mapping, "`mapping`")
        targets = {tag: self._mapped(mapping / tag) for tag in values} if mapping else {}
        return {"propertyName": name or "", "mapping": targets}

    def _mapped(self, node: Node) -> str:
        """Return the definition's name of a mapping's value: a component's name, or else a reference."""
        text = self.reading.text(node, "A mapping's value") or ""
        target = self.definitions.component(text) if "/" not in text else None
        if target is None:
            try:
                target = self.library.resolve(text, node.anchor)
            except SourceError as error:
                self.reading.findings.append(error.diagnostic)
                return ""
        return self.definitions.name(target, self.reading)


def _is_extension(key: str) -> bool:
    """Say whether a keyword is a vendor's own: of these only go-swagger's `x-nullable` says what a value may be."""
    return key.startswith("x-") and key != "x-nullable"


def _is_tuple(schema: dict[str, Any]) -> bool:
    return is_array(schema.get("items"))
