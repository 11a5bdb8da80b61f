"""`toolcharter explain`."""

from __future__ import annotations

import json

from click.testing import CliRunner

from toolcharter.cli.explain import explain
from toolcharter.rules import RULES


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(explain, list(arguments))
    return done.exit_code, done.output


def test_a_code_is_explained_in_its_parts() -> None:
    code, text = run("TC501")
    assert code == 0
    assert text.startswith(
        "TC501 write-without-approval (error)\n\nFinds writes that name no approval.\n\nWhy: "
    )
    assert "\n\nTo mend it: Name a policy" in text
    assert text.endswith(
        "Good:\n\n    refund:\n      effect: write\n      approval: support_lead\n"
    )


def test_case_does_not_matter_and_a_name_will_do() -> None:
    assert run("tc501") == run("TC501") == run("write-without-approval")


def test_several_codes_and_markdown() -> None:
    code, text = run("TC501", "TC722", "--format", "markdown")
    assert code == 0
    assert [line for line in text.split("\n") if line.startswith("# ")] == [
        "# TC501 write-without-approval",
        "# TC722 ref-leaves-folder",
    ]


def test_all_as_json_is_the_registry() -> None:
    code, text = run("--all", "--format", "json")
    rows = json.loads(text)
    assert code == 0
    assert [row["code"] for row in rows] == [rule.code for rule in RULES]
    assert set(rows[0]) == {
        "code",
        "name",
        "severity",
        "silenceable",
        "what",
        "why",
        "hint",
        "bad",
        "good",
    }


def test_an_unknown_code_names_the_nearest_and_is_a_usage_error() -> None:
    assert run("TC999") == (
        2,
        "Error: TC999 is not a code. `toolcharter explain --all` lists them.\n",
    )
    assert run("TC8044") == (2, "Error: TC8044 is not a code. Did you mean TC804?\n")
    assert run("write-without-aproval") == (
        2,
        "Error: write-without-aproval is not a code. Did you mean write-without-approval?\n",
    )
    code, text = run("\u202exyz")
    assert code == 2
    assert "\\u202exyz is not a code" in text


def test_nothing_to_explain_is_a_usage_error() -> None:
    assert run()[0] == 2
    assert run("--all", "TC501")[0] == 2
