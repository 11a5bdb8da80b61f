"""Hostile texts in every position of a description and a charter: refused by a coded finding, or shown escaped.

`ground/` is a description and a charter that generate without a finding of weight. `texts/` has a file for each hostile text:
a JSON string, `{repeat, times}` for a long one, or `{nest, times}` for a deep value. One position is spoilt at a time, a key
or a value, and the whole pipeline runs. A short round goes through every position; `make soak` crosses all with all.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolcharter.cli._formats import FORMATS
from toolcharter.cli.render import render
from toolcharter.pipeline import Options, Report, generate_charter
from toolcharter.rules import find_rule

HERE = Path(__file__).parent
CALLS = {"Field", "ConfigDict", "ReadTool", "WriteTool", "NoteTools"}
STATEMENTS = (ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.ClassDef, ast.Expr, ast.Pass)
MODULES = {
    "datetime", "typing", "uuid", "pydantic", "toolcharter_runtime.catalog", "toolcharter_runtime.codes",
    "toolcharter_runtime.contract", "toolcharter_runtime.declare",
}  # fmt: skip
FORBIDDEN = (ast.Lambda, ast.comprehension, ast.JoinedStr, ast.Await, ast.NamedExpr)
Position = tuple[str, tuple[Any, ...], str]
"""File, steps, and whether the `key` or the `value` there is spoilt."""


def text_of(path: Path) -> Any:
    told = json.loads(path.read_text("utf-8"))
    if isinstance(told, str):
        return told
    if "repeat" in told:
        return told["repeat"] * told["times"]
    value: Any = {"type": "string"}
    for _ in range(told["times"]):
        value = {key: [value] for key in told["nest"]}
    return value


GROUND = {
    "openapi.json": yaml.safe_load((HERE / "ground" / "openapi.yaml").read_text("utf-8")),
    "charter.yaml": yaml.safe_load((HERE / "ground" / "charter.yaml").read_text("utf-8")),
}
TEXTS = {path.stem: text_of(path) for path in sorted((HERE / "texts").glob("*.json"))}


def positions() -> Iterator[Position]:
    for name, value in GROUND.items():
        for steps in _steps(value):
            if isinstance(steps[-1], str):
                yield name, steps, "key"
            if isinstance(_at(value, steps), str):
                yield name, steps, "value"


def _steps(value: Any, within: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield (*within, key)
        if isinstance(inner, dict | list):
            yield from _steps(inner, (*within, key))


def _at(value: Any, steps: tuple[Any, ...]) -> Any:
    for step in steps:
        value = value[step]
    return value


def spoilt(position: Position, text: Any) -> dict[str, Any]:
    name, steps, what = position
    files = copy.deepcopy(GROUND)
    parent = _at(files[name], steps[:-1])
    if what == "value":
        parent[steps[-1]] = text
    else:
        key = text if isinstance(text, str) else "deep"
        pairs = [(key, v) if k == steps[-1] else (k, v) for k, v in parent.items()]
        parent.clear()
        parent.update(pairs)
    return files


def run(files: dict[str, Any], folder: Path) -> Report:
    for name, value in files.items():
        # JSON is YAML: a hostile text of a charter cannot end its own scalar here, whatever YAML makes of it
        (folder / name).write_text(json.dumps(value), "utf-8")
    return generate_charter(folder / "charter.yaml", Options(out=folder / "out"))


def judge(report: Report, folder: Path) -> None:
    for found in report.diagnostics:
        assert find_rule(found.code) is not None, found.code
        assert found.origin.line >= 1
    for form in FORMATS:
        printed = render(report.diagnostics, form)
        assert not hidden(printed), form
        assert len(printed) < 1_500_000, form  # a pointer is whole, however long
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    made = {name for name in written if name not in GROUND}
    if report.exit_code:
        assert made - {"out/.toolcharter.lock"} == set(), "a run that fails writes nothing"
        return
    assert made
    for name in made:
        assert re.fullmatch(r"out/[A-Za-z0-9_./-]+", name), name
        judge_file(folder / name)


def judge_file(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not hidden(text), path.name
    if path.suffix in (".json", ".lock"):
        json.loads(text)
    if path.suffix != ".py":
        return
    nodes = list(ast.walk(ast.parse(text)))
    is_test = path.parent.name == "tests"
    called = {n.func.id if isinstance(n.func, ast.Name) else "?" for n in nodes if isinstance(n, ast.Call)}  # fmt: skip
    assert is_test or called <= CALLS, path.name
    assert is_test or all(isinstance(n, STATEMENTS) for n in nodes if isinstance(n, ast.stmt))
    assert not [node for node in nodes if isinstance(node, FORBIDDEN)], path.name
    modules = {n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.level == 0}
    assert is_test or modules <= MODULES, path.name
    assert not [n for n in nodes if isinstance(n, ast.Import)], path.name


def hidden(text: str) -> set[str]:
    return {character for character in text if character != "\n" and not character.isprintable()}


POSITIONS = list(positions())
ORDER = sorted(TEXTS)


def chunks(count: int) -> list[list[tuple[int, Position]]]:
    numbered = list(enumerate(POSITIONS))
    return [numbered[start::count] for start in range(count)]


def test_the_ground_is_sound(tmp_path: Path) -> None:
    report = run(GROUND, tmp_path)
    assert [f for f in report.diagnostics if f.severity == "error"] == []
    assert report.exit_code == 0
    judge(report, tmp_path)
    assert (tmp_path / "out" / "note_tools" / "note_tools" / "contracts" / "note_v1.py").is_file()
    assert len(POSITIONS) > 400
    assert len(TEXTS) > 30


@pytest.mark.parametrize("part", range(8))
def test_every_position_three_times(part: int, tmp_path: Path) -> None:
    written = 0
    for number, position in chunks(8)[part]:
        for turn in range(3):
            name = ORDER[(number + 11 * turn) % len(ORDER)]
            written += one(position, name, tmp_path / f"{number}-{turn}")
    assert written >= 20, "text that means nothing to a tool is carried, and escaped"


@pytest.mark.soak
@pytest.mark.parametrize("name", ORDER)
def test_every_position_with_every_text(name: str, tmp_path: Path) -> None:
    for number, position in enumerate(POSITIONS):
        one(position, name, tmp_path / str(number))


def one(position: Position, name: str, folder: Path) -> bool:
    """Spoil one position; say whether a package was written."""
    folder.mkdir()
    try:
        report = run(spoilt(position, TEXTS[name]), folder)
        judge(report, folder)
    except BaseException as error:
        error.add_note(f"{name} at {position}")
        raise
    return report.exit_code == 0
