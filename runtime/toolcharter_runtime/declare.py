"""What a generated tool module declares: one literal a tool, which holds facts and does nothing.

A declaration says in a screenful what may come in, what goes out over HTTP, what comes back, and what
it takes. Its facts are those that `facts_of` reads from the frozen contract, word for word; a boundary
refuses to open where they differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from .frozen import Binding, Contract, Request, ViewField

__all__ = ["Commit", "Preview", "ReadTool", "WriteTool", "facts_of"]

A = TypeVar("A")
R = TypeVar("R")
E = TypeVar("E")

_NOT_FACTS = frozenset({"name", "version", "arguments", "result"})
_OF_THE_DUMP = ("answers", "purposes", "page", "timeout", "limits", "resolvers")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Declaration:
    """What a read and a write both declare; a fact left out has the contract's default."""

    name: str
    version: int
    description: str
    operation: str
    """How the description names it."""
    request: str
    """Method and path template."""
    sends: Mapping[str, object]
    """Place of the request → constant or template."""
    returns: Mapping[str, str]
    """Name of the view → place of the answer; `items.name` is a name inside a list."""
    auth: str | None = None
    """Scheme, whom it stands for, and scopes."""
    hidden: bool = False
    purposes: object = None
    resolvers: object = None
    answers: object = None
    page: object = None
    timeout: object = None
    limits: object = None

    @property
    def id(self) -> str:
        """The registry id, e.g. `get_customer.v1`."""
        return f"{self.name}.v{self.version}"

    @property
    def facts(self) -> dict[str, object]:
        """What is declared beyond name and types, in the form of `facts_of`."""
        stated = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _NOT_FACTS}
        unsaid = {f.name: f.default for f in fields(self) if f.default is not MISSING}
        return {
            name: value
            for name, value in stated.items()
            if name not in unsaid or value != unsaid[name]
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadTool(_Declaration, Generic[A, R, E]):
    """A tool that changes nothing: `A` goes in, `R` comes out, or one of the error codes `E`."""

    effect: ClassVar[Literal["read"]] = "read"

    arguments: type[A]
    result: type[R]
    retry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WriteTool(_Declaration, Generic[A, R, E]):
    """A tool that changes something: a preview that proposes, and a commit of what was approved."""

    effect: ClassVar[Literal["write"]] = "write"

    arguments: type[A]
    result: type[R]
    summary: str
    target: object
    approval: object
    idempotency: object
    version_check: str
    evidence: object
    compensation: object
    unknown: object = None
    """None: a lost answer goes to the operator at once."""
    consequences: object = None
    irreversible: object = None
    affects: str | None = None
    checks: object = None
    changes: object = None
    native_preview: object = None
    follow: object = None
    resend: bool = False

    @property
    def preview(self) -> Preview[A, E]:
        """The half that validates and proposes."""
        return Preview(self)

    @property
    def commit(self) -> Commit[R, E]:
        """The half that carries out an approved proposal."""
        return Commit(self)


@dataclass(frozen=True, slots=True)
class Preview(Generic[A, E]):
    """`preview_<tool>`: takes the arguments, gives a proposal."""

    tool: WriteTool[A, Any, E]

    @property
    def name(self) -> str:
        """The name that a model sees."""
        return f"preview_{self.tool.name}"


@dataclass(frozen=True, slots=True)
class Commit(Generic[R, E]):
    """`commit_<tool>`: takes a proposal's id and nothing else."""

    tool: WriteTool[Any, R, E]

    @property
    def name(self) -> str:
        """The name that a model sees."""
        return f"commit_{self.tool.name}"


def facts_of(contract: Contract) -> dict[str, object]:
    """Return what a declaration of this contract must state, as JSON values in the order of a call's life.

    A fact at its default is left out. The keys are the keywords of `ReadTool` and `WriteTool`.
    """
    dump = contract.model_dump(mode="json", exclude_defaults=True)
    facts: dict[str, object] = {
        "description": contract.description,
        "operation": contract.operation,
        "request": f"{contract.request.method} {contract.request.path}",
        "sends": dict(_sends(contract.request)),
        "returns": dict(_returns(contract.view.fields, "", "")),
    }
    if contract.auth is not None:
        facts["auth"] = " ".join(
            (contract.auth.scheme, "as", contract.auth.acts_as, *contract.auth.scopes)
        )
    if contract.hidden:
        facts["hidden"] = True
    if contract.write is not None:
        terms = dict(dump["write"])
        if "preview" in terms:
            terms["native_preview"] = terms.pop("preview")
        facts |= {name: terms[name] for name in _terms_order(terms)}
    elif contract.retry:
        facts["retry"] = True
    return facts | {name: dump[name] for name in _OF_THE_DUMP if name in dump}


def _terms_order(terms: Mapping[str, object]) -> Iterator[str]:
    order = [field.name for field in fields(WriteTool)]
    yield from sorted(terms, key=order.index)


def _sends(request: Request) -> Iterator[tuple[str, object]]:
    for parameter in request.parameters:
        yield f"{parameter.location}.{parameter.name}", parameter.value
    if request.body is None:
        return
    if request.body.carried is not None:
        carried = request.body.carried
        yield f"{carried.at} of the target", {"without": list(carried.without)}
    yield from _bound(request.body.bindings, "")


def _bound(bindings: tuple[Binding, ...], above: str) -> Iterator[tuple[str, object]]:
    for binding in bindings:
        place = f"{above}{binding.at}" or "body"
        if binding.each is None:
            yield place, binding.value
        else:
            yield from _bound(binding.item, f"{above}{binding.at}/*")


def _returns(view: tuple[ViewField, ...], names: str, above: str) -> Iterator[tuple[str, str]]:
    for field in view:
        name = f"{names}{field.name}"
        at = field.count if field.at is None else field.at
        place = f"{above}{at or ''}"
        notes = ", ".join(_notes(field))
        yield name, f"{place or 'body'} ({notes})" if notes else place or "body"
        if field.each is not None:
            yield from _returns(field.each, f"{name}.", f"{place}/*")


def _notes(field: ViewField) -> Iterator[str]:
    if field.count is not None:
        yield "count"
    if field.money is not None:
        yield f"{field.money.unit} {field.money.currency}"
    if field.truncate is not None:
        yield f"truncated at {field.truncate}"
    if field.redact is not None:
        yield field.redact
    yield from (note for note in ("hidden", "secret") if getattr(field, note))
