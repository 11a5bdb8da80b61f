"""Finds the operations of a description: by `operationId`, or by method and path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from toolcharter.diagnostics import Diagnostic

from .document import Anchor
from .limits import shown
from .operation import OperationKey
from .reading import Node, Reading, malformed, nearest
from .references import Library
from .refusal import SourceError, refused
from .shapes import is_object
from .versions import METHODS, Version

__all__ = ["Found", "OperationIndex"]

_METHOD: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_PROSE: Final = frozenset({"$ref", "summary", "description"})


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One operation as it is written, with references followed."""

    key: OperationKey
    items: tuple[Node, ...]
    """Its path item, and each that this one refers to: what stands beside `$ref` counts, too."""
    operation: Node


class OperationIndex:
    """The operations of one description."""

    def __init__(self, library: Library, version: Version) -> None:
        self._library = library
        self._methods = METHODS[version]
        self._has_others = version == "3.2"
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
        found: list[Found] = []
        if path in self._names():
            try:
                here = list(self._at(path))
            except SourceError as error:
                reading.findings.append(error.diagnostic)
                return None
            found = [each for each in here if each.key.method == method]
            found = found or [each for each in here if each.key.method == method.upper()]
        if not found:
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
        items = self._library.chain(self._paths / path)
        for item in items:
            self._must_be_object(item, f"The path item {shown(path)}")
        self._must_be_distinct(items, path)
        for method, node in self._operations(items):
            operation = self._library.follow(node)
            self._must_be_object(operation, f"The operation {shown(method)}")
            identity = operation.value.get("operationId")
            name = identity if isinstance(identity, str) else None
            yield Found(OperationKey(method, path, name), items, operation)

    def _operations(self, items: tuple[Node, ...]) -> Iterator[tuple[str, Node]]:
        for method in self._methods:
            for item in items:
                node = item.get(method)
                if node is not None:
                    yield method.upper(), node
        for item in items if self._has_others else ():
            others = item.get("additionalOperations")
            if others is not None:
                self._must_be_object(others, "`additionalOperations`")
                for method in others.value:
                    self._must_be_method(others, method)
                    yield method, others / method

    def _must_be_method(self, others: Node, method: str) -> None:
        if method.lower() in self._methods:
            message = f"{shown(method)} is a member of the path item itself"
        elif not _METHOD.fullmatch(method):
            message = f"{shown(method)} is no method of HTTP"
        else:
            return
        reading = Reading()
        malformed(reading, others.anchor / method, message)
        raise SourceError(reading.findings[0])

    @staticmethod
    def _must_be_distinct(items: tuple[Node, ...], path: str) -> None:
        """Refuse a member that stands in a path item and in the one it refers to: OpenAPI leaves open which counts."""
        seen: dict[str, Node] = {}
        for item in items:
            for key in item.value:
                if key in seen and key not in _PROSE and not key.startswith("x-"):
                    message = f"{shown(key)} of {shown(path)} stands beside `$ref` and behind it"
                    hint = "keep one of the two"
                    raise refused("TC707", message, (seen[key].anchor / key).origin, hint)
                seen.setdefault(key, item)

    @staticmethod
    def _must_be_object(node: Node, what: str) -> None:
        if not is_object(node.value):
            reading = Reading()
            malformed(reading, node.anchor, f"{what} is not an object")
            raise SourceError(reading.findings[0])
