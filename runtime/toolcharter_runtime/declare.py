"""What a generated module says of one tool: its types and the facts that a reviewer needs, and no control flow.

The facts are a rendering of the frozen contract (`facts_of`); a boundary refuses to open where they disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel

if TYPE_CHECKING:
    from .frozen import Contract

__all__ = [
    "Commit",
    "Fact",
    "Preview",
    "ReadTool",
    "Tool",
    "WriteTool",
    "declared_facts",
    "facts_of",
]

A = TypeVar("A", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)
E = TypeVar("E", bound=str)

Fact: TypeAlias = "str | int | bool | tuple[str, ...] | Mapping[str, Any]"

_TYPED = frozenset({"name", "version", "arguments", "result"})


@dataclass(frozen=True, slots=True)
class Preview(Generic[A, E]):
    """The first half of a write: validates, reads, and makes a proposal; changes nothing."""

    tool: str
    version: int
    arguments: type[A]

    @property
    def name(self) -> str:
        """Return the name that a model sees."""
        return f"preview_{self.tool}"

    @property
    def id(self) -> str:
        """Return the registry id, e.g. `preview_refund.v1`."""
        return f"{self.name}.v{self.version}"


@dataclass(frozen=True, slots=True)
class Commit(Generic[R, E]):
    """The second half of a write: takes a proposal's id and nothing else."""

    tool: str
    version: int
    result: type[R]

    @property
    def name(self) -> str:
        """Return the name that a model sees."""
        return f"commit_{self.tool}"

    @property
    def id(self) -> str:
        """Return the registry id, e.g. `commit_refund.v1`."""
        return f"{self.name}.v{self.version}"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadTool(Generic[A, R, E]):
    """A tool that changes nothing. Keywords run in the order of a call's life."""

    name: str
    version: int
    arguments: type[A]
    result: type[R]
    description: str
    request: str
    """Method, path template and media type of the body."""
    sends: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Place of the request → constant or template."""
    auth: str = ""
    returns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of the view → place of the answer, and how it is shown."""
    pages: str = ""
    resolvers: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    retry: bool = False
    timeout: str = ""
    limits: str = ""
    hidden: bool = False
    purposes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Return the registry id, e.g. `get_customer.v1`."""
        return f"{self.name}.v{self.version}"


@dataclass(frozen=True, kw_only=True, eq=False)
class WriteTool(Generic[A, R, E]):
    """A tool that changes something: preview and commit as one object, so that neither can stand alone."""

    name: str
    version: int
    arguments: type[A]
    result: type[R]
    description: str
    summary: str
    """The effect in words, as the approver reads it."""
    approval: tuple[str, ...]
    consequences: tuple[str, ...] = ()
    irreversible: tuple[str, ...] = ()
    affects: str = ""
    target: str
    resolvers: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict[str, str])
    native_preview: str = ""
    request: str
    """Method, path template and media type of the body."""
    sends: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Place of the request → constant or template."""
    auth: str = ""
    idempotency: str
    answers: tuple[str, ...] = ()
    returns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of the view → place of the answer, and how it is shown."""
    unknown: str
    follow: str = ""
    evidence: Mapping[str, str] = field(default_factory=dict[str, str])
    compensation: str
    timeout: str = ""
    limits: str = ""
    purposes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Return the registry id of the contract, e.g. `refund.v1`."""
        return f"{self.name}.v{self.version}"

    @property
    def preview(self) -> Preview[A, E]:
        """Return the tool that proposes."""
        return Preview(self.name, self.version, self.arguments)

    @property
    def commit(self) -> Commit[R, E]:
        """Return the tool that carries out an approved proposal."""
        return Commit(self.name, self.version, self.result)


Tool: TypeAlias = "ReadTool[Any, Any, Any] | WriteTool[Any, Any, Any]"


def declared_facts(tool: Tool) -> dict[str, Fact]:
    """Return the facts that a declaration states, those at their default left out."""
    return {
        one.name: getattr(tool, one.name)
        for one in fields(tool)
        if one.name not in _TYPED and getattr(tool, one.name) != _default(one)
    }


def facts_of(contract: Contract) -> dict[str, Fact]:
    """Return the keywords of the contract's declaration, beside its types, in the declaration's order.

    Keys are the fields of `ReadTool` or `WriteTool`; values are plain literals; a fact at its default is left out.
    """
    from .facts import (
        render_facts,
    )  # the generator and an opening boundary need it, importing a package does not

    rendered = render_facts(contract)
    shape = ReadTool if contract.effect == "read" else WriteTool
    return {
        one.name: rendered[one.name]
        for one in fields(shape)
        if one.name in rendered and rendered[one.name] != _default(one)
    }


def _default(one: Field[Any]) -> object:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return one.default
