"""Follows `$ref` inside the folder of a description: to files, to parts of files, and to schemas that name themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urljoin

from toolcharter.diagnostics import Diagnostic

from .document import Anchor, Document, Step, parse_pointer, write_pointer
from .files import Files
from .limits import shown
from .load import shown_name
from .reading import Node, nearest
from .refusal import SourceError, refused
from .resources import Resources, base_of, find_resources, home_uri
from .shapes import as_step, is_object, members_of, value_at

__all__ = ["Library"]

_HOME: Final = "file:///"


class Library:
    """The files of one description, and what references in them name."""

    def __init__(self, root: Document, folder: Path, *, has_resources: bool = False) -> None:
        self.root = root
        self._files = Files(root, folder)
        self.has_resources = has_resources
        """Whether schemas name themselves, as those of JSON Schema 2020-12 may."""
        self._resources: dict[Path, Resources] = {}

    @property
    def documents(self) -> tuple[Document, ...]:
        """Return the files read so far, in the order of their paths."""
        return self._files.documents

    def path_of(self, document: Document) -> str:
        """Return a file's path relative to the folder, POSIX."""
        return self._files.path_of(document)

    def follow(self, node: Node) -> Node:
        """Return what a chain of references ends in; the node itself where it is none."""
        return self.chain(node)[-1]

    def chain(self, node: Node) -> tuple[Node, ...]:
        """Return a node, and what its references lead to one after the other; the last is no reference."""
        seen: set[tuple[int, tuple[Step, ...]]] = set()
        nodes = [node]
        while is_object(node.value) and "$ref" in node.value:
            place = (id(node.anchor.document), node.anchor.steps)
            if place in seen:
                hint = "let one of them be a definition"
                message = "References lead only to each other"
                raise _error("TC723", message, nodes[0].anchor, hint)
            seen.add(place)
            node = self.target(node)
            nodes.append(node)
        return tuple(nodes)

    def target(self, node: Node, key: str = "$ref") -> Node:
        """Return what the node's `$ref` names, one step."""
        anchor = node.anchor / key
        reference = node.value[key]
        if not isinstance(reference, str):
            raise _error("TC725", f"`{key}` is not a string", anchor, "write a URI reference")
        return self.resolve(reference, anchor)

    def resolve(self, reference: str, anchor: Anchor) -> Node:
        """Return what a reference that is written at `anchor` names."""
        address, _, fragment = reference.partition("#")
        start = self._start(address, anchor)
        if not fragment:
            return start
        pointer = unquote(fragment)
        if pointer.startswith("/"):
            return _walk(start, pointer, anchor)
        if not self.has_resources:
            hint = "write a JSON Pointer, such as `#/components/schemas/Name`"
            raise _error("TC705", f"A named anchor, {shown(reference)}, is not read", anchor, hint)
        return self._named(start, pointer, anchor)

    def check_dynamic(self, name: str, anchor: Anchor) -> Diagnostic | None:
        """Return the refusal of a dynamic reference that may mean several schemas of the files read so far."""
        count = sum(self._resources_of(one).dynamic.get(name, 0) for one in self.documents)
        if count <= 1:
            return None
        message = f"`$dynamicRef` may mean {count} schemas, whose dynamic anchor is {shown(name)}"
        hint = "write `$ref` to the one that is meant, or give the others names of their own"
        return _error("TC705", message, anchor, hint).diagnostic

    def _start(self, address: str, anchor: Anchor) -> Node:
        """Return the root of what an address names: a file, or a schema with an `$id`."""
        here = anchor.document
        if not self.has_resources:
            return _root(self._files.document(address, anchor) if address else here)
        home = self._home(here)
        base, steps = base_of(here, anchor.steps, home)
        if not address:
            return _at(here, steps)
        if base == home and home.startswith(_HOME) and self._files.has(address, anchor):
            return _root(self._files.document(address, anchor))
        uri = _joined(base, address)
        known = self._by_uri(uri, anchor)
        if known is not None:
            return known
        inside = uri.removeprefix(_HOME)
        if base != home and uri != inside and not address.startswith((_HOME, "/")):
            return _root(self._files.document(inside, anchor, self._files.folder))
        return _root(self._files.document(address, anchor))

    def _by_uri(self, uri: str, anchor: Anchor) -> Node | None:
        found = [
            _at(document, steps)
            for document in self.documents
            for steps in self._resources_of(document).resources.get(uri, ())
        ]
        if len(found) > 1:
            hint = "let each `$id` stand once"
            raise _error("TC707", f"{len(found)} schemas are {shown(uri)}", anchor, hint)
        return found[0] if found else None

    def _named(self, start: Node, name: str, anchor: Anchor) -> Node:
        """Return the schema of an anchor inside the resource that begins at `start`."""
        document = start.anchor.document
        uri, _ = base_of(document, start.anchor.steps, self._home(document))
        anchors = self._resources_of(document).anchors
        found = anchors.get((uri, name), [])
        if len(found) == 1:
            return _at(document, found[0])
        if found:
            hint = "let each anchor of a resource stand once, or refer by JSON Pointer"
            message = f"{len(found)} schemas have the anchor {shown(name)}"
            raise _error("TC707", message, anchor, hint)
        close = nearest(name, (each for of, each in anchors if of == uri))
        hint = f"did you mean {shown('#' + close)}?" if close else "write a JSON Pointer"
        raise _error("TC701", f"There is no anchor {shown(name)}", anchor, hint)

    def _resources_of(self, document: Document) -> Resources:
        known = self._resources.get(document.path)
        if known is None:
            known = find_resources(document, self._home(document))
            self._resources[document.path] = known
        return known

    def _home(self, document: Document) -> str:
        return home_uri(document, self.path_of(document))


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _root(document: Document) -> Node:
    return Node(Anchor(document), document.value)


def _at(document: Document, steps: tuple[Step, ...]) -> Node:
    return Node(Anchor(document, steps), value_at(document.value, steps))


def _walk(start: Node, pointer: str, anchor: Anchor) -> Node:
    document = start.anchor.document
    value: Any = start.value
    steps: list[Step] = list(start.anchor.steps)
    for part in parse_pointer(pointer):
        members = members_of(value)
        step = as_step(value, part)
        if step not in members:
            close = nearest(part, (name for name in members if isinstance(name, str)))
            hint = f"did you mean {shown(write_pointer([*steps, close]))}?" if close else ""
            message = f"{shown('#' + pointer)} names nothing"
            if document is not anchor.document:
                message += f" in {shown_name(document.path, Path.cwd())}"
            raise _error("TC701", message, anchor, hint or "add the definition, or mend the name")
        value = members[step]
        steps.append(step)
    return Node(Anchor(document, tuple(steps)), value)


def _error(code: str, message: str, anchor: Anchor, hint: str = "") -> SourceError:
    return refused(code, message, anchor.origin, hint)
