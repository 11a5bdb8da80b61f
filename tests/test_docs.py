"""README and docs run: what a page tells a person to write and to type is written and typed, in an empty folder.

A page marks its fences with comments that a reader does not see: `<!-- file: NAME -->` before a fence writes it,
`<!-- run -->` types its lines that begin with `$ ` and compares what they print with the lines below each;
`<!-- run: exit 1 -->` expects that exit code. `…` in an expected line stands for any text.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import steps

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    if re.search(r"<!-- (file:|run)", page.read_text("utf-8"))
)


def as_pattern(expected: str) -> str:
    return re.escape(expected.strip()).replace("…", ".*?")


def type_lines(body: str, folder: Path, exit_code: int) -> None:
    for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = entry.partition("\n")
        done = subprocess.run(
            ["bash", "-ec", command],
            cwd=folder,
            env={
                **os.environ,
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "NO_COLOR": "1",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        printed = (done.stdout + done.stderr).strip()
        assert done.returncode == exit_code, f"$ {command}\n{printed}"
        assert re.fullmatch(as_pattern(expected), printed, re.DOTALL), (
            f"$ {command}\n{printed}\n--- expected\n{expected}"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_runs_as_written(page: Path, tmp_path: Path) -> None:
    for step in steps(page):
        if step.kind == "file":
            target = tmp_path / step.argument
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step.body, "utf-8")
        else:
            exit_code = int(step.argument.removeprefix("exit ") or 0)
            type_lines(step.body, tmp_path, exit_code)


def test_there_is_a_page_to_run() -> None:
    assert PAGES
