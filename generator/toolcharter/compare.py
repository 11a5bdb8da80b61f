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
from typing import Any

from pydantic import ValidationError

from toolcharter.diagnostics import Diagnostic, Origin, Staged
from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter_runtime.canonical import digest
from toolcharter_runtime.frozen import Contract

__all__ = ["Frozen", "changed_places", "compare_contracts", "load_frozen"]

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Frozen:
    """What the package on disk has frozen: contracts by registry id, and the sunsets of kept versions."""

    folder: Path
    contracts: Mapping[str, Contract]
    sunsets: Mapping[str, date]
    broken: tuple[str, ...] = ()
    """Files that are no frozen contract."""


def load_frozen(folder: Path) -> Frozen:
    """Return the frozen contracts below `<folder>/<package>/catalog`, the folder being named like the package."""
    catalog = folder / folder.name / "catalog"
    contracts: dict[str, Contract] = {}
    broken = []
    for path in sorted(catalog.glob("*.v*.json")):
        try:
            contract = Contract.model_validate_json(path.read_text("utf-8"))
        except (ValidationError, OSError, UnicodeDecodeError):
            broken.append(path.name)
            continue
        if f"{contract.id}.json" == path.name:
            contracts[contract.id] = contract
        else:
            broken.append(path.name)
    return Frozen(catalog, contracts, dict(_sunsets(catalog / "catalog.json")), tuple(broken))


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
    current = {tool.contract.id for tool in api.tools} | {contract.id for contract in kept}
    found.extend(_vanished(api, frozen, current | waved, day))
    found.extend(_idle(api, frozen, waved, current))
    return Staged(tuple(kept), tuple(found))


def _changed(tool: ResolvedTool, frozen: Frozen, waved: frozenset[str]) -> Iterator[Diagnostic]:
    contract = tool.contract
    before = frozen.contracts.get(contract.id)
    if before is None or contract.id in waved or _digest(before) == _digest(contract):
        return
    places = changed_places(before.to_json(), contract.to_json())
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
        origin = api.charter.origin(f"/tools/{name}/still_callable/{number}")
        contract = frozen.contracts.get(f"{name}.v{number}")
        if number >= tool.contract.version:
            message = f"{name}.v{number} is not older than version {tool.contract.version}"
            hint = "`still_callable` lists older versions only."
        elif contract is None:
            message = f"{name}.v{number} has no frozen contract in {frozen.folder.name}/"
            hint = f"Bring {name}.v{number}.json back from the history, or take it from `still_callable`."
        else:
            yield Staged(contract)
            continue
        yield Staged(None, (_error("TC911", message, origin, hint, name),))


def _vanished(
    api: ResolvedApi, frozen: Frozen, current: frozenset[str] | set[str], day: date
) -> Iterator[Diagnostic]:
    for name, contract in sorted(frozen.contracts.items()):
        sunset = frozen.sunsets.get(name)
        if name in current or (sunset is not None and sunset < day):
            continue
        tools = api.charter.tools
        pointer = f"/tools/{contract.tool}" if contract.tool in tools else "/tools"
        until = f" before {sunset}" if sunset else ""
        hint = (
            f"List it: `still_callable: {{{contract.version}: <last day>}}`; or, if nobody has it, "
            f"pass --unreleased {name}."
        )
        message = f"{name} is frozen and left the charter{until}"
        yield _error("TC912", message, api.charter.origin(pointer), hint, contract.tool)


def _idle(
    api: ResolvedApi, frozen: Frozen, waved: frozenset[str], current: set[str]
) -> Iterator[Diagnostic]:
    fresh = {tool.contract.id: tool.contract for tool in api.tools}
    for name in sorted(waved):
        before, after = frozen.contracts.get(name), fresh.get(name)
        is_used = before is not None and (after is None or _digest(before) != _digest(after))
        if not is_used or (name in current and after is None):
            yield Diagnostic(
                code="TC913",
                severity="warning",
                message=f"--unreleased {name} changes nothing",
                origin=api.charter.origin("/tools"),
                hint="Leave the flag out.",
            )


def _error(code: str, message: str, origin: Origin, hint: str, tool: str) -> Diagnostic:
    return Diagnostic(
        code=code, severity="error", message=message, origin=origin, hint=hint, tool=tool
    )


def _digest(contract: Contract) -> str:
    return digest("contract", contract.to_json())


def changed_places(before: Any, after: Any, pointer: str = "") -> tuple[str, ...]:
    """Return pointers to the places where two JSON values differ, in order."""
    return tuple(_differences(before, after, pointer))


def _differences(before: Any, after: Any, pointer: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            below = f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"
            if key in before and key in after:
                yield from _differences(before[key], after[key], below)
            else:
                yield below
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences(old, new, f"{pointer}/{index}")
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield pointer or "/"
