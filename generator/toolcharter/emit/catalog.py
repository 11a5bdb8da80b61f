"""`catalog/catalog.json`: the pinned snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcharter_runtime.canonical import digest
from toolcharter_runtime.catalog import contract_digest
from toolcharter_runtime.frozen import Contract

from .package import Package

__all__ = ["snapshot"]


def snapshot(package: Package) -> dict[str, Any]:
    """Return `catalog.json`, its own digest included."""
    ids = {contract.id for contract in package.contracts}
    if len(ids) != len(package.contracts):
        raise ValueError("two contracts of one tool and version")
    body: dict[str, Any] = {
        "catalog": 1,
        "package": package.name,
        "context": dict(package.context),
        "policies": _policies(package),
        "roles": {name: _role(package, role) for name, role in package.roles.items()},
        "tools": {contract.id: _entry(package, contract) for contract in package.contracts},
    }
    return {**body, "digest": digest("catalog", body)}


def _policies(package: Package) -> dict[str, Any]:
    """Return today's policies by name; a kept version's own rows are in its frozen contract."""
    rows = [row for c in package.current if c.write is not None for row in c.write.approval]
    return {
        row.policy.name: row.policy.model_dump(mode="json", exclude={"name"}, exclude_none=True)
        for row in rows
    }


def _role(package: Package, role: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the registry ids that a role has: every callable version of its tools, each by its own effect.

    A version that was a write stays out of a role that only reads the tool of its name.
    """
    writes = frozenset(role.get("writes", ()))
    reads = writes.union(role.get("reads", ()))
    seen = [contract for contract in package.contracts if not contract.hidden]
    return {
        "reads": [c.id for c in seen if c.effect == "read" and c.tool in reads],
        "writes": [c.id for c in seen if c.effect == "write" and c.tool in writes],
        "purposes": list(role.get("purposes", ())),
    }


def _entry(package: Package, contract: Contract) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "digest": contract_digest(contract),
        "revision": contract.revision,
        "effect": contract.effect,
        "hidden": contract.hidden,
        "description": contract.description,
        "claims": [claim.model_dump(mode="json", exclude_none=True) for claim in contract.claims],
        "status": "kept" if contract in package.kept else "current",
        **package.notes.get(contract.tool, {}),
    }
    if contract.id in package.sunsets:
        entry["sunset"] = package.sunsets[contract.id]
    if contract.write is not None:
        entry["consequences"] = list(contract.write.consequences)
        entry["policies"] = list(dict.fromkeys(row.policy.name for row in contract.write.approval))
        entry["without"] = dict(_missing_guards(contract))
    return entry


def _missing_guards(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield each guard that a write does without, and the reason."""
    terms = contract.write
    if terms is None:
        return
    if terms.target.unversioned is not None:
        yield "version", terms.target.unversioned
    if terms.unknown is None:
        yield "unknown", "an operator decides"
    if terms.compensation.none is not None:
        yield "compensation", terms.compensation.none
    for row in terms.approval:
        if row.policy.none is not None:
            yield "approval", row.policy.none
    for fact, why in terms.evidence.absent.items():
        yield f"evidence {fact}", why
