"""Names for what `$ref` names: a component's own name, and for any other part a name that never changes."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from .document import Anchor, Document, Step, write_pointer
from .reading import Node, Reading
from .references import Library

__all__ = ["Definitions"]

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_COMPONENT = re.compile(r"[A-Za-z0-9._-]+")
_UNCLEAN = re.compile(r"[^A-Za-z0-9_-]+")
_SUFFIXES = (".json", ".yaml", ".yml")


@dataclass(slots=True)
class Definitions:
    """Names and raw nodes of the definitions that were reached."""

    library: Library
    prefix: tuple[str, ...]
    """Where the root file keeps its named schemas."""
    _name_by_place: dict[tuple[str, tuple[Step, ...]], str] = field(
        default_factory=dict[tuple[str, tuple[Step, ...]], str]
    )
    _node_by_name: dict[str, Node] = field(default_factory=dict[str, Node])

    def name(self, node: Node, reading: Reading) -> str:
        """Return the name of a node, and note that the reading reaches it."""
        path = self.library.path_of(node.anchor.document)
        place = (path, node.anchor.steps)
        name = self._name_by_place.get(place)
        if name is None:
            name = self._new_name(path, node.anchor)
            if self._is_taken(name, node.anchor):
                name = f"{name}_{_digest(path, node.anchor)}"
            self._name_by_place[place] = name
            self._node_by_name[name] = node
        reading.reached[name] = None
        return name

    def keep(self, node: Node, name: str) -> str:
        """Return the name that a component of the root file has, whatever characters it is made of."""
        self._node_by_name.setdefault(name, node)
        return name

    def node(self, name: str) -> Node:
        """Return the raw node of a name that was given; KeyError for any other."""
        return self._node_by_name[name]

    def component(self, name: str, document: Document | None = None) -> Node | None:
        """Return the named schema of that name, of the root file or of another, or None."""
        home = document or self.library.root
        return Node(Anchor(home), home.value).find((*self.prefix, name))

    def mapped(self, text: str, anchor: Anchor) -> Node:
        """Return what a value of a discriminator's mapping names: a schema of the root file, of its own, or a reference.

        SourceError where that leads nowhere.
        """
        target = None
        if "/" not in text:
            target = self.component(text) or self.component(text, anchor.document)
        return target or self.library.resolve(text, anchor)

    def _is_taken(self, name: str, anchor: Anchor) -> bool:
        if name in self._node_by_name:
            return True
        is_component = self._component_name(anchor) is not None
        return not is_component and self.component(name) is not None

    def _component_name(self, anchor: Anchor) -> str | None:
        steps = anchor.steps
        depth = len(self.prefix)
        is_component = len(steps) == depth + 1 and steps[:depth] == self.prefix
        return str(steps[-1]) if is_component and anchor.document is self.library.root else None

    def _new_name(self, path: str, anchor: Anchor) -> str:
        component = self._component_name(anchor)
        if component is not None:
            return (
                component if _COMPONENT.fullmatch(component) else _cleaned(component, path, anchor)
            )
        if anchor.document is self.library.root:
            return _cleaned(str(anchor.steps[-1]) if anchor.steps else "root", path, anchor)
        stem = next((path.removesuffix(s) for s in _SUFFIXES if path.endswith(s)), path)
        parts = [*stem.split("/"), *(str(step) for step in anchor.steps)]
        if all(_PLAIN.fullmatch(part) for part in parts):
            return ".".join(parts)
        return _cleaned(parts[-1], path, anchor)


def _cleaned(name: str, path: str, anchor: Anchor) -> str:
    """Return a plain name that the place alone decides, so that it is the same in every run."""
    return f"{_UNCLEAN.sub('_', name).strip('_') or 'part'}_{_digest(path, anchor)}"


def _digest(path: str, anchor: Anchor) -> str:
    place = f"{path}#{write_pointer(anchor.steps)}"
    return hashlib.sha256(place.encode("utf-8")).hexdigest()[:8]
