"""The same bytes on every machine: hash seeds, locales, time zones, hostile working folders, three Pythons."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
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
    """This Python and every CPython from 3.11 to 3.13 that this machine has write what is committed."""
    pythons = {".".join(map(str, sys.version_info[:2])): Path(sys.executable)}
    pythons |= {version: python for version in VERSIONS if (python := find_python(version))}
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
    """Return an interpreter of this version that can make environments: one of pyenv's, or on the path."""
    kept = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(
            f"versions/{version}.*/bin/python"
        )
    )
    found = kept[-1:] + [Path(p) for p in [shutil.which(f"python{version}")] if p]
    return next((python for python in found if makes_environments(python, version)), None)


def makes_environments(python: Path, version: str) -> bool:
    """Say whether it starts, is of this version, and has venv and pip: a shim or a part of it is not enough."""
    asked = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version
