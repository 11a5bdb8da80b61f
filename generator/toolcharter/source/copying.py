"""Copies parts of a raw description: what they refer to gets a name, and waits to be copied under it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcharter.diagnostics import Diagnostic

from .definitions import Definitions
from .document import Anchor, Step
from .grammar import GRAMMAR, Kind, Shape
from .reading import Node, Reading, malformed
from .references import Library
from .refusal import SourceError
from .shapes import is_array, is_object

__all__ = ["Copier", "Slice"]


@dataclass(slots=True)
class Slice:
    """A self-contained description, where its parts came from, and what could not be copied."""

    value: dict[str, Any] = field(default_factory=dict[str, Any])
    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    anchors: dict[int, Anchor] = field(default_factory=dict[int, Anchor])
    """By the id of a container of `value`."""

    def anchor(self, steps: Iterable[Step], root: Anchor) -> Anchor:
        """Return where a part of the value came from."""
        node: Any = self.value
        anchor = root
        for step in steps:
            try:
                node = node[step]
            except (KeyError, IndexError, TypeError):
                break
            anchor = self.anchors.get(id(node)) or anchor / step
        return anchor


class Copier:
    """Copies into one slice; `homes` says where its root keeps named parts of each kind."""

    def __init__(
        self, library: Library, homes: Mapping[Kind, tuple[str, ...]], result: Slice
    ) -> None:
        self.result = result
        self._library = library
        self._homes = homes
        self._names = {kind: Definitions(library, home) for kind, home in homes.items()}
        self._waiting: list[tuple[Kind, str]] = []
        self._dynamic: list[tuple[str, Anchor]] = []

    def sections(self) -> dict[tuple[str, ...], dict[str, Any]]:
        """Copy all that waits, and what that refers to in turn; return it by its place in the root."""
        copied: dict[tuple[str, ...], dict[str, Any]] = {}
        while self._waiting:
            kind, name = self._waiting.pop()
            section = copied.setdefault(self._homes[kind], {})
            if name not in section:
                section[name] = None  # holds the name while what lies below is copied
                section[name] = self.copy(self._names[kind].node(name), kind)
        checked = (self._library.check_dynamic(*reference) for reference in self._dynamic)
        self.result.findings.extend(finding for finding in checked if finding)
        return copied

    def follow(self, node: Node) -> Node | None:
        """Return what references end in; None, with a finding, where they lead nowhere."""
        try:
            return self._library.follow(node)
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return None

    def copy(self, node: Node, kind: Kind) -> Any:
        """Return a copy of a part; what it refers to waits for `sections`."""
        if not is_object(node.value):
            return node.value  # the validator says what is wrong with it
        if "$ref" in node.value:
            return self._copy_reference(node, kind)
        if "$dynamicRef" in node.value and kind == "schema" and self._library.has_resources:
            return self._copy_dynamic(node)
        part = GRAMMAR[kind]
        copied: dict[str, Any] = {}
        for key, value in node.value.items():
            if key in part.left_out or (key.startswith("x-") and not part.keeps_extensions):
                continue
            child = Node(node.anchor / key, value)
            if key in part.members:
                copied[key] = self._copy_members(child, *part.members[key])
            elif kind == "schema" and key == "discriminator":
                copied[key] = self._copy_discriminator(child)
            else:
                copied[key] = value
                if is_object(value) or is_array(value):
                    self.result.anchors[id(value)] = child.anchor
        self.result.anchors[id(copied)] = node.anchor
        return copied

    def _copy_members(self, node: Node, shape: Shape, kind: Kind) -> Any:
        made: Any
        if is_array(node.value):  # also a tuple of draft 4, where elsewhere one schema stands
            made = [self.copy(node / index, kind) for index in range(len(node.value))]
        elif shape == "map" and is_object(node.value):
            made = {
                key: value
                if key.startswith("x-") and kind != "schema"
                else self.copy(node / key, kind)
                for key, value in node.value.items()
            }
        elif shape == "one":
            return self.copy(node, kind)
        else:
            return node.value
        self.result.anchors[id(made)] = node.anchor
        return made

    def _copy_reference(self, node: Node, kind: Kind) -> Any:
        try:
            target = self._library.target(node)
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return {}
        if kind not in self._homes:
            followed = self.follow(node)
            return self.copy(followed, kind) if followed else {}
        siblings = {key: value for key, value in node.value.items() if key != "$ref"}
        copied = {"$ref": self._named(target, kind, node.value["$ref"])}
        if siblings:
            copied.update(self.copy(Node(node.anchor, siblings), kind))
        self.result.anchors[id(copied)] = node.anchor
        return copied

    def _copy_dynamic(self, node: Node) -> Any:
        """Copy a schema with a dynamic reference, which in a slice is an ordinary one."""
        others = {key: value for key, value in node.value.items() if key != "$dynamicRef"}
        try:
            target = self._library.target(node, "$dynamicRef")
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return {}
        name = target.value.get("$dynamicAnchor") if is_object(target.value) else None
        if isinstance(name, str):
            self._dynamic.append((name, node.anchor / "$dynamicRef"))
        reference = {"$ref": self._named(target, "schema", "")}
        copied = self.copy(Node(node.anchor, others), "schema")
        made = {**copied, "allOf": [*copied.get("allOf", ()), reference]} if others else reference
        self.result.anchors[id(made)] = node.anchor
        return made

    def _named(self, target: Node, kind: Kind, spelled: str) -> str:
        """Return the reference to a part's place in the slice: as it was spelled, where that is the place."""
        home = self._homes[kind]
        steps = target.anchor.steps
        if target.anchor.document is self._library.root and steps[:-1] == home:
            name = self._names[kind].keep(target, str(steps[-1]))
            reference = spelled
        else:
            name = self._names[kind].name(target, Reading())
            reference = f"#/{'/'.join(home)}/{name}"
        self._waiting.append((kind, name))
        return reference if reference.startswith("#/") else f"#/{'/'.join(home)}/{name}"

    def _copy_discriminator(self, node: Node) -> Any:
        if not is_object(node.value):
            return node.value
        copied = dict(node.value)
        mapping, default = node.get("mapping"), node.get("defaultMapping")
        if mapping is not None and is_object(mapping.value):
            targets = {tag: self._mapped(mapping / tag) for tag in mapping.value}
            self.result.anchors[id(targets)] = mapping.anchor
            copied["mapping"] = targets
        if default is not None:
            copied["defaultMapping"] = self._mapped(default)
        self.result.anchors[id(copied)] = node.anchor
        return copied

    def _mapped(self, node: Node) -> Any:
        text = node.value
        if not isinstance(text, str):
            reading = Reading()
            malformed(reading, node.anchor, "A mapping's value is not a string")
            self.result.findings.extend(reading.findings)
            return text
        names = self._names["schema"]
        try:
            target = names.mapped(text, node.anchor)
            reference = self._named(target, "schema", text)
            is_component = "/" not in text and names.component(text) is not None
            return text if is_component else reference
        except SourceError as error:
            self.result.findings.append(error.diagnostic)
            return text
