"""`toolcharter lint` of a description without a charter: what is ready, what needs a word, and what to mend first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolcharter.cli._readiness import is_description
from toolcharter.rules import find_rule
from toolcharter.rules.readiness import OperationReadiness, assess
from toolcharter.source import load_description
from toolcharter.wording import hidden_characters

from .conftest import Workspace

SHOP = Path(__file__).with_name("shop.yaml")


@pytest.fixture
def shop(workspace: Workspace) -> Workspace:
    (workspace.folder / "shop.yaml").write_bytes(SHOP.read_bytes())
    return workspace


def told(shop: Workspace) -> dict[str, Any]:
    done = shop.run("lint", "shop.yaml", "--format", "json")
    assert (done.code, done.err) == (0, "")
    (report,) = json.loads(done.out)
    return report


def test_each_operation_has_a_status_and_what_decides_it(shop: Workspace) -> None:
    decided = {
        one["name"]: (
            one["status"],
            sorted(
                f"{w['code']} {w['place']}" for w in one["words"] if w["kind"] in ("word", "cannot")
            ),
        )
        for one in told(shop)["operations"]
    }
    assert decided == {
        "getOrder": ("ready", []),
        "removeOrder": ("ready", []),
        "listOrders": ("needs", ["TC403 answer"]),
        "pay": ("needs", ["TC101 /meta", "TC202 /amount", "TC203 /amount", "TC301 /means"]),
        "addCategory": ("ready", []),
        "graphql": ("needs", ["TC103 /query", "TC108 "]),
        "getInvoice": ("cannot", ["TC405 answer"]),
        "broken": ("cannot", ["TC701 shop.yaml:73:27"]),
    }


def test_what_may_be_left_out_or_bounded_by_a_ceiling_decides_nothing(shop: Workspace) -> None:
    words = {
        one["name"]: [(w["kind"], w["code"], w["place"]) for w in one["words"]]
        for one in told(shop)["operations"]
    }
    assert ("optional", "TC104", "/note") in words["pay"]
    assert ("note", "TC411", "answer") in words["pay"]
    assert ("optional", "TC401", "answer /access_token") in words["getOrder"]
    assert ("ceiling", "TC201", "/name") in words["addCategory"]
    assert ("optional", "TC114", "/parent") in words["addCategory"]
    assert ("note", "TC502", "") in words["addCategory"]
    assert ("note", "TC502", "") not in words["pay"]
    assert ("note", "TC802", "") in words["removeOrder"]
    assert ("note", "TC510", "") in words["getInvoice"]


def test_every_code_is_a_rule_and_has_a_mend(shop: Workspace) -> None:
    report = told(shop)
    codes = {word["code"] for one in report["operations"] for word in one["words"]}
    assert all(find_rule(code) for code in codes)
    for row in report["summary"]["by_code"]:
        assert row["mend"].endswith(".")
        assert row["mend"][0].isupper()


def test_summary_counts_and_ranks(shop: Workspace) -> None:
    summary = told(shop)["summary"]
    assert {
        key: summary[key] for key in ("operations", "ready", "needs", "cannot", "unlisted")
    } == {
        "operations": 8,
        "ready": 3,
        "needs": 3,
        "cannot": 2,
        "unlisted": 0,
    }
    assert [(r["code"], r["operations"], r["alone"]) for r in summary["by_code"]] == [
        ("TC403", 1, 1),
        ("TC405", 1, 1),
        ("TC701", 1, 1),
        ("TC101", 1, 0),
        ("TC103", 1, 0),
        ("TC108", 1, 0),
        ("TC202", 1, 0),
        ("TC203", 1, 0),
        ("TC301", 1, 0),
    ]
    assert summary["by_tag"] == {
        "(none)": {"ready": 0, "needs": 1, "cannot": 2},
        "orders": {"ready": 2, "needs": 1, "cannot": 0},
        "payments": {"ready": 1, "needs": 1, "cannot": 0},
    }


def test_text_is_a_summary_that_a_person_can_act_on(shop: Workspace) -> None:
    done = shop.run("lint", "shop.yaml")
    assert (done.code, done.err) == (0, "")
    rows = done.out.split("\n")
    assert rows[:9] == [
        "shop.yaml: 8 operations of OpenAPI 3.1: 3 ready, 3 need the charter's word, 2 cannot be a tool.",
        "",
        "       3 ready: a charter that lists their inputs and a view will do",
        "       3 need the charter's word on something, named below",
        "       2 cannot be a tool as described",
        "",
        "What is needed most:",
        "  TC403 list-without-pages: 1 operation, 1 with no other need",
        "      Bound it with `maxItems` in the view, or add the parameters of its pages with an overlay.",
    ]
    assert "  orders         2     1       0" in rows
    assert (
        "  shop.yaml:66:5: cannot GET /invoice (getInvoice): TC405 `answer` is only given as application/pdf"
        in rows
    )


def test_concise_has_a_line_for_each_operation_the_worst_first(shop: Workspace) -> None:
    rows = shop.run("lint", "shop.yaml", "--format", "concise").out.rstrip().split("\n")
    assert [row.split(": ")[1].split()[0] for row in rows[:-1]] == [
        *["cannot"] * 2,
        *["needs"] * 3,
        *["ready"] * 3,
    ]
    assert rows[1] == (
        "shop.yaml:71:5: cannot GET /broken (broken): TC701 `#/components/responses/Nothing` names nothing (shop.yaml:73:27)"
    )
    assert rows[-1].startswith("shop.yaml: 8 operations")


def test_other_formats_have_a_warning_for_each_word(shop: Workspace) -> None:
    report = json.loads(shop.run("lint", "shop.yaml", "--format", "gitlab").out)
    assert len(report) == 9
    assert {entry["severity"] for entry in report} == {"minor"}
    log = json.loads(shop.run("lint", "shop.yaml", "--format", "sarif").out)
    assert {result["level"] for result in log["runs"][0]["results"]} == {"warning"}
    done = shop.run("lint", "shop.yaml", "--format", "github")
    assert done.code == 0
    assert all(row.startswith("::warning title=TC") for row in done.out.rstrip().split("\n"))


def test_github_has_the_rest_in_the_summary_of_the_job(
    shop: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shop.folder / "summary.md"))
    shop.run("lint", "shop.yaml", "--format", "github")
    rows = (shop.folder / "summary.md").read_text("utf-8").split("\n")
    assert rows[2] == "Found 9 warnings."
    assert len([row for row in rows if row.startswith("| warning | TC")]) == 9


def test_a_description_that_cannot_be_read_is_2(shop: Workspace) -> None:
    (shop.folder / "broken.yaml").write_text("openapi: 9.9.9\npaths: {}\n", "utf-8")
    done = shop.run("lint", "broken.yaml")
    assert done.code == 2
    assert "TC724" in done.out


def test_charters_and_descriptions_are_not_mixed(shop: Workspace) -> None:
    done = shop.run("lint", "shop.yaml", "specs/library/charter.yaml")
    assert done.code == 2
    assert "not both at once" in done.err
    assert shop.run("lint", "specs/library/charter.yaml").code == 0


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("openapi: 3.1.0\n", True),
        ("# a comment\nswagger: '2.0'\n", True),
        ('"openapi": "3.0.0"\n', True),
        ('{"info":{"title":"x"},"openapi":"3.0.0"}', True),
        ('{ "swagger" : "2.0" }', True),
        ("charter: 1\nspec: openapi.yaml\n", False),
        ("charter: 1\nopenapi: 3.1.0\n", False),
        ('{"charter": 1, "openapi": "3.1.0"}', False),
        ("tools: {openapi: x}\n", False),
        ("", False),
    ],
)
def test_a_description_is_told_from_a_charter(tmp_path: Path, text: str, is_one: bool) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text, "utf-8")
    assert is_description(path) is is_one
    assert not is_description(tmp_path / "gone.yaml")


@pytest.mark.parametrize("form", ["text", "concise", "json", "github", "sarif", "gitlab"])
def test_hostile_names_stay_text(workspace: Workspace, form: str) -> None:
    odd = "a\u202e\x1b[31m\n::error::x|%0A`<b>\U000e0041"
    description = {
        "openapi": "3.1.0",
        "info": {"title": odd, "version": "1"},
        "paths": {
            f"/{odd}": {
                "post": {
                    "operationId": odd,
                    "tags": [odd, "b"],
                    "requestBody": {
                        "required": True,
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "required": [odd],
                                    "properties": {odd: {"type": "number"}},
                                }
                            }
                        },
                    },
                    "responses": {"200": {"description": odd}},
                }
            }
        },
    }
    (workspace.folder / "odd.json").write_text(json.dumps(description), "utf-8")
    done = workspace.run("lint", "odd.json", "--format", form)
    assert done.code == 0
    assert hidden_characters(done.out) == ()
    if form == "github":
        assert [row[:17] for row in done.out.rstrip().split("\n")] == ["::warning title=T"]
    if form in ("json", "sarif", "gitlab"):
        json.loads(done.out)


def assessed(folder: Path, schemas: dict[str, Any]) -> OperationReadiness:
    """Judge an operation whose body is the first of some components."""
    reference = {"$ref": f"#/components/schemas/{next(iter(schemas))}"}
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": reference}}},
        "responses": {"204": {"description": "x"}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "components": {"schemas": schemas},
        "paths": {"/a": {"post": operation}},
    }
    (folder / "api.json").write_text(json.dumps(document), "utf-8")
    description = load_description(folder / "api.json").value
    assert description is not None
    return assess(description).operations[0]


def test_what_is_required_through_recursion_and_references_ends(tmp_path: Path) -> None:
    chain = {
        f"S{n}": {
            "type": "object",
            "required": ["a", "b"],
            "properties": {
                "a": {"$ref": f"#/components/schemas/S{n + 1}"},
                "b": {"type": "array", "items": {"$ref": f"#/components/schemas/S{n}"}},
            },
        }
        for n in range(12)
    }
    chain["S12"] = {"type": "string"}
    operation = assessed(tmp_path, chain)
    assert operation.status == "ready"
    assert {word.code for word in operation.words if word.kind == "optional"} == {"TC114"}


def test_a_union_that_is_itself_or_null_ends(tmp_path: Path) -> None:
    itself = {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]}
    assert assessed(tmp_path, {"A": itself}).codes == {"TC104"}


def test_parts_that_are_named_twice_are_read_once(tmp_path: Path) -> None:
    twice = {
        f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}, {"$ref": f"#/components/schemas/S{n + 1}"}]}
        for n in range(60)
    }  # fmt: skip
    twice["S60"] = {"type": "object", "properties": {"a": {"type": "boolean"}}}
    assert assessed(tmp_path, twice).status == "ready"
