"""`toolcharter vendor`: the slice that a charter reaches, written whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from toolcharter.cli.vendor import vendor

CHARTER = """charter: 1
package: a_tools
spec: slice.json
tools:
  get_a: {operation: getA, effect: DECIDE}
  again: {operation: getA}
  put_b:
    operation: PUT /b
"""
SOURCE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "7"},
    "paths": {
        "/b": {"put": {"responses": {"204": {"description": "none"}}}, "get": {"responses": {"204": {"description": "none"}}}},
        "/a": {"get": {"operationId": "getA", "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {
            "$ref": "#/components/schemas/A"}}}}}}},
    },
    "components": {"schemas": {"A": {"type": "string"}, "B": {"type": "integer"}}},
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("specs").mkdir()
    Path("specs/charter.yaml").write_text(CHARTER, "utf-8")
    Path("package").mkdir()
    Path("package/api.json").write_text(json.dumps(SOURCE), "utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(vendor, [*arguments, "--charter", "specs/charter.yaml"])


def test_slice_is_written_where_the_charter_looks_for_it() -> None:
    """Answers that are still DECIDE are no reason to wait."""
    result = run("package/api.json")
    assert (result.exit_code, result.stdout) == (0, "")
    text = Path("specs/slice.json").read_text("utf-8")
    digest = hashlib.sha256(Path("package/api.json").read_bytes()).hexdigest()
    assert json.loads(text) == {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "7"},
        "x-toolcharter-vendored": {"source": "api.json", "sha256": digest},
        "paths": {"/a": SOURCE["paths"]["/a"], "/b": {"put": SOURCE["paths"]["/b"]["put"]}},
        "components": {"schemas": {"A": {"type": "string"}}},
    }
    assert list(json.loads(text)["paths"]) == ["/a", "/b"]
    assert text.endswith("}\n")
    assert [p.name for p in sorted(Path("specs").iterdir())] == ["charter.yaml", "slice.json"]


def test_bytes_are_the_same_again() -> None:
    run("package/api.json")
    first = Path("specs/slice.json").read_bytes()
    run("package/api.json")
    assert Path("specs/slice.json").read_bytes() == first


def test_packed_source_and_given_names() -> None:
    raw = gzip.compress(json.dumps(SOURCE).encode())
    Path("api.json.gz").write_bytes(raw)
    result = run(
        "api.json.gz", "--name", "@scope/api", "--source-version", "1.2.3", "--out", "slice.yaml"
    )
    assert result.exit_code == 0
    assert (
        Path("slice.yaml").read_text("utf-8")
        == f"""openapi: 3.1.0
info:
  title: T
  version: "7"
x-toolcharter-vendored:
  source: "@scope/api"
  sha256: {hashlib.sha256(raw).hexdigest()}
  version: 1.2.3
paths:
  /a:
    get:
      operationId: getA
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/A"
  /b:
    put:
      responses:
        "204":
          description: none
components:
  schemas:
    A:
      type: string
""".replace('"@scope/api"', "'@scope/api'").replace(
            '"#/components/schemas/A"', "'#/components/schemas/A'"
        )
    )


def test_unknown_operation_is_placed_in_the_charter_and_nothing_is_written() -> None:
    Path("specs/charter.yaml").write_text(CHARTER.replace("PUT /b", "getAa"), "utf-8")
    result = run("package/api.json")
    assert result.exit_code == 1
    assert "specs/charter.yaml:8:5: TC726 There is no operation `getAa`" in result.stderr
    assert "did you mean `getA`?" in result.stderr
    assert not Path("specs/slice.json").exists()


def test_failure_leaves_the_old_slice() -> None:
    run("package/api.json")
    before = Path("specs/slice.json").read_bytes()
    broken = json.loads(json.dumps(SOURCE))
    del broken["components"]["schemas"]["A"]
    Path("package/api.json").write_text(json.dumps(broken), "utf-8")
    result = run("package/api.json")
    assert result.exit_code == 1
    assert "TC701" in result.stderr
    assert Path("specs/slice.json").read_bytes() == before


@pytest.mark.parametrize(
    ("source", "charter", "code", "said"),
    [
        ("none.json", CHARTER, 2, "TC710"),
        ("package/api.json", "charter: [\n", 2, "TC714"),
        ("package/api.json", "charter: 1\npackage: a\nspec: b.json\n", 1, "tools"),
        ("package/api.json", CHARTER.replace("operation: getA}", "effect: read}"), 1, "operation"),
        ("package/api.json", CHARTER.replace("spec: slice.json\n", ""), 2, "--out"),
        (
            "package/api.json",
            CHARTER.replace("slice.json", "../package/api.json"),
            2,
            "replace its source",
        ),
        ("package/api.json", CHARTER.replace("slice.json", "none/slice.json"), 1, "TC729"),
    ],
)
def test_refused(source: str, charter: str, code: int, said: str) -> None:
    Path("specs/charter.yaml").write_text(charter, "utf-8")
    before = Path("package/api.json").read_bytes()
    result = run(source)
    assert result.exit_code == code
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert Path("package/api.json").read_bytes() == before
    assert [p.name for p in Path("specs").iterdir()] == ["charter.yaml"]
