"""Overlays: applied in order before anything else, with places in the overlay for what it wrote."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from toolcharter.diagnostics import Staged
from toolcharter.source import Description, load_description
from toolcharter.source.validate import validate_all, validate_slice

API = """openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /a:
    get:
      operationId: a
      tags: [one, two, three, two]
      parameters:
        - {name: one, in: query, schema: {type: string}}
        - {name: two, in: query, schema: &two {type: string}}
        - {name: three, in: query, schema: *two}
      responses: {"200": {$ref: responses.yaml#/ok}}
"""
RESPONSES = "ok: {description: ok, content: {a/b: {schema: {type: string}}}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "api.yaml").write_text(API, "utf-8")
    (tmp_path / "responses.yaml").write_text(RESPONSES, "utf-8")
    return tmp_path


def overlay(*actions: Any, **members: Any) -> str:
    head = {"overlay": "1.0.0", "info": {"title": "O", "version": "1"}}
    return json.dumps({**head, "actions": list(actions), **members})


def load(*texts: str) -> Staged[Description]:
    paths = [Path(f"o{number}.json") for number, _ in enumerate(texts)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    return load_description(Path("api.yaml"), overlays=paths)


def applied(*actions: Any) -> Any:
    loaded = load(*(overlay(action) for action in actions))
    assert loaded.value is not None, loaded.diagnostics
    return loaded.value.root.value


GET = "$.paths['/a'].get"
UPDATES = [
    ("a new member", GET, {"summary": "s"}, {"summary": "s"}),
    ("a value for another", GET, {"operationId": None}, {"operationId": None}),
    ("objects, member by member", f"{GET}.responses", {"200": {"x-a": 1}}, None),
    ("an array at an array's end", GET, {"tags": ["four"]}, {"tags": ["one", "two", "three", "two", "four"]}),
    ("an element", f"{GET}.tags", "four", {"tags": ["one", "two", "three", "two", "four"]}),
    ("an array as an element", f"{GET}.tags", ["x"], {"tags": ["one", "two", "three", "two", ["x"]]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "update", "expected"), [row[1:] for row in UPDATES], ids=[row[0] for row in UPDATES]
)
def test_updates(folder: Path, target: str, update: Any, expected: Any) -> None:
    get = applied({"target": target, "update": update})["paths"]["/a"]["get"]
    if expected is None:
        assert get["responses"]["200"] == {"$ref": "responses.yaml#/ok", "x-a": 1}
    else:
        assert {key: get[key] for key in expected} == expected
    assert len(get["parameters"]) == 3


REMOVALS = [
    (f"{GET}.tags[?@ == 'two']", ["one", "three"]),
    (f"{GET}.tags[0,-1]", ["two", "three"]),
    (f"{GET}.tags[*]", []),
    (f"{GET}.tags[::2]", ["two", "two"]),
]


@pytest.mark.parametrize(("target", "expected"), REMOVALS)
def test_removals(folder: Path, target: str, expected: list[str]) -> None:
    value = applied({"target": target, "remove": True, "update": 5})
    assert value["paths"]["/a"]["get"]["tags"] == expected


def test_removal_of_a_part_and_of_what_holds_it(folder: Path) -> None:
    value = applied({"target": "$..responses", "remove": True}, {"target": "$.paths..*", "remove": True})  # fmt: skip
    assert value["paths"] == {}


def test_a_part_that_stands_twice_is_changed_once(folder: Path) -> None:
    """What an alias of YAML stands for is as separate as if it were written out."""
    update = {"target": f"{GET}.parameters[1].schema", "update": {"maxLength": 1}}
    parameters = applied(update)["paths"]["/a"]["get"]["parameters"]
    assert [one["schema"] for one in parameters[1:]] == [
        {"type": "string", "maxLength": 1},
        {"type": "string"},
    ]
    value = applied(
        {"target": f"{GET}.parameters[*].schema", "update": {"x": {"y": 1}}},
        {"target": f"{GET}.parameters[0].schema.x", "update": {"y": 2}},
    )
    parameters = value["paths"]["/a"]["get"]["parameters"]
    assert [one["schema"]["x"]["y"] for one in parameters] == [2, 1, 1]


def test_in_order(folder: Path) -> None:
    get = applied(
        {"target": GET, "update": {"summary": "one", "x-a": {"b": 1}}},
        {"target": "$.paths.*.get['x-a']", "update": {"b": 2, "c": 3}},
        {"target": "$..get[?@ == 'one']", "remove": True},
    )["paths"]["/a"]["get"]
    assert get["x-a"] == {"b": 2, "c": 3}
    assert "summary" not in get


def test_the_file_itself_is_not_changed(folder: Path) -> None:
    plain = load_description(Path("api.yaml")).value
    loaded = load(overlay({"target": GET, "remove": True})).value
    assert plain is not None
    assert loaded is not None
    assert loaded.operations() == ()
    assert [str(key) for key in plain.operations()] == ["a"]
    assert (folder / "api.yaml").read_text("utf-8") == API


def test_places(folder: Path) -> None:
    """A finding in what an overlay wrote is placed there, and one in what moved is placed where it is written."""
    (folder / "fix.yaml").write_text(
        """overlay: 1.0.0
info: {title: O, version: "1"}
actions:
  - {target: "$.paths.*.get.parameters[0]", remove: true}
  - target: $.paths.*.get.parameters
    update: {name: four, in: query, schema: {type: string, minLength: z}}
  - target: $.paths.*.get.parameters[?@.name != 'three'].schema
    update: {maxLength: y, default: 012}
""",
        "utf-8",
    )
    loaded = load_description(Path("api.yaml"), overlays=[Path("fix.yaml")]).value
    assert loaded is not None
    found = loaded.operation("a").diagnostics
    assert [(d.code, str(d.origin), d.origin.pointer) for d in found] == [
        ("TC706", "fix.yaml:8:28", "/actions/2/update/default"),
        ("TC725", "fix.yaml:8:14", "/actions/2/update/maxLength"),
        ("TC725", "fix.yaml:6:60", "/actions/1/update/schema/minLength"),
    ]
    root = loaded.root
    assert str(root.origin("/paths/~1a/get/parameters/0/schema/type")) == "api.yaml:10:48"
    assert str(root.origin("/paths/~1a/get/parameters/1/name")) == "api.yaml:11:12"
    assert root.origin("/paths/~1a/get/parameters/1").pointer == "/paths/~1a/get/parameters/2"
    assert str(root.origin("/paths/~1a/get/parameters/2/schema/maxLength")) == "fix.yaml:8:14"
    assert str(root.origin("/info/title")) == "api.yaml:2:8"


def test_places_of_openapis_own_rules(folder: Path) -> None:
    loaded = load(overlay({"target": f"{GET}.parameters[0]", "update": {"allowEmptyValue": 5}}))
    assert loaded.value is not None
    for found in (validate_slice(loaded.value, ["a"]), validate_all(loaded.value)):
        assert [(d.code, d.origin.file, d.origin.pointer) for d in found] == [
            ("TC727", "o0.json", "/actions/0/update/allowEmptyValue")
        ]


def test_references_of_an_overlay_start_at_the_description(folder: Path) -> None:
    (folder / "overlays").mkdir()
    path = folder / "overlays" / "o.json"
    path.write_text(overlay({"target": f"{GET}.responses", "update": {"201": {"$ref": "responses.yaml#/ok"}}}), "utf-8")  # fmt: skip
    loaded = load_description(Path("api.yaml"), overlays=[path]).value
    assert loaded is not None
    read = loaded.operation("a").value
    assert read is not None
    assert read.responses["201"].bodies == read.responses["200"].bodies


def test_digests(folder: Path) -> None:
    raw = gzip.compress(overlay({"target": GET, "update": {}}).encode(), mtime=0)
    Path("o.json.gz").write_bytes(raw)
    loaded = load_description(Path("api.yaml"), overlays=[Path("o.json.gz")]).value
    assert loaded is not None
    assert [(file.path, file.sha256) for file in loaded.files] == [
        ("api.yaml", hashlib.sha256(API.encode()).hexdigest()),
        ("o.json.gz", hashlib.sha256(raw).hexdigest()),
    ]


def test_a_target_that_matches_nothing_is_a_warning(folder: Path) -> None:
    loaded = load(overlay({"target": "$.paths['/b']", "remove": True}, {"target": GET, "update": {"summary": "s"}}))  # fmt: skip
    assert [(d.code, d.severity, d.origin.pointer) for d in loaded.diagnostics] == [
        ("TC741", "warning", "/actions/0/target")
    ]
    assert loaded.value is not None
    assert loaded.value.root.value["paths"]["/a"]["get"]["summary"] == "s"


@pytest.mark.parametrize("extends", ["api.yaml", "./api.yaml", "https://a.example/else.yaml", "urn:x"])  # fmt: skip
def test_extends(folder: Path, extends: str) -> None:
    assert load(overlay({"target": GET, "update": {}}, extends=extends)).diagnostics == ()


FINE = {"target": GET, "update": {"summary": "s"}}
DEEP: Any = {}
for _ in range(123):
    DEEP = {"a": DEEP}
INVALID = [
    (overlay(FINE, overlay="2.0.0"), "TC740", "/overlay"),
    (overlay(FINE, overlay=1), "TC740", "/overlay"),
    (overlay(FINE, info=[]), "TC740", "/info"),
    (overlay(), "TC740", "/actions"),
    (overlay(FINE, actions={}), "TC740", "/actions"),
    (overlay(FINE, extends="other.yaml"), "TC740", "/extends"),
    (overlay(FINE, extends=5), "TC740", "/extends"),
    (overlay(FINE, action=[]), "TC740", "/action"),
    (overlay("x"), "TC740", "/actions/0"),
    (overlay({"update": {}}), "TC740", "/actions/0/target"),
    (overlay({"target": GET}), "TC740", "/actions/0"),
    (overlay({"target": GET, "remove": False}), "TC740", "/actions/0"),
    (overlay({"target": GET, "remove": "yes"}), "TC740", "/actions/0/remove"),
    (overlay({"target": GET, "delete": True, "update": {}}), "TC740", "/actions/0/delete"),
    (overlay({"target": "paths", "update": {}}), "TC740", "/actions/0/target"),
    (overlay({"target": "", "update": {}}), "TC740", "/actions/0/target"),
    (overlay({"target": "$[?@.x==1e999]", "update": {}}), "TC740", "/actions/0/target"),
    (overlay({"target": "$.paths[", "update": {}}), "TC740", "/actions/0/target"),
    (overlay({"target": "$.a | $.b", "update": {}}), "TC740", "/actions/0/target"),
    (overlay({"target": "$[?" + "(" * 5000, "update": {}}), "TC740", "/actions/0/target"),
    (overlay({"target": "$", "remove": True}), "TC740", "/actions/0/target"),
    (overlay({"target": f"{GET}.operationId", "update": {}}), "TC740", "/actions/0/update"),
    (overlay({"target": GET, "update": "x"}), "TC740", "/actions/0/update"),
    (overlay({"target": GET, "update": {"tags": "x"}}), "TC740", "/actions/0/update/tags"),
    (overlay({"target": GET, "update": {"responses": {"200": 5}}}), "TC740", "/actions/0/update/responses/200"),
    (overlay({"target": GET, "update": {"operationId": {}}}), "TC740", "/actions/0/update/operationId"),
    (overlay({"target": "$..*", "update": {}}), "TC740", "/actions/0/update"),
    ("[]", "TC715", ""),
    ("{", "TC714", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "pointer"), INVALID)
def test_invalid(folder: Path, text: str, code: str, pointer: str) -> None:
    loaded = load(overlay(FINE), text)
    assert loaded.value is None
    (finding,) = loaded.diagnostics
    assert (finding.code, finding.severity, finding.origin.file) == (code, "error", "o1.json")
    assert finding.origin.pointer == pointer
    assert finding.hint


def test_bounds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolcharter.source.patching.MAX_ALIASED_NODES", 5_000)
    loaded = load(overlay({"target": f"{GET}.parameters[0].schema", "update": DEEP}))
    assert [(d.code, d.origin.pointer) for d in loaded.diagnostics] == [
        ("TC716", "/actions/0/update")
    ]
    seed = {"target": GET, "update": {"x": {"a": 1}}}
    grow = [
        {"target": "$..[?@.a]", "update": {f"{turn}{number}": {"a": 1} for number in range(9)}}
        for turn in range(9)
    ]
    loaded = load(overlay(seed, *grow))
    assert [d.code for d in loaded.diagnostics] == ["TC740"]
    assert "more than" in loaded.diagnostics[0].message


def test_missing_or_outside(folder: Path) -> None:
    missing = load_description(Path("api.yaml"), overlays=[Path("none.yaml")])
    assert [(d.code, d.origin.file) for d in missing.diagnostics] == [("TC710", "none.yaml")]
    (folder.parent / "outside.json").write_text(overlay(FINE), "utf-8")
    outside = load_description(Path("api.yaml"), overlays=[Path("../outside.json")])
    assert [d.code for d in outside.diagnostics] == ["TC722"]
