"""Not only here: a wheel, an empty folder, folders of one's choosing, and an application with the runtime alone."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from tests.packaging.conftest import run

pytestmark = pytest.mark.xdist_group("packaging")

APPLICATION = """
import asyncio
from datetime import date
from typing import assert_type

from library_tools import catalog
from library_tools.contracts.get_book_v1 import GetBookArguments, GetBookResult
from library_tools.contracts.loan_v1 import LoanArguments, LoanResult
from library_tools.errors import GetBookError, LoanError
from toolcharter_runtime import Boundary, Caller, Credential, Failure, Proposal, Run, Success, Upstream
from toolcharter_runtime.surfaces import anthropic, openai


def credential(caller: Caller, tool: object) -> Credential:
    return Credential.bearer("secret")


async def calls(run: Run) -> None:
    match await run.call(catalog.get_book, GetBookArguments(book="B-0001")):
        case Success(result=book):
            assert_type(book, GetBookResult)
            print(book.title)
        case Failure(error=error):
            assert_type(error.code, GetBookError)
            print(error.code, error.next_action)
    proposed = await run.call(catalog.loan.preview, LoanArguments(book="B-0001", reader="R-0001", due=date(2027, 1, 1)))
    assert_type(proposed, Success[Proposal] | Failure[LoanError])
    if isinstance(proposed, Success):
        done = await run.call(catalog.loan.commit, proposed.result.proposal_id)
        assert_type(done, Success[LoanResult] | Failure[LoanError])
    print(len(openai(run)), len(anthropic(run)))


async def main() -> None:
    boundary = Boundary(
        catalog,
        upstream=Upstream("http://127.0.0.1:9", auth=credential, environment="production"),
        store="sqlite:///boundary.db",
        approvers="approvers.yaml",
        desk_keys=["desk.pub"],
    )
    async with boundary, boundary.run(role="reader_desk", caller=Caller(tenant="t", agent="a", person="p")) as run:
        await calls(run)
        print((await run.call("get_book", {"book": "nonsense"})).status)


def in_synchronous_code() -> None:
    boundary = Boundary(
        catalog,
        upstream=Upstream("http://127.0.0.1:9", auth=credential),
        store="sqlite:///boundary.db",
        approvers="approvers.yaml",
        desk_keys=["desk.pub"],
    )
    with boundary.blocking() as edge, edge.run(role="reader_desk", caller=Caller(tenant="t", agent="a", person="p")) as run:
        reply = run.call(catalog.get_book, GetBookArguments(book="B-0001"))
        assert_type(reply, Success[GetBookResult] | Failure[GetBookError])
        print(reply.status)


asyncio.run(main())
in_synchronous_code()
"""


def test_wheel_holds_what_it_needs(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "toolcharter/_templates/_header.py.j2" in names
    assert "toolcharter/py.typed" in names
    assert "toolcharter_runtime/py.typed" in names
    assert not [n for n in names if n.startswith(("specs/", "generated/", "tests/", "demo/"))]


def test_empty_folder_to_package(
    generator_bin: Path, library: dict[str, str], tmp_path: Path
) -> None:
    """`init`, edit, `generate`: a package in a folder of one's choosing, from the wheel alone."""
    apis = tmp_path / "apis"
    apis.mkdir()
    (apis / "library.yaml").write_text(library["library.yaml"], "utf-8")
    toolcharter = generator_bin / "toolcharter"
    run(
        toolcharter,
        "init",
        "apis/library.yaml",
        "--tool",
        "getBook",
        "--out",
        "apis/charter.yaml",
        cwd=tmp_path,
    )
    undecided = run(
        toolcharter, "generate", "apis/charter.yaml", "--out", "packages", cwd=tmp_path, code=1
    )
    assert "TC804" in undecided
    assert not (tmp_path / "packages").exists()
    text = (apis / "charter.yaml").read_text("utf-8")
    decided = (
        text.replace("effect: DECIDE", "effect: read")
        .replace(
            "{reads: DECIDE, writes: DECIDE, purposes: [production]}",
            "{reads: all, purposes: [production]}",
        )
        .replace("package: apis_tools", "package: shelf")
    )
    (apis / "charter.yaml").write_text(decided, "utf-8")
    run(toolcharter, "generate", "apis/charter.yaml", "--out", "packages", cwd=tmp_path)
    assert (tmp_path / "packages" / "shelf" / "shelf" / "tools" / "get_book_v1.py").is_file()
    assert run(toolcharter, "check", "apis/charter.yaml", "--out", "packages", cwd=tmp_path) == ""


def test_application_needs_the_runtime_only(application_bin: Path, tmp_path: Path) -> None:
    """The generated wheel beside toolcharter alone: calls by name and by type, from async and sync code."""
    (tmp_path / "app.py").write_text(APPLICATION, "utf-8")
    run(application_bin / "toolcharter-desk", "init", cwd=tmp_path)
    printed = run(application_bin / "python", "-W", "error", "app.py", cwd=tmp_path)
    assert printed.splitlines() == ["UPSTREAM_UNAVAILABLE wait", "3 3", "rejected", "rejected"]
    absent = "import importlib.util as u; print([m for m in ('jinja2', 'datamodel_code_generator', 'ruff', 'rich') if u.find_spec(m)])"
    assert run(application_bin / "python", "-c", absent, cwd=tmp_path).strip() == "[]"


def test_application_type_checks(application_bin: Path, tmp_path: Path) -> None:
    """mypy strict and pyright strict infer the concrete types of every call."""
    (tmp_path / "app.py").write_text(APPLICATION, "utf-8")
    here = Path(sys.executable).parent
    python = application_bin / "python"
    run(here / "mypy", "--strict", "--python-executable", python, "app.py", cwd=tmp_path)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', "utf-8")
    run(here / "pyright", "--pythonpath", python, "app.py", cwd=tmp_path)


def test_generator_without_its_extra_says_which(
    application_bin: Path, library: dict[str, str], tmp_path: Path
) -> None:
    for name in ("library.yaml", "charter.yaml"):
        (tmp_path / name).write_text(library[name], "utf-8")
    said = run(application_bin / "toolcharter", "generate", "charter.yaml", cwd=tmp_path, code=2)
    assert "toolcharter[generate]" in said
    assert "Traceback" not in said


def test_importing_a_package_is_light(application_bin: Path, tmp_path: Path) -> None:
    """Neither the store, the HTTP client nor the validator is loaded before a boundary is opened."""
    code = (
        "import sys; from library_tools import catalog; "
        "print([m for m in ('sqlalchemy', 'alembic', 'httpx2', 'jsonschema_rs', 'cryptography') if m in sys.modules])"
    )
    assert run(application_bin / "python", "-c", code, cwd=tmp_path).strip() == "[]"


def test_base_install_is_enough_for_the_desk(application_bin: Path, tmp_path: Path) -> None:
    run(application_bin / "toolcharter-desk", "init", cwd=tmp_path)
    assert (tmp_path / "desk.key").stat().st_mode & 0o777 == 0o600


def test_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    run(
        sys.executable,
        "-m",
        "build",
        "--sdist",
        "--no-isolation",
        "--outdir",
        tmp_path,
        root,
        cwd=tmp_path,
    )
    (archive,) = tmp_path.glob("toolcharter-*.tar.gz")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        tmp_path,
        archive,
        cwd=tmp_path,
    )
    (again,) = tmp_path.glob("toolcharter-*.whl")
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())
