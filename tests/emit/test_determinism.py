"""Output is byte-identical under other hash seeds, locales, time zones and working folders with hostile settings."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "print_digests.py"


def digests(cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@cache
def reference() -> str:
    return digests(Path(__file__).parent, PYTHONHASHSEED="0", LC_ALL="C.UTF-8", TZ="UTC")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "random"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
        {"TZ": "Pacific/Kiritimati"},
        {"COLUMNS": "20", "NO_COLOR": "1", "FORCE_COLOR": "1"},
        {"RUFF_CACHE_DIR": "/nonexistent", "RUFF_NO_CACHE": "false", "RUFF_OUTPUT_FORMAT": "json"},
    ],
    ids=lambda environment: " ".join(f"{k}={v}" for k, v in environment.items()),
)
def test_same_bytes_elsewhere(environment: dict[str, str]) -> None:
    assert digests(Path(__file__).parent, **environment) == reference()


def test_same_bytes_in_a_folder_with_hostile_settings(tmp_path: Path) -> None:
    settings = 'line-length = 40\nindent-width = 2\n[format]\nquote-style = "single"\n'
    (tmp_path / "ruff.toml").write_text(settings)
    (tmp_path / ".ruff.toml").write_text(settings)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.ruff]\nline-length = 40\n[tool.black]\nline-length = 40\n[tool.isort]\nforce_single_line = true\n"
        "[tool.datamodel-codegen]\nsnake-case-field = false\nuse-annotated = false\n"
    )
    (tmp_path / ".editorconfig").write_text(
        "root = true\n[*]\nindent_style = tab\nend_of_line = crlf\n"
    )
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "_header.py.j2").write_text("import os\n")
    assert digests(tmp_path, TMPDIR=str(tmp_path)) == reference()


def test_something_was_compared() -> None:
    assert len(reference().splitlines()) == 24
