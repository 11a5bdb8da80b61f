"""Every operation of a description, judged one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from toolcharter.diagnostics import Diagnostic, Origin
from toolcharter.rules._described import contradicted_tags
from toolcharter.rules._general import READING, is_general
from toolcharter.rules._json import as_list, words_of
from toolcharter.rules.guards._places import guard_at
from toolcharter.source import Anchor, Description, Operation
from toolcharter.source.operations import Found
from toolcharter.wording import flaws

from .answers import words_of_answer
from .inputs import words_of_request
from .words import KINDS, Word

__all__ = ["OperationReadiness", "Readiness", "Status", "assess"]

Status: TypeAlias = Literal["ready", "needs", "cannot"]
_REPEATABLE = frozenset({"DELETE", "PUT"})


@dataclass(frozen=True, slots=True)
class OperationReadiness:
    """One operation: what it is called, its tags, and all that stands between it and a tool."""

    name: str
    method: str
    path: str
    tags: tuple[str, ...]
    anchor: Anchor
    words: tuple[Word, ...]

    @property
    def origin(self) -> Origin:
        """Return where the operation is declared."""
        return self.anchor.origin

    @property
    def reads(self) -> bool:
        """Say whether the verb makes a read likely; the charter's `effect` decides."""
        return self.method in READING

    @property
    def status(self) -> Status:
        """Return `ready` where a plain listing will do, `needs` where the charter must say something, or `cannot`."""
        kinds = {word.kind for word in self.words}
        return "cannot" if "cannot" in kinds else "needs" if "word" in kinds else "ready"

    @property
    def deciding(self) -> tuple[Word, ...]:
        """Return what decides the status."""
        kind = "cannot" if self.status == "cannot" else "word"
        return tuple(word for word in self.words if word.kind == kind)

    @property
    def codes(self) -> frozenset[str]:
        """Return the codes of what decides the status."""
        return frozenset(word.code for word in self.deciding)


@dataclass(frozen=True)
class Readiness:
    """All operations of one description, and what could not be listed at all."""

    title: str
    version: str
    operations: tuple[OperationReadiness, ...]
    unlisted: tuple[Diagnostic, ...]

    @cached_property
    def counts(self) -> dict[Status, int]:
        """Return how many operations have each status."""
        found: dict[Status, int] = {"ready": 0, "needs": 0, "cannot": 0}
        for operation in self.operations:
            found[operation.status] += 1
        return found


def assess(description: Description) -> Readiness:
    """Return how far each operation is from being a tool."""
    operations = tuple(_one(found, description) for found in description.index.all)
    return Readiness(
        description.title, description.version, operations, tuple(description.index.findings)
    )


def _one(found: Found, description: Description) -> OperationReadiness:
    key = found.key
    staged = description.operation(f"{key.method} {key.path}")
    operation = staged.value
    words = [_refusal(each) for each in staged.diagnostics]
    if operation is not None:
        words += _words(operation, description)
    elif not any(word.kind == "cannot" for word in words):
        words.append(Word("cannot", "TC725", "", "cannot be read"))
    tags = as_list(found.operation.value.get("tags"))
    return OperationReadiness(
        name=str(key),
        method=key.method,
        path=key.path,
        tags=tuple(dict.fromkeys(tag for tag in tags if isinstance(tag, str))),
        anchor=found.operation.anchor,
        words=tuple(
            sorted(dict.fromkeys(words), key=lambda word: (KINDS.index(word.kind), word.code))
        ),
    )


def _refusal(diagnostic: Diagnostic) -> Word:
    kind: Literal["cannot", "note"] = "cannot" if diagnostic.severity == "error" else "note"
    return Word(kind, diagnostic.code, str(diagnostic.origin), diagnostic.message)


def _words(operation: Operation, description: Description) -> Iterator[Word]:
    reads = operation.method in READING
    yield from words_of_request(operation, description, reads=reads)
    yield from words_of_answer(operation, description, reads=reads)
    for body in operation.bodies.values():
        for tag, value in contradicted_tags(body.schema, description):
            yield Word(
                "note", "TC303", "body", f"names by `{tag}: {value}` a branch that refuses it"
            )
    if is_general(operation.path, operation.operation_id) and not reads:
        yield Word("word", "TC108", "", "carries out whatever it is sent")
    if operation.deprecated:
        yield Word("note", "TC802", "", "is deprecated")
    if not operation.security or any(not alternative for alternative in operation.security):
        yield Word("note", "TC510", "", "is described without a credential")
    elif len(operation.security) > 1:
        yield Word("note", "TC737", "", "takes one of several credentials: say which with `auth`")
    if not reads and operation.method not in _REPEATABLE and not _takes_key(operation):
        yield Word("note", "TC502", "", "takes no idempotency key that is described")
    for text in (operation.summary, operation.description):
        kinds = {flaw.kind for flaw in flaws(text or "")}
        if kinds & {"hidden", "instruction"}:
            yield Word("note", "TC604", "", "has a description that is not handed to a model")


def _takes_key(operation: Operation) -> bool:
    places = (f"{p.location}.{p.name}" for p in operation.parameters)
    return any(
        guard_at(place) == "an idempotency key" or "idempotency" in words_of(place)
        for place in places
    )
