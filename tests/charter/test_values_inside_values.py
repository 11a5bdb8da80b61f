"""The examples of the charter's page on values inside values are inputs, and each spec inside is found with its steps."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from toolcharter.charter import Charter, charter_schema, load_charter
from toolcharter.charter.schema import InputSpec

PAGE = Path(__file__).resolve().parents[2] / "docs/charter.md"
SECTION = (
    PAGE.read_text(encoding="utf-8").partition("## Values inside values")[2].partition("\n## ")[0]
)
EXAMPLES = re.findall(r"^\| .* \| `(.*)` \|$", SECTION, re.MULTILINE)
HEAD = "charter: 1\npackage: a_tools\nspec: a.yaml\ntools: {t: {operation: o, effect: read, input: {%s}}}\n"


def charter_of(folder: Path, inputs: str) -> Charter:
    (folder / "charter.yaml").write_text(HEAD % inputs, encoding="utf-8")
    loaded = load_charter(folder / "charter.yaml", root=folder)
    assert loaded.diagnostics == ()
    assert loaded.value is not None
    return loaded.value


def steps(spec: InputSpec) -> list[str]:
    found: list[str] = []
    for way, inner in spec.inner():
        found.append("/".join(way))
        found += [f"{'/'.join(way)}/{below}" for below in steps(inner)]
    return found


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_is_an_input(example: str, tmp_path: Path) -> None:
    charter = charter_of(tmp_path, example)
    assert jsonschema_rs.validator_for(charter_schema()).is_valid(charter.raw)
    assert len(charter.tools["t"].input) == 1


def test_each_shape_has_its_example() -> None:
    shapes = ("fields", "each", "element", "values", "branches", "kinds", "keys", "minProperties")
    shown = " ".join(EXAMPLES) + SECTION
    assert len(EXAMPLES) == 7
    assert [shape for shape in shapes if shape not in shown] == []


def test_every_spec_inside_is_found(tmp_path: Path) -> None:
    charter = charter_of(
        tmp_path,
        "a: {fields: {b: {each: {c: , d: {values: {maxLength: 1}}}}, e: {element: {kinds: {string: , X: {fields: {f: }}}}}}},"
        " g: {branches: {x: {h: }, y: {h: {element: {}}}}}",
    )
    inputs: dict[str, Any] = charter.tools["t"].input
    assert steps(inputs["a"]) == [
        "fields/b",
        "fields/b/each/c",
        "fields/b/each/d",
        "fields/b/each/d/values",
        "fields/e",
        "fields/e/element",
        "fields/e/element/kinds/string",
        "fields/e/element/kinds/X",
        "fields/e/element/kinds/X/fields/f",
    ]
    assert steps(inputs["g"]) == ["branches/x/h", "branches/y/h", "branches/y/h/element"]


@pytest.mark.parametrize(
    ("inputs", "at"),
    [
        ("a: {fields: {b: {tu: /x}}}", "/tools/t/input/a/fields/b/tu"),
        ("a: {element: {each: {b: {maxLength: x}}}}", "/tools/t/input/a/element/each/b/maxLength"),
        (
            "a: {values: {kinds: {X: {maxProperties: -1}}}}",
            "/tools/t/input/a/values/kinds/X/maxProperties",
        ),
        ("a: {keys: {minimum: 1}}", "/tools/t/input/a/keys/minimum"),
        ("a: {fields: {b: {to: no pointer}}}", "/tools/t/input/a/fields/b/to"),
    ],
)
def test_a_fault_inside_has_its_place(inputs: str, at: str, tmp_path: Path) -> None:
    (tmp_path / "charter.yaml").write_text(HEAD % inputs, encoding="utf-8")
    loaded = load_charter(tmp_path / "charter.yaml", root=tmp_path)
    assert [finding.origin.pointer for finding in loaded.diagnostics] == [at]
