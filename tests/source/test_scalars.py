"""Unquoted YAML scalars: YAML 1.2 with JSON's numbers; what YAML 1.1 would read otherwise is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from toolcharter.source import load_document
from toolcharter.source.scalars import is_ambiguous, read_scalar

VALUES = {
    "": None, "~": None, "null": None, "true": True, "False": False, "0": 0, "-12": -12, "1.5": 1.5, "-1.5e+3": -1500.0,
    "1e3": 1000.0, "0.16001e0": 0.16001, "on": "on", "yes": "yes", "No": "No", "012": "012", "0o17": "0o17", "0x1F": "0x1F",
    "+1": "+1", "1_000": "1_000", "1:30": "1:30", "2027-03-01": "2027-03-01", "2027-03-01T10:00:00Z": "2027-03-01T10:00:00Z",
    ".5": ".5", "1.": "1.", "nUll": "nUll", "0b11": "0b11", "text": "text", "C-1842": "C-1842", "=": "=",
}  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    read = read_scalar(text)
    assert (type(read), read) == (type(VALUES[text]), VALUES[text])


@pytest.mark.parametrize("text", VALUES)
def test_ambiguous_is_what_a_yaml_1_1_reader_reads_otherwise(text: str) -> None:
    """The independent voice is PyYAML's own resolver, which is YAML 1.1."""
    ours = read_scalar(text)
    try:
        theirs: Any = yaml.safe_load(f"k: {text}")["k"]
    except yaml.YAMLError:
        theirs = object()
    assert is_ambiguous(text, ours) == ((type(ours), ours) != (type(theirs), theirs))


def test_keys_and_quoted_scalars_stay_strings(tmp_path: Path) -> None:
    text = "200: a\non: b\nnull: c\n1.5: d\ntrue: '1'\nx: \"null\"\ny: |\n  true\nz: !!x\n"
    (tmp_path / "a.yaml").write_text(text.replace("z: !!x\n", ""), "utf-8")
    document = load_document(tmp_path / "a.yaml").value
    assert document is not None
    assert document.value == {
        "200": "a",
        "on": "b",
        "null": "c",
        "1.5": "d",
        "true": "1",
        "x": "null",
        "y": "true\n",
    }


def test_document_knows_its_ambiguous_scalars(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: [on, 'on', 1e3, 5]\nb: 012\n", "utf-8")
    document = load_document(tmp_path / "a.yaml").value
    assert document is not None
    assert document.ambiguous == {
        (id(document.value["a"]), 0),
        (id(document.value["a"]), 2),
        (id(document.value), "b"),
    }
