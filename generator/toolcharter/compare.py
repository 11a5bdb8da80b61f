"""The frozen contracts on disk against the new ones: what is committed is released, so it changes under a new version only.

Here a contract either is the same or it is not, by digest; the finer verdicts come later. Kept versions are read back
from their frozen JSON, which is all that their Python is rendered from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from toolcharter.diagnostics import Diagnostic, Origin, Staged
from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter_runtime.catalog import contract_digest
from toolcharter_runtime.frozen import Contract

__all__ = ["Frozen", "changed_places", "compare_contracts", "load_frozen"]

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Frozen:
    """What the package on disk has frozen."""

    catalog: str
    """Its folder below the package's, e.g. `crm_tools/catalog`."""
    contracts: Mapping[str, Contract]
    """By registry id, those that can be read."""
    digests: Mapping[str, str]
    """By registry id, as the lock has pinned them; else of what is on disk."""
    sunsets: Mapping[str, date]
    """Last days of kept versions."""

    def is_intact(self, key: str) -> bool:
        """Say whether a contract can be read and is what the lock has pinned."""
        contract = self.contracts.get(key)
        return contract is not None and contract_digest(contract) == self.digests[key]


def load_frozen(folder: Path, pinned: Mapping[str, str]) -> Frozen:
    """Return the frozen contracts of the package in `folder`, which is named like the package.

    `pinned` has the digests of the lock by registry id.
    """
    catalog = folder / folder.name / "catalog"
    contracts: dict[str, Contract] = {}
    for path in sorted(catalog.glob("*.v*.json")):
        try:
            contract = Contract.model_validate_json(path.read_text("utf-8"))
        except (ValidationError, OSError, UnicodeDecodeError):
            continue
        if f"{contract.id}.json" == path.name:
            contracts[contract.id] = contract
    digests = {key: contract_digest(contract) for key, contract in contracts.items()} | dict(pinned)
    sunsets = dict(_sunsets(catalog / "catalog.json"))
    return Frozen(f"{folder.name}/catalog", contracts, digests, sunsets)


def _sunsets(path: Path) -> Iterator[tuple[str, date]]:
    try:
        tools = json.loads(path.read_text("utf-8"))["tools"]
        for name, entry in tools.items():
            if "sunset" in entry:
                yield name, date.fromisoformat(entry["sunset"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return


def compare_contracts(
    api: ResolvedApi, frozen: Frozen, unreleased: Iterable[str] = (), today: date | None = None
) -> Staged[tuple[Contract, ...]]:
    """Return the kept versions of a charter's tools, with every change that needs another version.

    `unreleased` has registry ids that nobody has yet: they may change or go.
    """
    waved = frozenset(unreleased)
    day = today or datetime.now(tz=UTC).date()
    kept: list[Contract] = []
    found: list[Diagnostic] = []
    for tool in api.tools:
        found.extend(_changed(tool, frozen, waved))
        for staged in _kept(api, tool, frozen):
            kept.extend(() if staged.value is None else (staged.value,))
            found.extend(staged.diagnostics)
    listed = {
        f"{name}.v{number}"
        for name, spec in api.charter.tools.items()
        for number in (spec.version, *spec.still_callable)
    }
    found.extend(_vanished(api, frozen, waved | listed, day))
    found.extend(_idle(api, frozen, waved))
    return Staged(tuple(kept), tuple(found))


def _changed(tool: ResolvedTool, frozen: Frozen, waved: frozenset[str]) -> Iterator[Diagnostic]:
    contract = tool.contract
    pinned = frozen.digests.get(contract.id)
    if pinned is None or contract.id in waved or pinned == contract_digest(contract):
        return
    before = frozen.contracts.get(contract.id)
    places = changed_places(before.to_json() if before else None, contract.to_json())
    listed = ", ".join(places[:_SHOWN]) + (", …" if len(places) > _SHOWN else "")
    yield Diagnostic(
        code="TC910",
        severity="error",
        message=f"The contract of {contract.id} changed at {listed}",
        origin=tool.origin,
        hint=(
            f"Set `version: {contract.version + 1}` and, for runs that still call it, "
            f"`still_callable: {{{contract.version}: <last day>}}`; "
            f"or, if nobody has it yet, pass --unreleased {contract.id}."
        ),
        tool=contract.tool,
    )


def _kept(api: ResolvedApi, tool: ResolvedTool, frozen: Frozen) -> Iterator[Staged[Contract]]:
    name = tool.contract.tool
    for number in sorted(api.charter.tools[name].still_callable):
        key = f"{name}.v{number}"
        contract = frozen.contracts.get(key)
        hint = f"Bring {key}.json back from the history, or take it from `still_callable`."
        if number >= tool.contract.version:
            message = f"{key} is not older than version {tool.contract.version}"
            hint = "`still_callable` lists older versions only."
        elif key not in frozen.digests:
            message = f"{key} has no frozen contract in {frozen.catalog}/"
        elif contract is None or not frozen.is_intact(key):
            message = f"{frozen.catalog}/{key}.json is not the contract that was frozen"
        else:
            yield Staged(contract)
            continue
        origin = api.charter.origin(f"/tools/{name}/still_callable/{number}")
        yield Staged(None, (_error("TC911", message, origin, hint, name),))


def _vanished(
    api: ResolvedApi, frozen: Frozen, current: frozenset[str], day: date
) -> Iterator[Diagnostic]:
    for key in sorted(frozen.digests):
        sunset = frozen.sunsets.get(key)
        if key in current or (sunset is not None and sunset < day):
            continue
        tool, _, number = key.rpartition(".v")
        pointer = f"/tools/{tool}" if tool in api.charter.tools else "/tools"
        until = f" before {sunset}" if sunset else ""
        hint = (
            f"List it: `still_callable: {{{number}: <last day>}}`; or, if nobody has it, "
            f"pass --unreleased {key}."
        )
        message = f"{key} is frozen and left the charter{until}"
        yield _error("TC912", message, api.charter.origin(pointer), hint, tool)


def _idle(api: ResolvedApi, frozen: Frozen, waved: frozenset[str]) -> Iterator[Diagnostic]:
    fresh = {tool.contract.id: contract_digest(tool.contract) for tool in api.tools}
    for key in sorted(waved):
        pinned = frozen.digests.get(key)
        if pinned is None or pinned == fresh.get(key):
            yield Diagnostic(
                code="TC913",
                severity="warning",
                message=f"--unreleased {key} changes nothing",
                origin=api.charter.origin("/tools"),
                hint="Leave the flag out.",
            )


def _error(code: str, message: str, origin: Origin, hint: str, tool: str) -> Diagnostic:
    return Diagnostic(
        code=code, severity="error", message=message, origin=origin, hint=hint, tool=tool
    )


def changed_places(before: Any, after: Any, pointer: str = "") -> tuple[str, ...]:
    """Return pointers to the places where two JSON values differ, in order."""
    return tuple(_differences(before, after, pointer))


def _differences(before: Any, after: Any, pointer: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        old, new = cast("dict[str, Any]", before), cast("dict[str, Any]", after)
        for key in sorted({*old, *new}):
            below = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if key in old and key in new:
                yield from _differences(old[key], new[key], below)
            else:
                yield below
    elif isinstance(before, list) and isinstance(after, list):
        items, others = cast("list[object]", before), cast("list[object]", after)
        if len(items) != len(others):
            yield pointer or "/"
            return
        for index, (one, other) in enumerate(zip(items, others, strict=True)):
            yield from _differences(one, other, f"{pointer}/{index}")
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield pointer or "/"
