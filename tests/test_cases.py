"""Example cases: a folder is a miniature project, `case.toml` says what is typed, and the rest what must come of it.

`case.toml`: `command` (the arguments of `toolcharter`), `exit` (0 if left out), `about` (one sentence).
`expected/` holds every file that must be there afterwards and not before; `stderr.txt` all that is printed.
`pytest tests/test_cases.py --update-cases` writes expectations again: read the diff before you commit it.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/case.toml"))
KEPT = {"case.toml", "stderr.txt"}


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def project(case: Path, folder: Path) -> dict[str, bytes]:
    """Lay out the case's own files; return them."""
    inputs = {
        name: content
        for name, content in files(case).items()
        if name not in KEPT and not name.startswith("expected/")
    }
    for name, content in inputs.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return inputs


@pytest.mark.parametrize("case", FOLDERS, ids=lambda path: path.name)
def test_case(case: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    told = tomllib.loads((case / "case.toml").read_text("utf-8"))
    inputs = project(case, tmp_path)
    done = subprocess.run(
        [Path(sys.executable).with_name("toolcharter"), *shlex.split(told["command"])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    made = {
        name: content for name, content in files(tmp_path).items() if inputs.get(name) != content
    }
    made = {
        name: content for name, content in made.items() if not name.endswith("toolcharter.lock")
    }
    if request.config.getoption("--update-cases"):
        rewrite(case, made, printed)
    assert done.returncode == told.get("exit", 0), printed
    assert printed == (case / "stderr.txt").read_text("utf-8")
    assert made == (files(case / "expected") if (case / "expected").is_dir() else {})


def rewrite(case: Path, made: dict[str, bytes], printed: str) -> None:
    shutil.rmtree(case / "expected", ignore_errors=True)
    for name, content in made.items():
        target = case / "expected" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    (case / "stderr.txt").write_text(printed, "utf-8")


def test_there_are_cases() -> None:
    assert len(FOLDERS) >= 8
