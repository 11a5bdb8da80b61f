"""`TOOLS.md`: the catalog for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from toolcharter_runtime.declare import facts_of
from toolcharter_runtime.frozen import Contract

from ._environment import Code, identifier, render
from .described import claims_told, inputs_told
from .package import Package
from .spelling import code, code_cell
from .views import HandbookView, RoleView, RowView, WriteView

__all__ = ["handbook_text"]

_LABELS = {
    "summary": "effect",
    "request": "request",
    "approval": "approval",
    "consequences": "consequences",
    "irreversible": "cannot be undone",
    "affects": "records",
    "target": "target",
    "checks": "checks",
    "native_preview": "preview",
    "idempotency": "a repeat",
    "unknown": "after a lost answer",
    "follow": "long operation",
    "compensation": "compensation",
    "limits": "limits",
}


def handbook_text(package: Package) -> str:
    """Return `TOOLS.md`: what each role may do, and what each write takes."""
    writes = [c for c in package.contracts if c.effect == "write"]
    hidden = [c for c in package.contracts if c.hidden]
    view = HandbookView(
        package=identifier(package.name),
        roles=tuple(_role(package, name, role) for name, role in sorted(package.roles.items())),
        writes=tuple(map(_write, writes)),
        hidden=tuple(map(_row, hidden)),
        has_writes=bool(writes),
        has_hidden=bool(hidden),
    )
    return f"{render('handbook/tools.md.j2', view).rstrip()}\n"


def _role(package: Package, name: str, role: Mapping[str, tuple[str, ...]]) -> RoleView:
    reads = tuple(_row(c) for c in package.current if c.tool in role.get("reads", ()))
    writes = tuple(_row(c) for c in package.current if c.tool in role.get("writes", ()))
    return RoleView(
        name=Code(code(name)),
        purposes=", ".join(role.get("purposes", ())) or "all",
        reads=reads,
        writes=writes,
        has_reads=bool(reads),
        has_writes=bool(writes),
    )


def _row(contract: Contract) -> RowView:
    return RowView(
        name=identifier(contract.tool),
        anchor=identifier(f"{contract.tool}v{contract.version}"),
        text=contract.description,
        approval=Code(
            ", else ".join(map(code_cell, _several(facts_of(contract).get("approval", ()))))
        ),
    )


def _write(contract: Contract) -> WriteView:
    facts = facts_of(contract)
    name = Code(f"{identifier(contract.tool)}.v{contract.version}")
    takes, claims = inputs_told(contract), claims_told(contract)
    before = [("takes", _spans(takes))] if takes else []
    after = [("rests on", _spans(claims))] if claims else []
    return WriteView(name, contract.description, (*before, *_facts(facts), *after))


def _spans(texts: Iterable[str]) -> Code:
    return Code("; ".join(map(code, texts)))


def _facts(facts: Mapping[str, Any]) -> Iterator[tuple[str, Code]]:
    for name, label in _LABELS.items():
        if facts.get(name):
            yield label, _spans(_several(facts[name]))


def _several(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, cast("Iterable[object]", value)))
