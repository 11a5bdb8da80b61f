"""Places: line and column of every key and item, the same by either reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcharter.source import load_document
from toolcharter.source.document import parse_pointer, write_pointer

TEXT = """{
 "a": {"b": [1, {"c": "x\\"}"}, []],
   "ä~/": null, "": {}},
 "list": [
   [true, false], -1.5e3
 ]
}
"""


def places(value: Any, pointer: str = "") -> Iterator[str]:
    members: Any = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in members:
        below = pointer + write_pointer([key])
        yield below
        yield from places(child, below)


def test_both_readers_agree(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(TEXT, "utf-8")
    (tmp_path / "a.yaml").write_text(TEXT, "utf-8")
    as_json = load_document(tmp_path / "a.json", root=tmp_path).value
    as_yaml = load_document(tmp_path / "a.yaml", root=tmp_path).value
    assert as_json is not None
    assert as_yaml is not None
    assert as_json.value == as_yaml.value
    pointers = list(places(as_json.value))
    assert len(pointers) == 13
    for pointer in pointers:
        one, other = as_json.origin(pointer), as_yaml.origin(pointer)
        assert (one.line, one.column) == (other.line, other.column), pointer
        assert one.pointer == pointer


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/a", (2, 2)),
        ("/a/b/1/c", (2, 18)),
        ("/a/ä~0~1", (3, 4)),
        ("/a/", (3, 17)),
        ("/list/1", (5, 19)),
    ],
)
def test_place_of_a_pointer(tmp_path: Path, pointer: str, place: tuple[int, int]) -> None:
    for name in ("a.json", "a.yaml"):
        (tmp_path / name).write_text(TEXT, "utf-8")
        document = load_document(tmp_path / name).value
        assert document is not None
        origin = document.origin(pointer)
        assert (origin.line, origin.column) == place


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_what_is_not_there_has_its_parents_place(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(TEXT, "utf-8")
    document = load_document(tmp_path / name).value
    assert document is not None
    for pointer, parent in (
        ("/a/none/below", "/a"),
        ("/list/7", "/list"),
        ("/a/b/0/x", "/a/b/0"),
        ("/list/x", "/list"),
    ):
        missing, found = document.origin(pointer), document.origin(parent)
        assert (missing.line, missing.column, missing.pointer) == (
            found.line,
            found.column,
            pointer,
        )


def test_block_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# first\na:\n  - b: &x {c: 1}\n    d: 2\n  - *x\n", "utf-8")
    document = load_document(tmp_path / "a.yaml", root=tmp_path).value
    assert document is not None
    found = [
        str(document.origin(p)) for p in ("/a/0", "/a/0/b", "/a/0/b/c", "/a/0/d", "/a/1", "/a/1/c")
    ]
    assert found == [
        "a.yaml:3:5",
        "a.yaml:3:5",
        "a.yaml:3:12",
        "a.yaml:4:5",
        "a.yaml:5:5",
        "a.yaml:3:12",
    ]


def test_pointers() -> None:
    assert parse_pointer("/a~1b/~01/0/") == ("a/b", "~1", "0", "")
    assert write_pointer(["a/b", "~1", 0, ""]) == "/a~1b/~01/0/"
    assert parse_pointer("") == ()
