"""What a file may not be: each refusal with its code and its very place."""

from __future__ import annotations

import gc
import gzip
import json
import os
from pathlib import Path

import pytest

from toolcharter.source import load_document
from toolcharter.source.limits import MAX_DEPTH, shown

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{here}: &{here} [{', '.join(['*' + before] * 10)}]\n"
    for before, here in zip("abcdefg", "bcdefgh", strict=True)
)
DEEP_LIST = "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)
REFUSALS = [
    ("empty", "a.yaml", b"", "TC712", (1, 1)),
    ("blank", "a.json", b" \n\t\n", "TC712", (1, 1)),
    ("comment only is no object", "a.yaml", b"# nothing\n", "TC715", (1, 1)),
    ("not utf-8", "a.yaml", b"a: 1\nb: \xff\n", "TC713", (2, 4)),
    ("utf-16", "a.json", '{"a": 1}'.encode("utf-16"), "TC713", (1, 1)),
    ("json syntax", "a.json", b'{"a": 1,\n "b" 2}', "TC714", (2, 6)),
    ("json cut short", "a.json", b'{"a": [1, 2', "TC714", (1, 12)),
    ("yaml syntax", "a.yaml", b"a: 1\nb: [1, 2\nc: 3\n", "TC714", (3, 2)),
    ("yaml tab", "a.yaml", b"a:\n\tb: 1\n", "TC714", (2, 1)),
    ("yaml control character", "a.yaml", b"a: 1\nb: x\x07y\n", "TC714", (2, 5)),
    ("list", "a.yaml", b"- a\n", "TC715", (1, 1)),
    ("scalar", "a.json", b'"text"', "TC715", (1, 1)),
    ("json duplicate", "a.json", b'{"a": {"k": 1,\n  "k": 2}}', "TC704", (2, 3)),
    ("json duplicate by escape", "a.json", b'{"k": 1, "\\u006b": 2}', "TC704", (1, 10)),
    ("yaml duplicate", "a.yaml", b"a:\n  k: 1\n  'k': 2\n", "TC704", (3, 3)),
    ("yaml number twice", "a.yaml", b"200: 1\n'200': 2\n", "TC704", (2, 1)),
    ("merge key", "a.yaml", b"a: &a {x: 1}\nb:\n  <<: *a\n", "TC717", (3, 3)),
    ("tag", "a.yaml", b"a: !!python/name:os.system ''\n", "TC718", (1, 4)),
    ("tag on a map", "a.yaml", b"a: !own {b: 1}\n", "TC718", (1, 4)),
    ("plain tag", "a.yaml", b"a: !!str 1\n", "TC718", (1, 4)),
    ("documents", "a.yaml", b"a: 1\n---\nb: 2\n", "TC719", (2, 1)),
    ("alias of nothing", "a.yaml", b"a: *b\n", "TC720", (1, 4)),
    ("alias inside itself", "a.yaml", b"a: &a\n  b: *a\n", "TC720", (2, 6)),
    ("alias bomb", "a.yaml", BOMB.encode(), "TC720", (6, 36)),
    ("alias as key", "a.yaml", b"a: &a x\n*a : 1\n", "TC721", (2, 1)),
    ("composed key", "a.yaml", b"? [a, b]\n: 1\n", "TC721", (1, 3)),
    ("yaml infinity", "a.yaml", b"a:\n  maximum: .inf\n", "TC721", (2, 12)),
    ("yaml overflow", "a.yaml", b"a: 1e999\n", "TC721", (1, 4)),
    ("json nan", "a.json", b'{"a": "NaN",\n "b": NaN}', "TC721", (2, 7)),
    ("json minus infinity", "a.json", b'{"a": -Infinity}', "TC721", (1, 7)),
    ("json overflow", "a.json", b'{"a": [1, 1e999]}', "TC721", (1, 11)),
    ("json long integer", "a.json", b'{"a": ' + b"9" * 5000 + b"}", "TC721", (1, 7)),
    ("json half character", "a.json", b'{"a": 1,\n "b": "\\ud83d!"}', "TC721", (2, 7)),
    ("json deep", "a.json", b'{"a":' + DEEP_LIST.encode() + b"}", "TC716", (1, 5 + MAX_DEPTH)),
    ("json very deep", "a.json", b'{"a":' + b"[" * 200_000, "TC716", (1, 1)),
    ("yaml deep", "a.yaml", b"a: " + DEEP_LIST.encode(), "TC716", (1, 3 + MAX_DEPTH)),
    ("not gzip", "a.json.gz", b'{"a": 1}', "TC710", (1, 1)),
]


