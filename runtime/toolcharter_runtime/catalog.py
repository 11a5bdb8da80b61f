"""A generated package's catalog: its declarations, and the pinned snapshot behind them, loaded when first asked for.

A generated `class CrmTools(Catalog)` has one attribute a tool, so this base class keeps no public name that a tool
could want; the snapshot is reached through `snapshot_of`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .declare import ReadTool, Tool, WriteTool, declared_facts, facts_of

if TYPE_CHECKING:
    from .frozen import Contract

__all__ = ["Catalog", "CatalogError", "Role", "Snapshot", "contract_digest", "snapshot_of"]


def contract_digest(contract: Contract) -> str:
    """Return the digest by which a frozen contract is pinned."""
    from .canonical import digest

    return digest("contract", contract.to_json())


class CatalogError(Exception):
    """A package whose declarations, frozen contracts and snapshot do not say the same: generate it again."""


@dataclass(frozen=True, slots=True)
class Role:
    """What one role may do; tools by registry id of their contract."""

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    purposes: tuple[str, ...]


class Catalog:
    """The tools of one package as attributes, e.g. `catalog.get_customer`, `catalog.refund.preview`."""

    def __init__(self, package: str) -> None:
        """Bind to the package whose folder `catalog/` holds the snapshot; nothing is read yet."""
        self._package = package

    @cached_property
    def __snapshot__(self) -> Snapshot:
        """The pinned snapshot."""
        return Snapshot(self._package, _declarations(type(self)))


def snapshot_of(catalog: Catalog) -> Snapshot:
    """Return the pinned snapshot behind a catalog, read once."""
    return catalog.__snapshot__


def _declarations(shape: type[Catalog]) -> dict[str, Tool]:
    named = {name: getattr(shape, name) for name in dir(shape) if not name.startswith("_")}
    return {tool.id: tool for tool in named.values() if isinstance(tool, ReadTool | WriteTool)}


class Snapshot:
    """`catalog.json` and the frozen contracts beside it; each contract is read and its digest checked once."""

    def __init__(self, package: str, declarations: Mapping[str, Tool]) -> None:
        """Bind to a package's resources; nothing is read yet."""
        self.package = package
        self.declarations = declarations
        self._contracts: dict[str, Contract] = {}

    @cached_property
    def _pinned(self) -> Mapping[str, Any]:
        from .canonical import digest

        pinned: dict[str, Any] = json.loads(self._text("catalog.json"))
        stated = pinned.get("digest")
        if stated != digest("catalog", {name: pinned[name] for name in pinned if name != "digest"}):
            raise CatalogError(f"{self.package}: catalog.json was changed after it was generated")
        return pinned

    @property
    def digest(self) -> str:
        """Return the digest of the whole snapshot."""
        return str(self._pinned["digest"])

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        """Return the roles by name."""
        return {
            name: Role(
                name=name,
                reads=tuple(role.get("reads", ())),
                writes=tuple(role.get("writes", ())),
                purposes=tuple(role.get("purposes", ())),
            )
            for name, role in self._pinned["roles"].items()
        }

    @property
    def context(self) -> Mapping[str, Any]:
        """Return the schema of what an application states when it opens a run: closed, all of it required."""
        nothing = {"type": "object", "additionalProperties": False}
        context: Mapping[str, Any] = self._pinned.get("context") or nothing
        return context

    @property
    def needs_approvers(self) -> bool:
        """Say whether a policy of the catalog waits for a person."""
        return any("none" not in policy for policy in self._pinned.get("policies", {}).values())

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the registry ids of all contracts, hidden reads and kept versions included."""
        return tuple(self._pinned["tools"])

    def digest_of(self, tool_id: str) -> str:
        """Return the pinned digest of one contract."""
        return str(self._pinned["tools"][tool_id]["digest"])

    def contract(self, tool_id: str) -> Contract:
        """Return one frozen contract; `CatalogError` if its bytes are not those that were pinned."""
        known = self._contracts.get(tool_id)
        if known is None:
            known = self._contracts[tool_id] = self._load(tool_id)
        return known

    def check(self) -> None:
        """Read everything; `CatalogError` where a declaration, a contract and the snapshot disagree."""
        for tool_id in self.ids:
            contract = self.contract(tool_id)
            declared = self.declarations.get(tool_id)
            if declared is not None and declared_facts(declared) != facts_of(contract):
                raise CatalogError(f"{tool_id}: the declaration and the frozen contract disagree")
        strangers = sorted(set(self.declarations) - set(self.ids))
        if strangers:
            raise CatalogError(f"{', '.join(strangers)}: declared, and not in the snapshot")

    def _load(self, tool_id: str) -> Contract:
        from .frozen import Contract

        if tool_id not in self._pinned["tools"]:
            raise KeyError(tool_id)
        contract = Contract.model_validate_json(self._text(f"{tool_id}.json"))
        if contract.id != tool_id or contract_digest(contract) != self.digest_of(tool_id):
            raise CatalogError(f"{tool_id}: the frozen contract is not the one that was pinned")
        return contract

    def _text(self, name: str) -> str:
        from importlib.resources import files

        return (files(self.package) / "catalog" / name).read_text("utf-8")
