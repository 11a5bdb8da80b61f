"""The same bytes on every machine: hash seeds, locales, time zones, hostile working folders, three Pythons."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.conftest import run

pytestmark = pytest.mark.xdist_group("packaging")

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = {
    "pyproject.toml": "[tool.ruff]\nline-length = 40\n[tool.ruff.format]\nquote-style = 'single'\n[tool.black]\nline-length = 20\n[tool.isort]\nprofile = 'black'\n[tool.datamodel-codegen]\nsnake-case-field = false\nclass-name = 'Hostile'\n",
    "ruff.toml": "line-length = 30\nindent-width = 8\n",
    ".editorconfig": "root = true\n[*]\nindent_size = 8\nend_of_line = crlf\n",
    "setup.cfg": "[isort]\nforce_single_line = true\n",
    ".isort.cfg": "[settings]\nline_length = 20\n",
}
VERSIONS = ("3.11", "3.12", "3.13")
MACHINES = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"},
    {"PYTHONHASHSEED": "random", "LC_ALL": "POSIX", "TZ": "America/St_Johns", "PYTHONUTF8": "0"},
]


def digest(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def committed() -> dict[str, str]:
    """Return the digests of the two committed packages that are generated here."""
    return {
        name: sha
        for name, sha in digest(ROOT / "generated").items()
        if name.startswith(("crm_tools/", "contacts_tools/")) and "__pycache__" not in name
    }


def generate(toolcharter: Path, folder: Path, machine: dict[str, str]) -> dict[str, str]:
    specs = folder / "specs"
    shutil.copytree(ROOT / "specs" / "crm", specs / "crm")
    shutil.copytree(ROOT / "specs" / "kinto", specs / "kinto")
    for name, text in HOSTILE.items():
        (folder / name).write_text(text, "utf-8")
    done = subprocess.run(
        [
            toolcharter,
            "generate",
            "specs/crm/charter.yaml",
            "specs/kinto/charter.yaml",
            "--out",
            "out",
        ],
        cwd=folder,
        env={**os.environ, **machine},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return digest(folder / "out")


def test_bytes_do_not_depend_on_the_machine(generator_bin: Path, tmp_path: Path) -> None:
    """Other hash seeds, locales, time zones, and a working folder full of formatter settings."""
    for number, machine in enumerate(MACHINES):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert generate(generator_bin / "toolcharter", folder, machine) == committed(), machine


def test_bytes_do_not_depend_on_the_python(wheel: Path, tmp_path: Path) -> None:
    """Every CPython from 3.11 to 3.13 that this machine has writes what is committed."""
    pythons = {version: python for version in VERSIONS if (python := find_python(version))}
    assert pythons
    for version, python in pythons.items():
        folder = tmp_path / version
        folder.mkdir()
        run(python, "-m", "venv", folder / "env", cwd=folder)
        run(
            folder / "env/bin/python",
            "-m",
            "pip",
            "install",
            "-q",
            f"{wheel}[generate]",
            cwd=folder,
        )
        assert generate(folder / "env/bin/toolcharter", folder, MACHINES[0]) == committed(), version


def find_python(version: str) -> Path | None:
    """Return an interpreter of this version: on the path, or one that pyenv keeps."""
    kept = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(
            f"versions/{version}.*/bin/python"
        )
    )
    found = kept[-1:] or [Path(p) for p in [shutil.which(f"python{version}")] if p]
    return found[0] if found else None
