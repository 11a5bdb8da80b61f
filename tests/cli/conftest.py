"""A small API and its charter in a folder of their own, and the command line run in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolcharter.cli import _run

OPENAPI = """\
openapi: 3.1.0
info: {title: Library, version: "1"}
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
security: [{bearer: []}]
paths:
  /books/{book_id}:
    parameters:
      - {name: book_id, in: path, required: true, schema: {type: string, pattern: "^B-[0-9]{4}$"}}
    get:
      operationId: getBook
      summary: One book.
      responses:
        "200":
          description: The book.
          content:
            application/json:
              schema:
                type: object
                additionalProperties: false
                required: [id, title]
                properties:
                  id: {type: string, pattern: "^B-[0-9]{4}$"}
                  title: {type: string, maxLength: 200}
        "404": {description: None.}
"""

CHARTER = """\
charter: 1
package: library_tools
spec: openapi.yaml
roles:
  reader: {reads: all, purposes: [production]}
tools:
  get_book:
    operation: getBook
    effect: read
    description: One book of the library with its title.
    input: {book: {to: path.book_id, required: true}}
    view: {book: /id, title: /title}
"""


@dataclass
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


@dataclass
class Workspace:
    """A folder with `specs/library/`, and the commands in it."""

    folder: Path
    read: Callable[[], tuple[str, str]]

    @property
    def charter(self) -> Path:
        return self.folder / "specs/library/charter.yaml"

    @property
    def package(self) -> Path:
        return self.folder / "generated/library_tools"

    def run(self, *arguments: str) -> Done:
        code = _run(arguments)
        return Done(code, *self.read())

    def change(self, before: str, after: str, name: str = "charter.yaml") -> None:
        path = self.folder / "specs/library" / name
        text = path.read_text("utf-8")
        assert before in text
        path.write_text(text.replace(before, after), "utf-8")

    def files(self) -> dict[str, tuple[bytes, int]]:
        return {
            path.relative_to(self.folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Workspace:
    specs = tmp_path / "specs" / "library"
    specs.mkdir(parents=True)
    (specs / "openapi.yaml").write_text(OPENAPI, "utf-8")
    (specs / "charter.yaml").write_text(CHARTER, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOOLCHARTER_DEBUG", raising=False)

    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    return Workspace(tmp_path, read)
