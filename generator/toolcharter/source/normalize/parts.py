"""What each version's reader of operation parts shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toolcharter.source.document import Anchor
from toolcharter.source.limits import shown
from toolcharter.source.operation import BodySpec, ParameterSpec, ResponseSpec, SecurityScheme
from toolcharter.source.reading import Node, Reading, malformed
from toolcharter.source.references import Library
from toolcharter.source.refusal import SourceError

from .schemas import SchemaReader

__all__ = ["Parts", "RequestParts"]

_PROSE: Final = frozenset({"$ref", "description", "summary"})


@dataclass(frozen=True, slots=True)
class RequestParts:
    """What an operation's request has: parameters, bodies by media type, whether a body must be there."""

    parameters: tuple[ParameterSpec, ...]
    bodies: Mapping[str, BodySpec]
    body_required: bool


class Parts(ABC):
    """Reads the parts of one operation, in one version of OpenAPI."""

    def __init__(self, library: Library, schemas: SchemaReader, reading: Reading) -> None:
        self.library = library
        self.schemas = schemas
        self.reading = reading
        self.root = Node(Anchor(library.root), library.root.value)

    def follow(self, node: Node) -> Node | None:
        """Return what a node's references end in; None, with a finding, where they lead nowhere."""
        try:
            nodes = self.library.chain(node)
        except SourceError as error:
            self.reading.findings.append(error.diagnostic)
            return None
        for reference in nodes[:-1]:
            self._warn_of_ignored(reference)
        return nodes[-1]

    def _warn_of_ignored(self, node: Node) -> None:
        """Warn of what stands beside the `$ref` of a parameter, response and the like: all versions ignore it."""
        ignored = [key for key in node.value if key not in _PROSE and not key.startswith("x-")]
        if ignored:
            message = f"{', '.join(map(shown, ignored))} beside `$ref` counts for nothing"
            hint = "write the part out, or give it a definition of its own"
            self.reading.report("TC703", message, node.anchor / ignored[0], hint, "warning")

    def key_scheme(self, node: Node) -> SecurityScheme:
        """Return the security scheme of an API key, which all versions spell alike."""
        location, name = node.value.get("in"), node.value.get("name")
        if location not in ("header", "query", "cookie") or not isinstance(name, str):
            malformed(self.reading, node.anchor, "An API key has no `name` or no known `in`")
            return SecurityScheme(kind="other", anchor=node.anchor)
        return SecurityScheme(kind="api_key", location=location, name=name, anchor=node.anchor)

    @abstractmethod
    def request(self, operation: Node, parameters: tuple[Node, ...]) -> RequestParts:
        """Return parameters and body; the nodes are followed, and unique by place and name."""

    @abstractmethod
    def response(self, node: Node, operation: Node, status: str) -> ResponseSpec:
        """Return one response; the node is followed."""

    @abstractmethod
    def security_scheme(self, node: Node) -> SecurityScheme:
        """Return one security scheme; the node is followed."""