@pytest.mark.parametrize(
    ("name", "content", "code", "place"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS]
)
def test_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes,
    code: str,
    place: tuple[int, int],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    loaded = load_document(Path(name))
    assert loaded.value is None
    (finding,) = loaded.diagnostics
    assert (finding.code, finding.origin.file, finding.origin.line, finding.origin.column) == (
        code,
        name,
        *place,
    )
    assert finding.severity == "error"
    assert finding.message
    assert finding.hint


def test_deep_by_aliases(tmp_path: Path) -> None:
    """Each level is shallow as it is written; laid together they are not."""
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, MAX_DEPTH + 1)]
    path = tmp_path / "a.yaml"
    path.write_text("\n".join(lines), "utf-8")
    assert [d.code for d in load_document(path).diagnostics] == ["TC716"]


def test_no_values_in_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"key\\u202e": "hidden value", "key\\u202e": "hidden value"}', "utf-8")
    (finding,) = load_document(path).diagnostics
    assert finding.message == "The key `key\\u202e` stands twice in one object"


def test_names_are_escaped_and_cut() -> None:
    assert shown("a`\x1b[31mb") == "`a\\x60\\x1b[31mb`"
    assert shown("x" * 100) == f"`{'x' * 79}…`"


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": "' + "x" * 100 + '"}', "utf-8")
    assert [d.code for d in load_document(path, max_bytes=50).diagnostics] == ["TC711"]
    assert load_document(path, max_bytes=200).value is not None


def test_too_large_when_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'{"a": "' + b"x" * 1_000_000 + b'"}'))
    assert path.stat().st_size < 10_000
    assert [d.code for d in load_document(path, max_bytes=10_000).diagnostics] == ["TC711"]


def test_cut_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'{"a": "' + bytes(range(32, 127)) * 100 + b'"}')[:60])
    assert [d.code for d in load_document(path).diagnostics] == ["TC710"]


@pytest.mark.parametrize("name", ["missing.yaml", ".", "a.yaml/b", "a\0b"])
def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("a: 1", "utf-8")
    assert [d.code for d in load_document(Path(name)).diagnostics] == ["TC710"]


def test_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    assert [d.code for d in load_document(tmp_path / "a.yaml").diagnostics] == ["TC710"]


def test_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    for name in ("a.yaml", "a.json"):
        path = tmp_path / name
        path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
        document = load_document(path).value
        assert document is not None
        assert document.value == {"a": 1}
        assert (document.origin("/a").line, document.origin("/a").column) == (1, 2)


def test_gzip_holds_the_same(tmp_path: Path) -> None:
    raw = gzip.compress(b"a: {b: 1}\n")
    (tmp_path / "a.yaml.gz").write_bytes(raw)
    document = load_document(tmp_path / "a.yaml.gz", root=tmp_path).value
    assert document is not None
    assert document.value == {"a": {"b": 1}}
    assert document.name == "a.yaml.gz"
    assert str(document.origin("/a/b")) == "a.yaml.gz:1:5"


def test_suffix_decides_or_else_the_first_character(tmp_path: Path) -> None:
    for name, text in (("a", '{"a": 1}'), ("b", "a: 1"), ("c.yaml", '{"a": 1}')):
        (tmp_path / name).write_text(text, "utf-8")
        document = load_document(tmp_path / name).value
        assert document is not None
        assert document.value == {"a": 1}


def test_collector_is_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": NaN}', "utf-8")
    load_document(tmp_path / "a.json")
    assert gc.isenabled()


def test_name_is_relative_to_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    path = tmp_path / "specs" / "a.json"
    path.write_text(json.dumps({"a": 1}), "utf-8")
    names = [
        load_document(p, root=r).value
        for p, r in ((path, None), (path, path.parent), (Path("specs/a.json"), None))
    ]
    assert [d.name for d in names if d] == ["specs/a.json", "a.json", "specs/a.json"]
