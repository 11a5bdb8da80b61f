"""A wheel of this project, and two empty environments: one to generate in, one for an application."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, code: int = 0) -> str:
    """Run a command and return what it printed; fail on another exit code."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def environment(folder: Path, *requirements: str | Path) -> Path:
    """Make a virtual environment with these installed; return its bin folder."""
    venv.create(folder, with_pip=True, symlinks=True)
    run(folder / "bin" / "python", "-m", "pip", "install", "-q", *requirements, cwd=folder)
    return folder / "bin"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder,
        ROOT,
        cwd=ROOT,
    )
    (built,) = folder.glob("toolcharter-*.whl")
    return built


@pytest.fixture(scope="session")
def generator_bin(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("generator"), f"{wheel}[generate]")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files that the page `docs/first-tool.md` tells a person to write."""
    from tests.pages import steps

    page = ROOT / "docs" / "first-tool.md"
    return {step.argument: step.body for step in steps(page) if step.kind == "file"}


@pytest.fixture(scope="session")
def package_wheel(
    generator_bin: Path, library: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The wheel of the page's package, built by an application team's own means."""
    folder = tmp_path_factory.mktemp("library")
    for name in ("library.yaml", "charter.yaml"):
        (folder / name).write_text(library[name], "utf-8")
    run(generator_bin / "toolcharter", "generate", "charter.yaml", "--out", "packages", cwd=folder)
    run(generator_bin / "python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", "dist", "packages/library_tools", cwd=folder)  # fmt: skip
    (built,) = (folder / "dist").glob("library_tools-*.whl")
    return built


@pytest.fixture(scope="session")
def application_bin(
    wheel: Path, package_wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return environment(tmp_path_factory.mktemp("application"), wheel, package_wheel)


Run = Callable[..., str]
