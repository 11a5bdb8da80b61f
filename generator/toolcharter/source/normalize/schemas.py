"""Schemas of any version, as JSON Schema 2020-12 says the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolcharter.source.definitions import Definitions
from toolcharter.source.document import Anchor
from toolcharter.source.limits import shown
from toolcharter.source.operation import Schema
from toolcharter.source.reading import Node, Reading, malformed
from toolcharter.source.references import Library
from toolcharter.source.refusal import SourceError
from toolcharter.source.shapes import is_array, is_object, members_of
from toolcharter.source.versions import DIALECTS

from .ambiguity import warn_of_ambiguous
from .discriminators import Names, read_discriminator
from .keywords import (
    ANNOTATIONS,
    DROPPED,
    IDENTITY,
    LISTS,
    MAPS,
    NO_MEANING,
    SHAPES,
    SINGLES,
    is_known,
    meant_by,
)
from .origins import Origins

__all__ = ["Dialect", "SchemaReader", "definition_reference"]

Lift: TypeAlias = Callable[[Schema, Anchor, Reading], Schema]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs from version to version in a schema."""

    lift: Lift
    """Turns the version's own spellings, among keywords already read, into those of 2020-12."""
    is_2020_12: bool
    """Whether schemas are those of JSON Schema 2020-12: they name themselves, and what stands beside `$ref` counts."""


def definition_reference(name: str) -> Schema:
    """Return the schema that refers to a definition; names need no escaping."""
    return {"$ref": f"#/$defs/{name}"}


# Keywords with force: in 2.0 and 3.0 an author who writes them beside `$ref` means something that is not there.
_FORCEFUL = frozenset({*SHAPES, *MAPS, *LISTS, *SINGLES, "nullable", "x-nullable"}) - ANNOTATIONS


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
        elif "$ref" in raw or (self.dialect.is_2020_12 and "$dynamicRef" in raw):
            schema = self._reference(node, in_place=in_place)
        else:
            schema = self._keywords(node, in_place=in_place)
        self.origins.keep(schema, node.anchor)
        return schema

    def refer(self, node: Node, *, in_place: bool = False, key: str = "$ref") -> Schema:
        """Return a reference to the definition that a node's `$ref` names."""
        try:
            target = self.library.target(node, key)
        except SourceError as error:
            self.reading.findings.append(error.diagnostic)
            return {"not": {}}
        if key == "$dynamicRef" and "$dynamicAnchor" in members_of(target.value):
            self.reading.dynamic.append((target.value["$dynamicAnchor"], node.anchor / key))
        name = self.definitions.name(target, self.reading)
        if in_place:
            self.reading.in_place[name] = None
        return definition_reference(name)

    def _reference(self, node: Node, *, in_place: bool) -> Schema:
        if self.dialect.is_2020_12:
            return self._references(node, in_place=in_place)
        reference = self.refer(node, in_place=in_place)
        if len(node.value) > 1:
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

    def _references(self, node: Node, *, in_place: bool) -> Schema:
        """Return `$ref` and what stands beside it, of which `$dynamicRef` is a second reference."""
        keys = [key for key in ("$ref", "$dynamicRef") if key in node.value]
        first, *others = [self.refer(node, in_place=in_place, key=key) for key in keys]
        if len(node.value) == 1:
            return first
        schema = {**first, **self._keywords(node, in_place=in_place)}
        for other in others:
            self.origins.keep(other, node.anchor)
            schema["allOf"] = [*schema.get("allOf", ()), other]
            self.origins.keep(schema["allOf"], node.anchor)
        return schema

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
                names = Names(self.definitions, self.reading)
                schema["x-discriminator"] = read_discriminator(child, names)
            elif self._is_kept(key, child):
                schema[key] = value
                self._keep_plain(key, child, node)
        if "dependencies" in node.value:
            self._add_dependencies(node, schema)
        lifted = self.dialect.lift(schema, anchor, self.reading)
        if lifted is not schema:
            self._keep_made(lifted, anchor)
        for key, value in list(lifted.items()):
            shape = SHAPES.get(key)
            if shape is not None and not shape[0](value):
                message = f"{shown(key)} is not {shape[1]}"
                if key in ANNOTATIONS:
                    hint = "mend it, or leave it out: it says nothing of what a value may be"
                    self.reading.report("TC725", message, anchor / key, hint, "warning")
                    del lifted[key]
                else:
                    malformed(self.reading, anchor / key, message)
        return lifted

    def _is_kept(self, key: str, child: Node) -> bool:
        """Say whether a keyword without schemas in it counts; report one that would, and has no form here."""
        names_itself = key in IDENTITY
        if key in NO_MEANING or (names_itself and not self.dialect.is_2020_12):
            hint = "write it in the keywords that OpenAPI's schemas share with JSON Schema 2020-12"
            self.reading.report("TC705", f"{shown(key)} is not supported", child.anchor, hint)
            return False
        if key == "$schema" and self.dialect.is_2020_12 and not _is_known_dialect(child.value):
            hint = "write the schema in JSON Schema 2020-12, and say so"
            message = "The schema is in another dialect than OpenAPI's or 2020-12"
            self.reading.report("TC705", message, child.anchor, hint)
        if names_itself and not isinstance(child.value, str):
            malformed(self.reading, child.anchor, f"{shown(key)} is not a string")
        is_said = names_itself or key in DROPPED or key == "$ref"
        meant = None if is_said or is_known(key) else meant_by(key)
        if meant is not None:
            message = f"{shown(key)} is no keyword, and says nothing"
            self.reading.report(
                "TC705", message, child.anchor, f"did you mean `{meant}`?", "warning"
            )
        return not is_said and is_known(key)

    def _keep_plain(self, key: str, child: Node, node: Node) -> None:
        if is_array(child.value) or is_object(child.value):
            self.origins.keep(child.value, child.anchor)
        if node.anchor.document.ambiguous:
            warn_of_ambiguous(node, key, self.reading)

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

    def _add_dependencies(self, node: Node, schema: Schema) -> None:
        """Split `dependencies`, of drafts before 2019-09, into its successors; where those stand, too, it adds to them."""
        declared = node / "dependencies"
        made: Schema = {"dependentRequired": {}, "dependentSchemas": {}}
        for name, value in self.reading.mapping(declared, "`dependencies`").items():
            if is_array(value):
                made["dependentRequired"][name] = value
                self.origins.keep(value, declared.anchor / name)
            else:
                made["dependentSchemas"][name] = self.read(declared / name)
        made = {key: members for key, members in made.items() if members}
        for members in made.values():
            self.origins.keep(members, declared.anchor)
        if made.keys() & schema.keys():
            self.origins.keep(made, declared.anchor)
            schema["allOf"] = [*schema.get("allOf", ()), made]
        else:
            schema.update(made)


def _is_tuple(schema: dict[str, Any]) -> bool:
    return is_array(schema.get("items"))


def _is_known_dialect(value: Any) -> bool:
    return isinstance(value, str) and value.rstrip("#") in DIALECTS
