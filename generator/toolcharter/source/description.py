"""A description: its root file and all that is reached from it, normalized as it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from toolcharter.diagnostics import Diagnostic, Origin, Staged, failed

from .definitions import Definitions
from .document import Anchor, Document
from .load import load_document, shown_name
from .normalize import openapi30, openapi31, swagger2
from .normalize.openapi3 import OpenApi3Parts
from .normalize.operation import read_operation
from .normalize.origins import Origins
from .normalize.parts import Parts
from .normalize.schemas import Dialect, SchemaReader
from .operation import Operation, OperationKey, Schema, SecurityScheme, SourceFile
from .operations import Found, OperationIndex
from .overlays import Overlaid, apply_overlays
from .reading import Node, Reading, malformed
from .references import Library
from .shapes import is_object
from .versions import LAYOUTS, Version, version_of

__all__ = ["Description", "load_description"]

_DIALECTS: Final[Mapping[Version, Dialect]] = {
    "2.0": Dialect(swagger2.lift, is_2020_12=False),
    "3.0": Dialect(openapi30.lift, is_2020_12=False),
    "3.1": Dialect(openapi31.lift, is_2020_12=True),
    "3.2": Dialect(openapi31.lift, is_2020_12=True),
}


@dataclass(frozen=True, slots=True)
class _Definition:
    schema: Schema
    reading: Reading


class Description:
    """One OpenAPI description. Normalized parts are made once and shared: they must not be changed."""

    def __init__(
        self, version: Version, library: Library, overlays: Iterable[Document] = ()
    ) -> None:
        self.version: Final = version
        self._overlays: Final = tuple(overlays)
        self.library: Final = library
        self.index: Final = OperationIndex(library, version)
        self._names = Definitions(library, LAYOUTS[version].schemas)
        self._origins = Origins()
        self._read_definitions: dict[str, _Definition] = {}
        self._checked: set[str] = set()
        self._operations: dict[str, Staged[Operation]] = {}

    @property
    def root(self) -> Document:
        """Return the root file."""
        return self.library.root

    @property
    def title(self) -> str:
        """Return the title of `info`, empty if there is none."""
        info = self.root.value.get("info")
        title = info.get("title") if is_object(info) else None
        return title if isinstance(title, str) else ""

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Return the files read so far, overlays too, in the order of their paths."""
        documents = (*self.library.documents, *self._overlays)
        files = {SourceFile(self.library.path_of(one), one.sha256) for one in documents}
        return tuple(sorted(files))

    @cached_property
    def security_schemes(self) -> Mapping[str, SecurityScheme]:
        """Return the declared security schemes; one that makes no sense is of the kind `other`."""
        root = Node(Anchor(self.root), self.root.value)
        node = root.find(LAYOUTS[self.version].security_schemes)
        parts = self._parts(Reading())
        schemes: dict[str, SecurityScheme] = {}
        for name in parts.reading.mapping(node, "The security schemes"):
            scheme = parts.follow(node / name) if node else None
            if scheme is not None and is_object(scheme.value):
                schemes[name] = parts.security_scheme(scheme)
        return schemes

    def operations(self) -> tuple[OperationKey, ...]:
        """Return every operation that can be read, in the order of the description."""
        return tuple(found.key for found in self.index.all)

    def operation(self, name: str) -> Staged[Operation]:
        """Return the operation of an `operationId`, or of `GET /v1/x`.

        The findings are those of the operation and of all definitions that it reaches; with an error among them
        there is no value.
        """
        if name not in self._operations:
            self._operations[name] = self._read(name)
        return self._operations[name]

    def definition(self, name: str) -> Schema:
        """Return the normalized schema behind `#/$defs/<name>`; KeyError for a name never handed out."""
        return self._definition(name).schema

    def origin(self, node: Mapping[str, Any] | list[Any]) -> Origin:
        """Return where a node of a schema that was handed out is written; KeyError for any other."""
        return self._origins.anchor(node).origin

    def find(self, name: str) -> Staged[Found]:
        """Return an operation as it is written."""
        reading = Reading()
        found = self.index.find(name, reading)
        return Staged(found, tuple(reading.findings))

    def _read(self, name: str) -> Staged[Operation]:
        reading = Reading()
        found = self.index.find(name, reading)
        if found is None:
            return Staged(None, tuple(reading.findings))
        operation = read_operation(found, self._parts(reading), self.security_schemes.keys())
        readings = [reading, *(definition.reading for definition in self._closure(reading))]
        self._check_dynamic(readings)
        findings = dict.fromkeys(finding for each in readings for finding in each.findings)
        is_clean = all(finding.severity != "error" for finding in findings)
        return Staged(operation if is_clean else None, tuple(findings))

    def _closure(self, start: Reading) -> Iterator[_Definition]:
        seen: set[str] = set()
        waiting = list(reversed(start.reached))
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                definition = self._definition(name)
                yield definition
                waiting.extend(reversed(definition.reading.reached))

    def _check_dynamic(self, readings: list[Reading]) -> None:
        """Refuse what a dynamic reference leaves open, now that every file that it may reach has been read."""
        for reading in readings:
            checked = (self.library.check_dynamic(*reference) for reference in reading.dynamic)
            reading.findings.extend(finding for finding in checked if finding)

    def _definition(self, name: str) -> _Definition:
        definition = self._read_definition(name)
        if name not in self._checked:
            self._checked.add(name)
            if self._leads_to_itself(name):
                hint = "let the schema say something of its own, and refer to itself only below a property"
                message = "The schema contains itself in place, so no value could be judged"
                anchor = self._names.node(name).anchor
                definition.reading.report("TC723", message, anchor, hint)
        return definition

    def _read_definition(self, name: str) -> _Definition:
        known = self._read_definitions.get(name)
        if known is None:
            reading = Reading()
            node = self._names.node(name)
            schema = self._schema_reader(reading).read(node, in_place=True)
            known = self._read_definitions[name] = _Definition(schema, reading)
        return known

    def _leads_to_itself(self, name: str) -> bool:
        """Say whether a chain of `$ref` and `allOf` alone leads from a definition to itself."""
        seen: set[str] = set()
        waiting = list(self._read_definition(name).reading.in_place)
        while waiting:
            each = waiting.pop()
            if each == name:
                return True
            if each not in seen:
                seen.add(each)
                waiting.extend(self._read_definition(each).reading.in_place)
        return False

    def _schema_reader(self, reading: Reading) -> SchemaReader:
        dialect = _DIALECTS[self.version]
        return SchemaReader(self.library, self._names, dialect, self._origins, reading)

    def _parts(self, reading: Reading) -> Parts:
        kind = swagger2.Swagger2Parts if self.version == "2.0" else OpenApi3Parts
        return kind(self.library, self._schema_reader(reading), reading)


