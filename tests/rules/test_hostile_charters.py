"""Charters with parts taken out, exchanged and spoilt: each is refused or accepted, with places, and none is a crash."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolcharter.cli._formats import FORMATS
from toolcharter.cli.render import render
from toolcharter.pipeline import Options, lint_charter
from toolcharter.rules import find_rule

HERE = Path(__file__).with_name("section_six")
GROUND: dict[str, Any] = yaml.safe_load((HERE / "charter.yaml").read_text("utf-8"))
SPOILT: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, "", " ", "{", "}", "{{", "{x", "{a.b.c}", "{$key}", "{$version}", "{$before.x}",
    "{$credential.x}", "{$run.tenant}", "DECIDE", "all", "operator", "forever", "1h", "2020-01-01", "^(", "[a-z]+",
    "\u202e", "a" * 3000, "/a", "/a/*/b", "header.X", "query.", "body", "http", "get_contact", "$before.x", "'EUR'",
    [], [None], ["x"], {}, {"x": 1}, {"none": ""}, {"none": "why"}, {"not": 1}, {"changed": True}, {"contains": "{x}"},
    {"to": "/x"}, {"at": "/x"}, {"each": {}}, {"read": "get_contact"}, {"$ref": "#/x"},
]  # fmt: skip
KEYS = ["x", "Customer-Id", "to", "at", "each", "\u200b", "a b", "hidden", "branches", "silence"]
ROUNDS = 6
EACH = 20


def places(value: Any, within: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield (*within, key)
        yield from places(inner, (*within, key))


PLACES = list(places(GROUND))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def spoil(chance: random.Random) -> dict[str, Any]:
    charter = copy.deepcopy(GROUND)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        path = chance.choice(list(places(charter)))
        parent, how = at(charter, path[:-1]), chance.random()
        if how < 0.3:
            del parent[path[-1]]
        elif how < 0.75:
            parent[path[-1]] = copy.deepcopy(chance.choice(SPOILT))
        elif how < 0.85:
            parent[path[-1]] = copy.deepcopy(at(GROUND, chance.choice(PLACES)))
        elif isinstance(parent, dict):
            parent[chance.choice(KEYS)] = copy.deepcopy(chance.choice(SPOILT))
    return charter


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_no_charter_is_a_crash(seed: int, tmp_path: Path) -> None:
    shutil.copy(HERE / "openapi.yaml", tmp_path)
    chance = random.Random(seed)
    for _ in range(EACH):
        charter = json.dumps(spoil(chance))
        (tmp_path / "charter.yaml").write_text(charter, "utf-8")
        report = lint_charter(tmp_path / "charter.yaml", Options(out=tmp_path / "out"))
        assert report.exit_code in (0, 1, 2), charter
        for found in report.diagnostics:
            assert found.message, charter
            assert found.origin.line >= 1, charter
            assert find_rule(found.code) is not None, found.code
        for form in FORMATS:
            render(report.diagnostics, form)
    assert not (tmp_path / "out").exists()
