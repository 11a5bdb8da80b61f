"""The committed charters resolve, and every claim of their writes has a grade."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolcharter.charter import load_charter
from toolcharter.resolve import ResolvedApi, resolve_api
from toolcharter.source import load_description

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(path.parent for path in ROOT.glob("specs/*/charter.yaml"))


def resolved(folder: Path) -> ResolvedApi:
    charter = load_charter(folder / "charter.yaml").value
    assert charter is not None
    description = load_description(folder / charter.spec).value
    assert description is not None
    staged = resolve_api(description, charter)
    assert [finding for finding in staged.diagnostics if finding.severity == "error"] == []
    assert staged.value is not None
    return staged.value


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_tool_resolves_in_the_order_of_names(folder: Path) -> None:
    api = resolved(folder)
    names = [tool.contract.tool for tool in api.tools]
    assert names == sorted(api.charter.tools)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_write_says_what_it_rests_on(folder: Path) -> None:
    for tool in resolved(folder).tools:
        contract = tool.contract
        assert (contract.write is not None) == (contract.effect == "write")
        if contract.write is None:
            continue
        grades = {claim.claim: claim.grade for claim in contract.claims}
        assert set(grades.values()) <= {"proved", "declared", "attested"}
        repeat = {
            "key": "one effect per key",
            "version": "every write moves the version",
            "id": "a second create is refused or returns the first",
            "nature": "a repeat changes nothing",
            "marker": "a marker is found again",
        }[contract.write.idempotency.by]
        assert repeat in grades, contract.tool
        if contract.write.version_check == "atomic":
            assert "a stale version is refused" in grades, contract.tool


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_arguments_and_results_are_closed_at_every_level(folder: Path) -> None:
    for tool in resolved(folder).tools:
        for schema in (tool.contract.arguments, tool.contract.view.result):
            assert _open_objects(schema) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_resolving_twice_gives_the_same(folder: Path) -> None:
    first, second = resolved(folder), resolved(folder)
    assert [tool.contract for tool in first.tools] == [tool.contract for tool in second.tools]


def _open_objects(schema: object) -> list[object]:
    found: list[object] = []
    if isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            found.append(schema)
        for value in schema.values():
            found.extend(_open_objects(value))
    elif isinstance(schema, list):
        for value in schema:
            found.extend(_open_objects(value))
    return found
