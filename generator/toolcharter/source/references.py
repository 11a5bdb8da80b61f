"""Follows `$ref` inside the folder of a description: no network, no way out, no endless chain."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from toolcharter.diagnostics import Diagnostic

from .document import Anchor, Document, Step, parse_pointer, write_pointer
from .limits import MAX_BYTES, shown
from .load import load_document, shown_name
from .reading import Node, nearest
from .refusal import SourceError
from .shapes import as_step, is_object, members_of

__all__ = ["Library"]


class Library:
    """The files of one description, each read when it is first reached."""

    def __init__(self, root: Document, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self.root = root
        self.folder = folder.resolve()
        self._max_bytes = max_bytes
        self._documents: dict[Path, Document] = {root.path: root}

    @property
    def documents(self) -> tuple[Document, ...]:
        """Return the files read so far, in the order of their paths."""
        return tuple(self._documents[path] for path in sorted(self._documents))

    def path_of(self, document: Document) -> str:
        """Return a file's path relative to the folder, POSIX."""
        return document.path.relative_to(self.folder).as_posix()

    def follow(self, node: Node) -> Node:
        """Return what a chain of references ends in; the node itself where it is none."""
        seen: set[tuple[int, tuple[Step, ...]]] = set()
        start = node
        while is_object(node.value) and "$ref" in node.value:
            place = (id(node.anchor.document), node.anchor.steps)
            if place in seen:
                hint = "let one of them be a definition"
                raise _error("TC723", "References lead only to each other", start.anchor, hint)
            seen.add(place)
            node = self.target(node)
        return node

    def target(self, node: Node) -> Node:
        """Return what the node's `$ref` names, one step."""
        anchor = node.anchor / "$ref"
        reference = node.value["$ref"]
        if not isinstance(reference, str):
            raise _error("TC725", "`$ref` is not a string", anchor, "write a URI reference")
        return self.resolve(reference, anchor)

    def resolve(self, reference: str, anchor: Anchor) -> Node:
        """Return what a reference that is written at `anchor` names."""
        address, _, fragment = reference.partition("#")
        document = self._document(address, anchor) if address else anchor.document
        if not fragment:
            return Node(Anchor(document), document.value)
        pointer = unquote(fragment)
        if not pointer.startswith("/"):
            hint = "write a JSON Pointer, such as `#/components/schemas/Name`"
            raise _error("TC705", f"A named anchor, {shown(reference)}, is not read", anchor, hint)
        return _walk(document, pointer, anchor)

    def _document(self, address: str, anchor: Anchor) -> Document:
        path = self._path(address, anchor)
        known = self._documents.get(path)
        if known is not None:
            return known
        if not path.is_file():
            folder = path.parent
            names = sorted(p.name for p in folder.glob("*") if p.is_file())
            close = nearest(path.name, names)
            hint = f"did you mean {shown(close)}?" if close else "add the file, or mend the name"
            raise _error("TC701", f"There is no file {shown(address)}", anchor, hint)
        staged = load_document(path, max_bytes=self._max_bytes)
        if staged.value is None:
            raise SourceError(staged.diagnostics[0])
        self._documents[path] = staged.value
        return staged.value

    def _path(self, address: str, anchor: Anchor) -> Path:
        try:
            parts = urlsplit(address)
        except ValueError:
            raise _error("TC701", f"{shown(address)} is no reference", anchor) from None
        if parts.scheme not in {"", "file"} or parts.netloc:
            hint = "keep a copy of the file in the folder and refer to that"
            bare = _USER.sub("//", address)  # a password may stand there
            raise _error("TC702", f"{shown(bare)} is on the network", anchor, hint)
        name = unquote(parts.path)
        path = Path(name)
        if parts.scheme or path.is_absolute() or "\\" in name or "\0" in name or parts.query:
            raise _error("TC722", f"{shown(address)} is not a relative path", anchor, _INSIDE)
        try:
            # Following links as the system does shows where the file really lies.
            found = (anchor.document.path.parent / path).resolve()
            found.is_file()  # raises for a name that is too long
        except (OSError, RuntimeError):  # or links that lead in a circle
            raise _error("TC701", f"{shown(address)} names no file", anchor, _INSIDE) from None
        if not found.is_relative_to(self.folder):
            raise _error(
                "TC722", f"{shown(address)} leaves the description's folder", anchor, _INSIDE
            )
        return found


_USER = re.compile(r"//[^/?#]*@")
_INSIDE = "refer to a file inside the description's folder, relative to the referring file"


def _walk(document: Document, pointer: str, anchor: Anchor) -> Node:
    value: Any = document.value
    steps: list[Step] = []
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
    return SourceError(
        Diagnostic(code=code, severity="error", message=message, origin=anchor.origin, hint=hint)
    )
