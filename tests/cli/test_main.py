"""The command line itself: help, exit codes, missing extras, and that no user sees a traceback."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from toolcharter.cli import _COMMANDS

from .conftest import Workspace


def test_version(workspace: Workspace) -> None:
    done = workspace.run("--version")
    assert (done.code, done.out) == (0, "toolcharter 0.1.0\n")


def test_help_lists_every_command(workspace: Workspace) -> None:
    done = workspace.run("--help")
    assert done.code == 0
    assert all(f"  {name} " in done.out for name in _COMMANDS)


@pytest.mark.parametrize("name", _COMMANDS)
def test_help_has_an_example(workspace: Workspace, name: str) -> None:
    done = workspace.run(name, "--help")
    assert done.code == 0
    assert "Example:\n    toolcharter " in done.out


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom toolcharter.cli import _run\n_run(['--help'])\n"
        "print(sorted({n.partition('.')[0] for n in sys.modules} & {'pydantic', 'yaml', 'jinja2', 'datamodel_code_generator',"
        " 'jsonschema_rs', 'openapi_spec_validator', 'rich', 'toolcharter_runtime', 'sqlalchemy', 'httpx2'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("generate", "--nothing"),
        ("generate", "--unreleased", "get_book"),
        ("check", "--format", "xml"),
        ("generate", "--validate", "most"),
    ],
)
def test_usage_errors_are_2(workspace: Workspace, arguments: tuple[str, ...]) -> None:
    done = workspace.run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: toolcharter")


def test_no_charter_at_all(workspace: Workspace) -> None:
    workspace.charter.unlink()
    done = workspace.run("generate")
    assert done.code == 2
    assert "no charter below specs/: name one, or write one with: toolcharter init" in done.err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tool.toolcharter]\nspec = 1\n", "[tool.toolcharter] has specs and out, not spec"),
        ("[tool.toolcharter]\nout = 3\n", "tool.toolcharter.out is not a folder's name"),
        ("[tool]\ntoolcharter = 3\n", "[tool.toolcharter] is not a table"),
        ("[tool.toolcharter\n", "pyproject.toml: "),
        ("toolcharter = \xff", "pyproject.toml: not UTF-8"),
    ],
)
def test_bad_settings_are_2(workspace: Workspace, text: str, reason: str) -> None:
    (workspace.folder / "pyproject.toml").write_bytes(text.encode("latin-1"))
    done = workspace.run("generate")
    assert done.code == 2
    assert reason in done.err


def test_unexpected_error_is_3_without_a_traceback(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("inner text with /a/path")

    monkeypatch.setattr("toolcharter.pipeline.generate_charters", fail)
    done = workspace.run("generate")
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "toolcharter: internal error (RuntimeError); nothing was written. Set TOOLCHARTER_DEBUG=1 to see where.\n"
    )
    monkeypatch.setenv("TOOLCHARTER_DEBUG", "1")
    with pytest.raises(RuntimeError, match="inner text"):
        workspace.run("generate")


@pytest.mark.parametrize("command", ["check", "lint", "generate"])
def test_what_the_system_refuses_is_2_and_named(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "a\x1b[31m.py")

    for name in ("check_charter", "lint_charter", "generate_charters"):
        monkeypatch.setattr(f"toolcharter.pipeline.{name}", refuse)
    done = workspace.run(command)
    assert done.code == 2
    assert done.out == ""
    assert "Permission denied" in done.err
    assert "Traceback" not in done.err


def test_interrupt_is_130(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("toolcharter.pipeline.generate_charters", stop)
    done = workspace.run("generate")
    assert (done.code, done.err.strip()) == (130, "Stopped.")


@pytest.mark.parametrize(
    "module", ["jinja2", "datamodel_code_generator", "ruff", "openapi_spec_validator"]
)
def test_missing_extra_is_named(workspace: Workspace, module: str) -> None:
    code = f"import sys; sys.modules['{module}'] = None; from toolcharter.cli import main; main(['generate'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=workspace.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == f"toolcharter: this command needs {module}: pip install 'toolcharter[generate]'\n"
    )
    assert not (workspace.folder / "generated").exists()


def test_schema_is_printed_or_written(workspace: Workspace) -> None:
    done = workspace.run("schema")
    assert done.code == 0
    assert json.loads(done.out)["title"] == "Toolcharter charter, format 1"
    assert workspace.run("schema", "--out", "charter.json").out == ""
    assert (workspace.folder / "charter.json").read_text("utf-8") == done.out
    assert workspace.run("schema", "--out", "no/such/folder.json").code == 2


def test_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m toolcharter schema | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
