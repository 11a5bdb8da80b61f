"""Every error of the design's section 6 through the whole of `lint`: code, place, a way to mend it, nothing written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from toolcharter.cli.lint import lint
from toolcharter.pipeline import Options, generate_charter, lint_charter

HERE = Path(__file__).with_name("section_six")
CASES: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "cases.yaml").read_text("utf-8"))
NAMES = {"charter": "charter.yaml", "api": "openapi.yaml"}


def lay_out(case: dict[str, Any], folder: Path) -> Path:
    """Write the two files with the case's replacements; each must be of something that is there."""
    for key, name in NAMES.items():
        text = (HERE / name).read_text("utf-8")
        for old, new in case.get(key, ()):
            assert old in text, old
            text = text.replace(old, new, 1)
        (folder / name).write_text(text, "utf-8")
    return folder / "charter.yaml"


def test_the_ground_is_clean(tmp_path: Path) -> None:
    assert lint_charter(lay_out({}, tmp_path), Options(out=tmp_path / "out")).diagnostics == ()


@pytest.mark.parametrize("name", CASES)
def test_error_stops_generation_at_its_place(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    charter = lay_out(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    report = generate_charter(Path("charter.yaml"), Options(out=tmp_path / "out"))
    codes = case["code"] if isinstance(case["code"], list) else [case["code"]]
    found = [d for d in report.diagnostics if d.code in codes and d.severity == "error"]
    said = "\n".join(f"{d.origin} {d.code} {d.message}" for d in report.diagnostics)
    assert found, said
    lines = charter.read_text("utf-8").split("\n")
    places = {(d.origin.file, lines[d.origin.line - 1].strip()) for d in found}
    assert any(file == "charter.yaml" and line.startswith(case["line"]) for file, line in places), (
        said
    )
    assert all(d.hint for d in found), said
    assert report.exit_code in (1, 2)
    assert not (tmp_path / "out").exists()


def test_lint_prints_and_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(CASES["write without evidence"], tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(lint, ["charter.yaml"])
    assert done.exit_code == 1
    assert done.stdout.split("\n")[0].endswith(": TC517 greet is a write without evidence")
    assert done.stdout.rstrip().endswith("Found 1 error.")


def test_lint_is_quiet_on_success_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out({}, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = CliRunner().invoke(lint, ["charter.yaml"])
    assert (done.exit_code, done.output) == (0, "")
    assert sorted(tmp_path.rglob("*")) == before


def test_strict_fails_on_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out({"charter": [["  limits: {per_run: 5}\n", ""]]}, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(lint, ["charter.yaml"]).exit_code == 0
    done = CliRunner().invoke(lint, ["charter.yaml", "--strict", "--format", "concise"])
    assert done.exit_code == 1
    assert [line.split(": ")[1][:5] for line in done.stdout.split("\n")[:2]] == ["TC509", "TC509"]


def test_an_unreadable_charter_is_exit_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "charter.yaml").write_text("tools: [", "utf-8")
    assert CliRunner().invoke(lint, ["charter.yaml"]).exit_code == 2
    assert CliRunner().invoke(lint, ["gone.yaml"]).exit_code == 2
    assert CliRunner().invoke(lint, []).exit_code == 2
