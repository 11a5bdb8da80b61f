"""The rules as a registry, and each rule by its bad and its good cases (a folder a rule)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rules.ground import findings
from toolcharter.rules import RULES, ApiRule, CharterRule, ToolRule, find_rule
from toolcharter.rules.pages import all_pages
from toolcharter.source.codes import SOURCE_CODES

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CHECKED = [r for r in RULES if isinstance(r, (ApiRule, CharterRule, ToolRule)) or r.code == "TC801"]
LONGEST_RULE = 62


def load(code: str, name: str, kind: str) -> dict[str, Any]:
    return yaml.safe_load((HERE / f"{code}_{name}" / f"{kind}.yaml").read_text("utf-8"))


CASES = [
    pytest.param(folder.name[:5], kind, name, case, id=f"{folder.name}-{kind}-{name}")
    for folder in sorted(HERE.glob("TC*_*"))
    for kind in ("bad", "good")
    if (folder / f"{kind}.yaml").is_file()
    for name, case in yaml.safe_load((folder / f"{kind}.yaml").read_text("utf-8")).items()
]


def test_ground_has_no_finding() -> None:
    assert [str(d.message) for d in findings({})] == []


def test_codes_are_unique_and_sorted() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    names = [rule.name for rule in RULES]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_explains_itself(rule: Any) -> None:
    """Code, name and the four parts of the docstring; the name says what is wrong, in words joined by hyphens."""
    assert re.fullmatch(r"TC[1-9][0-9]{2}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.severity in ("error", "warning")
    parts = rule.explanation()
    assert parts.what.startswith("Finds ")
    assert parts.what.endswith(".")
    assert "…" not in (parts.bad, parts.good)
    assert all((parts.why, parts.bad, parts.good))
    assert parts.bad != parts.good


@pytest.mark.parametrize("rule", CHECKED, ids=lambda rule: rule.code)
def test_rule_has_a_hint_and_its_cases(rule: Any) -> None:
    assert rule.hint
    folder = HERE / f"{rule.code}_{rule.name}"
    assert (folder / "bad.yaml").is_file()
    assert (folder / "good.yaml").is_file()


@pytest.mark.parametrize(("code", "kind", "name", "case"), CASES)
def test_case(code: str, kind: str, name: str, case: dict[str, Any] | None) -> None:
    """A bad case fires exactly as it says, pointer and message; a good one does not fire."""
    found = [d for d in findings(case or {}) if d.code == code]
    shown = [f"{d.origin.pointer}: {d.message}" for d in found]
    if kind == "good":
        assert shown == []
        return
    assert case is not None
    assert shown == case["expect"]
    rule = find_rule(code)
    assert rule is not None
    assert {d.severity for d in found} == {case.get("severity", rule.severity)}
    assert all(d.hint for d in found)


def test_each_folder_is_a_rule() -> None:
    assert {f.name for f in HERE.glob("TC*")} == {f"{rule.code}_{rule.name}" for rule in CHECKED}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "generator/toolcharter/rules").rglob("tc*.py")), ids=lambda p: p.stem
)
def test_one_rule_a_file_named_by_its_code(path: Path) -> None:
    text = path.read_text("utf-8")
    classes = re.findall(r"^class (\w+)\(", text, re.MULTILINE)
    codes = re.findall(r'^    code = "(TC\d{3})"$', text, re.MULTILINE)
    names = re.findall(r'^    name = "([a-z0-9-]+)"$', text, re.MULTILINE)
    assert (len(classes), len(codes), len(names)) == (1, 1, 1)
    assert path.stem == f"{codes[0].lower()}_{names[0].replace('-', '_')}"
    body = text[text.index(f"class {classes[0]}(") :]
    assert len(body.rstrip().splitlines()) <= LONGEST_RULE


def test_every_code_that_is_printed_is_registered() -> None:
    used = {
        code
        for path in sorted((ROOT / "generator").rglob("*.py"))
        for code in re.findall(r'["\'](TC\d{3})["\']', path.read_text("utf-8"))
    }
    assert sorted(used - {rule.code for rule in RULES}) == []


def test_source_stage_and_registry_agree() -> None:
    for source in SOURCE_CODES:
        rule = find_rule(source.code)
        assert rule is not None
        assert (rule.name, rule.severity) == (source.name, source.severity)


def test_pages_are_fresh() -> None:
    """`python -m toolcharter.rules.pages docs/rules` writes them."""
    folder = ROOT / "docs" / "rules"
    on_disk = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert on_disk == all_pages()
