"""The house, as assertions: who imports whom, what generated code may hold, and pages that must be true."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = sorted([*ROOT.glob("generator/**/*.py"), *ROOT.glob("runtime/**/*.py")])
GENERATED = sorted(ROOT.glob("generated/**/*.py"))
LONGEST_FILE = 400
ALLOWED_IN_GENERATED = {
    "toolcharter_runtime",
    "pydantic",
    "typing",
    "datetime",
    "decimal",
    "uuid",
    "typing_extensions",
}
CONTROL_FLOW = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.FunctionDef,
                ast.AsyncFunctionDef, ast.Lambda, ast.Match, ast.comprehension)  # fmt: skip


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_templates_are_templates_only() -> None:
    """A Python file below templates/ breaks the editable install (hatchling refuses its changed prefix)."""
    assert [
        relative(p) for p in ROOT.glob("templates/**/*") if p.is_file() and p.suffix != ".j2"
    ] == []


def test_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_there_is_generated_code() -> None:
    assert {p.parts[len(ROOT.parts) + 1] for p in GENERATED} == {
        "crm_tools",
        "contacts_tools",
        "github_tools",
    }


@pytest.mark.parametrize("path", GENERATED, ids=relative)
def test_generated_module_holds_facts_only(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert [type(n).__name__ for n in ast.walk(tree) if isinstance(n, CONTROL_FLOW)] == []
    roots = {
        alias.name.split(".")[0]
        for n in ast.walk(tree)
        if isinstance(n, ast.Import)
        for alias in n.names
    } | {
        n.module.split(".")[0]
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom) and n.level == 0 and n.module
    }
    assert roots <= ALLOWED_IN_GENERATED
    assert "# type: ignore" not in path.read_text("utf-8")
    assert "noqa" not in path.read_text("utf-8")


@pytest.mark.parametrize("path", WRITTEN, ids=relative)
def test_hand_written_file_is_small_and_declares_its_surface(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    tree = ast.parse(text)
    public = [
        n
        for n in tree.body
        if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.name.startswith("_")
    ]
    names = {
        t.id
        for n in tree.body
        if isinstance(n, ast.Assign)
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    is_migration = "versions" in path.parts or path.name == "env.py"
    if public and not path.name.startswith("_") and not is_migration:
        assert "__all__" in names


def test_committed_packages_are_current() -> None:
    """`toolcharter check` finds nothing to do."""
    command = [str(Path(sys.executable).with_name("toolcharter")), "check", "--format", "concise"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


LEFT = re.compile(
    r"\.venv.*|\.stamps|\.git|\.demo|dist|build|__pycache__|\.\w+_cache|\.hypothesis|tmp\w+|.*\.egg-info"
)
"""Folders that make targets and tools leave: not the project's own."""


def own_files() -> list[Path]:
    found: list[Path] = []
    folders = [ROOT]
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not LEFT.fullmatch(path.name):
                folders.append(path)
            elif path.is_file() and path.name != ".git":
                found.append(path)
    return found


def test_nothing_committed_names_a_machine() -> None:
    """No path of a machine and no registry's host stands in what is committed."""
    forbidden = re.compile(r"/work/|/root/|/tmp/w/|files\.pythonhosted|pypi\.org|registry\.npmjs")
    found = [
        relative(path)
        for path in own_files()
        if path != Path(__file__).resolve()
        and forbidden.search(path.read_text("utf-8", errors="replace"))
    ]
    assert found == []


def test_architecture_page_is_the_disk() -> None:
    """Each folder and module of both packages stands in the page's tree, and the page names nothing else."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    on_disk = set()
    for house in (ROOT / "generator/toolcharter", ROOT / "runtime/toolcharter_runtime"):
        for path in house.iterdir():
            if path.name in {"__pycache__", "py.typed", "__init__.py", "__main__.py"}:
                continue
            on_disk.add(relative(path) + ("/" if path.is_dir() else ""))
    assert named == on_disk


def test_readme_claims_name_tests_that_exist() -> None:
    """A claim in the README names the test that holds it, as `tests/…::test_…`."""
    page = (ROOT / "README.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/.-]+\.py)::(\w+)`", page)
    assert named
    for file, test in named:
        path = ROOT / file
        assert path.is_file(), file
        assert f"def {test}(" in path.read_text("utf-8"), f"{file}::{test}"


def test_published_schema_of_the_charter_is_fresh(tmp_path: Path) -> None:
    """`docs/charter-1.schema.json` is what `toolcharter schema` writes, and every charter of ours names it."""
    command = [
        str(Path(sys.executable).with_name("toolcharter")),
        "schema",
        "--out",
        str(tmp_path / "schema.json"),
    ]
    subprocess.run(command, cwd=ROOT, check=True)
    assert (ROOT / "docs/charter-1.schema.json").read_bytes() == (
        tmp_path / "schema.json"
    ).read_bytes()
    for charter in [*ROOT.glob("specs/*/charter.yaml"), ROOT / "benchmarks/lab/charter.yaml"]:
        named = charter.read_text("utf-8").splitlines()[0].partition("$schema=")[2]
        assert (charter.parent / named).resolve() == ROOT / "docs/charter-1.schema.json"
