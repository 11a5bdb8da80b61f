"""Finds the operations of a description: by `operationId`, or by method and path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from toolcharter.diagnostics import Diagnostic

from .document import Anchor
from .limits import shown
from .operation import OperationKey
from .reading import Node, Reading, malformed, nearest
from .references import Library
from .refusal import SourceError
from .shapes import is_object
from .versions import METHODS

__all__ = ["Found", "OperationIndex"]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One operation as it is written: its path item and itself, both with references followed."""

    key: OperationKey
    item: Node
    operation: Node


class OperationIndex:
    """The operations of one description."""

    def __init__(self, library: Library) -> None:
        self._library = library
        root = library.root
        self._paths = Node(Anchor(root), root.value).get("paths")
        self.findings: list[Diagnostic] = []
        """Paths that could not be followed while all were listed."""

    @cached_property
    def all(self) -> tuple[Found, ...]:
        """Return every operation, in the order of the description."""
        found: list[Found] = []
        for path in self._names():
            try:
                found.extend(self._at(path))
            except SourceError as error:
                self.findings.append(error.diagnostic)
        return tuple(found)

    def find(self, name: str, reading: Reading) -> Found | None:
        """Return the operation of a name; None, with a finding at the root file's paths, if there is none."""
        method, _, path = name.partition(" ")
        if method.lower() in METHODS and path in self._names():
            try:
                found = [each for each in self._at(path) if each.key.method == method.upper()]
            except SourceError as error:
                reading.findings.append(error.diagnostic)
                return None
        else:
            found = [each for each in self.all if each.key.operation_id == name]
        if len(found) == 1:
            return found[0]
        if found:
            names = " or ".join(shown(f"{each.key.method} {each.key.path}") for each in found[:3])
            message = f"{len(found)} operations have the operationId {shown(name)}"
            anchor = found[1].operation.anchor / "operationId"
            reading.report("TC707", message, anchor, f"name it by method and path: {names}")
        else:
            self._report_unknown(name, reading)
        return None

    def _report_unknown(self, name: str, reading: Reading) -> None:
        keys = [each.key for each in self.all]
        names = [key.operation_id for key in keys if key.operation_id]
        close = nearest(name, [*names, *(f"{key.method} {key.path}" for key in keys)])
        hint = f"did you mean {shown(close)}?" if close else "`toolcharter init SPEC` lists them"
        anchor = self._paths.anchor if self._paths else Anchor(self._library.root)
        reading.report("TC726", f"There is no operation {shown(name)}", anchor, hint)
        reading.findings.extend(self.findings)

    def _names(self) -> dict[str, object]:
        return self._paths.value if self._paths and is_object(self._paths.value) else {}

    def _at(self, path: str) -> Iterator[Found]:
        if self._paths is None or not path.startswith("/"):
            return
        item = self._library.follow(self._paths / path)
        self._must_be_object(item, f"The path item {shown(path)}")
        for method in METHODS:
            node = item.get(method)
            if node is None:
                continue
            operation = self._library.follow(node)
            self._must_be_object(operation, f"The operation {shown(method)}")
            identity = operation.value.get("operationId")
            name = identity if isinstance(identity, str) else None
            yield Found(OperationKey(method.upper(), path, name), item, operation)

    @staticmethod
    def _must_be_object(node: Node, what: str) -> None:
        if not is_object(node.value):
            reading = Reading()
            malformed(reading, node.anchor, f"{what} is not an object")
            raise SourceError(reading.findings[0])