def load_description(
    path: Path,
    *,
    folder: Path | None = None,
    overlays: Sequence[Path] = (),
) -> Staged[Description]:
    """Read the root file of a description; other files follow when they are reached.

    References may reach what lies below `folder`, the folder of the root file if none is given; overlays lie there,
    too. They are applied to the root file, in their order, before anything looks at it.
    """
    try:
        whole, below = path.resolve(), (folder or path.resolve().parent).resolve()
    except (OSError, ValueError, RuntimeError):  # a name that no file can have: reading says so
        whole = below = path
    if not whole.is_relative_to(below):
        hint = "keep the description in the folder of its charter"
        origin = Origin(shown_name(path, Path.cwd()), 1, 1)
        return failed("TC722", "The description leaves its folder", origin, hint)
    staged = load_document(path)
    document = staged.value
    if document is None:
        return Staged(None, staged.diagnostics)
    overlaid = apply_overlays(document, overlays, below)
    if overlaid.value is None:
        return Staged(None, overlaid.diagnostics)
    described = _described(overlaid.value, below)
    return Staged(described.value, (*overlaid.diagnostics, *described.diagnostics))


def _described(overlaid: Overlaid, below: Path) -> Staged[Description]:
    document = overlaid.document
    version = version_of(document)
    if isinstance(version, Diagnostic):
        return Staged(None, (version,))
    paths = document.value.get("paths", {})
    if not is_object(paths):
        reading = Reading()
        malformed(reading, Anchor(document, ("paths",)), "`paths` is not an object")
        return Staged(None, tuple(reading.findings))
    has_resources = _DIALECTS[version].is_2020_12
    library = Library(document, below, has_resources=has_resources)
    return Staged(Description(version, library, overlaid.overlays))
