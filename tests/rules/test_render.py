"""Findings in six formats; whatever a description says stays data in each of them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter.cli._formats import FORMATS
from toolcharter.cli._github import summary_table
from toolcharter.cli.render import Look, has_failed, print_findings, render, summarize
from toolcharter.diagnostics import Diagnostic, Origin, Related
from toolcharter.rules import Silenced
from toolcharter.wording import hidden_characters

LINES = {"specs/a/charter.yaml": ["charter: 1", "tools:", "\trefund: {effect: write}"]}
WRITE = Diagnostic(
    code="TC501",
    severity="error",
    message="refund is a write without an approval policy",
    origin=Origin("specs/a/charter.yaml", 3, 2, "/tools/refund"),
    hint="Name a policy, or rows.",
    tool="refund",
)
VERB = Diagnostic(
    code="TC504",
    severity="warning",
    message="50% sure,\nperhaps",
    origin=Origin("specs/a/charter.yaml", 1, 1, ""),
)


def lines(file: str) -> Any:
    return LINES.get(file)


def shown(*found: Diagnostic, form: Any = "text", look: Look | None = None) -> str:
    return render(found, form, look=look, lines=lines)


def test_text_has_a_frame_a_hint_and_a_summary() -> None:
    assert shown(WRITE, VERB).split("\n") == [
        "specs/a/charter.yaml:3:2: TC501 refund is a write without an approval policy",
        "    |",
        "  3 |     refund: {effect: write}",
        "    |     ^",
        "  hint: Name a policy, or rows.",
        "",
        "specs/a/charter.yaml:1:1: TC504 warning: 50% sure,\\nperhaps",
        "    |",
        "  1 | charter: 1",
        "    | ^",
        "",
        "Found 1 error and 1 warning (1 with a hint).",
    ]


def test_concise_is_one_line_each() -> None:
    assert shown(VERB, WRITE, form="concise").split("\n") == [
        "specs/a/charter.yaml:3:2: TC501 refund is a write without an approval policy",
        "specs/a/charter.yaml:1:1: TC504 warning: 50% sure,\\nperhaps",
        "Found 1 error and 1 warning (1 with a hint).",
    ]


def test_nothing_found_prints_nothing() -> None:
    assert [shown(form=form) for form in ("text", "concise", "github")] == ["", "", ""]
    assert json.loads(shown(form="json")) == {
        "diagnostics": [],
        "silenced": [],
        "summary": {"errors": 0, "warnings": 0, "with_hint": 0, "silenced": 0},
    }
    assert json.loads(shown(form="gitlab")) == []
    assert summarize([WRITE, WRITE]) == "Found 2 errors."


def test_order_does_not_depend_on_the_input_and_equal_findings_are_one() -> None:
    assert shown(WRITE, VERB, WRITE) == shown(VERB, WRITE)


def test_a_long_line_is_cut_around_the_caret() -> None:
    line = "x" * 300 + "HERE" + "y" * 300
    found = Diagnostic(code="TC714", severity="error", message="m", origin=Origin("f.json", 1, 301))
    rows = render([found], lines=lambda _: [line], look=Look(width=60)).split("\n")
    assert all(len(row) <= 62 for row in rows)
    caret = rows[3].index("^")
    assert rows[2][caret : caret + 4] == "HERE"
    assert rows[2].startswith("  1 | …")
    assert rows[2].endswith("…")


def test_a_wide_character_takes_two_cells() -> None:
    found = Diagnostic(code="TC714", severity="error", message="m", origin=Origin("f", 1, 4))
    assert render([found], lines=lambda _: ["顧客: x"]).split("\n")[1:4] == [
        "    |",
        "  1 | 顧客: x",
        "    |      ^",
    ]


@pytest.mark.parametrize(
    "origin", [Origin("gone.yaml", 1, 1), Origin("specs/a/charter.yaml", 99, 1)]
)
def test_a_line_that_is_not_there_has_no_frame(origin: Origin) -> None:
    found = Diagnostic(code="TC710", severity="error", message="m", origin=origin)
    assert shown(found).split("\n")[0] == f"{origin}: TC710 m"
    assert "|" not in shown(found)


def test_a_terminal_wraps_hints_and_a_pipe_does_not() -> None:
    found = Diagnostic(
        code="TC540",
        severity="error",
        message="m",
        origin=Origin("g", 1, 1),
        hint="word " * 30 + "end",
    )
    assert len(shown(found).split("\n")) == 4
    wrapped = shown(found, look=Look(width=60)).split("\n")
    assert len(wrapped) > 5
    assert all(len(row) <= 60 for row in wrapped)


def test_json_has_every_fact() -> None:
    assert json.loads(shown(WRITE, form="json")) == {
        "diagnostics": [
            {
                "code": "TC501",
                "name": "write-without-approval",
                "severity": "error",
                "message": "refund is a write without an approval policy",
                "hint": "Name a policy, or rows.",
                "tool": "refund",
                "file": "specs/a/charter.yaml",
                "line": 3,
                "column": 2,
                "pointer": "/tools/refund",
                "related": [],
            }
        ],
        "silenced": [],
        "summary": {"errors": 1, "warnings": 0, "with_hint": 1, "silenced": 0},
    }


def test_github_escapes_what_the_command_syntax_uses_and_puts_errors_first() -> None:
    odd = Diagnostic(
        code="TC504",
        severity="warning",
        message="50%\nsure",
        origin=Origin("a,b:c.yaml", 1, 1),
        hint="do",
    )
    assert shown(odd, WRITE, form="github").split("\n") == [
        (
            "::error title=TC501 write-without-approval,file=specs/a/charter.yaml,line=3,col=2"
            "::refund is a write without an approval policy%0A  hint: Name a policy, or rows."
        ),
        "::warning title=TC504 verb-contradicts-effect,file=a%2Cb%3Ac.yaml,line=1,col=1::50%25\\nsure%0A  hint: do",
    ]


def test_sarif_names_rules_places_and_fingerprints() -> None:
    odd = Diagnostic(
        code="TC501", severity="error", message="m", origin=Origin("spec s/ü.yaml", 1, 1)
    )
    log = json.loads(shown(WRITE, VERB, odd, form="sarif"))
    (run,) = log["runs"]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["TC501", "TC504"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert len(result["partialFingerprints"]["toolcharter/v1"]) == 64
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error"]
    last = run["results"][-1]
    assert last["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "specs/a/charter.yaml", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 3, "startColumn": 2},
    }
    uris = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]
    ]
    assert "spec%20s/%C3%BC.yaml" in uris
    assert {rule["help"]["markdown"].split("\n")[0] for rule in run["tool"]["driver"]["rules"]} == {
        "# TC501 write-without-approval",
        "# TC504 verb-contradicts-effect",
    }


def test_sarif_of_a_file_outside_is_a_whole_address() -> None:
    found = Diagnostic(
        code="TC501", severity="error", message="m", origin=Origin("/srv/a b.yaml", 1, 1)
    )
    (result,) = json.loads(shown(found, form="sarif"))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "file:///srv/a%20b.yaml"
    }


@pytest.mark.parametrize("form", FORMATS)
@given(st.text(min_size=1, max_size=40), st.integers(1, 50))
def test_no_format_prints_an_unseen_character(form: Any, text: str, column: int) -> None:
    """Hostile text, in a message, a hint, a file's name and the line itself, is escaped in every format (P17's like)."""
    found = Diagnostic(
        code="TC604",
        severity="error",
        message=text,
        origin=Origin(text, 1, column, text),
        hint=text,
        tool=text,
    )
    printed = render([found], form, lines=lambda _: [text, text])
    assert hidden_characters(printed) == ()
    if form in ("concise", "github"):
        assert len(printed.split("\n")) == (2 if form == "concise" else 1)


TWIN = Diagnostic(
    code="TC606",
    severity="error",
    message="two names",
    origin=Origin("a.yaml", 2, 3, "/tools/b"),
    hint="do",
    related=(Related("the other", Origin("b.yaml", 4, 5, "/tools/c")),),
)


def test_a_second_place_is_named_in_each_format_that_has_room() -> None:
    assert "  note: the other: b.yaml:4:5" in shown(TWIN).split("\n")
    assert "two names%0A  note: the other: b.yaml:4:5%0A  hint: do" in shown(TWIN, form="github")
    (row,) = json.loads(shown(TWIN, form="json"))["diagnostics"]
    assert row["related"] == [
        {"text": "the other", "file": "b.yaml", "line": 4, "column": 5, "pointer": "/tools/c"}
    ]
    (result,) = json.loads(shown(TWIN, form="sarif"))["runs"][0]["results"]
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "b.yaml"
    assert related["message"] == {"text": "the other"}


def test_gitlab_has_stable_fingerprints_that_are_all_different() -> None:
    moved = replace(WRITE, origin=replace(WRITE.origin, line=9))
    report = json.loads(shown(WRITE, moved, VERB, form="gitlab"))
    assert [(e["check_name"], e["severity"], e["location"]["lines"]) for e in report] == [
        ("TC504", "minor", {"begin": 1}),
        ("TC501", "major", {"begin": 3}),
        ("TC501", "major", {"begin": 9}),
    ]
    assert len({entry["fingerprint"] for entry in report}) == 3
    (alone,) = json.loads(shown(moved, form="gitlab"))
    assert alone["fingerprint"] == report[1]["fingerprint"]
    assert alone["location"]["path"] == "specs/a/charter.yaml"
    assert alone["description"] == (
        "refund is a write without an approval policy. Hint: Name a policy, or rows."
    )


@pytest.mark.parametrize(
    ("message", "hint", "told"),
    [
        ("m", "Do it.", "m. Hint: Do it."),
        ("m.", "Do it.", "m. Hint: Do it."),
        ("What?", "Do it.", "What? Hint: Do it."),
        ("cut…", "Do it.", "cut… Hint: Do it."),
        ("m.", "", "m."),
    ],
)
def test_a_hint_follows_a_sentence(message: str, hint: str, told: str) -> None:
    found = replace(WRITE, message=message, hint=hint)
    (result,) = json.loads(shown(found, form="sarif"))["runs"][0]["results"]
    (entry,) = json.loads(shown(found, form="gitlab"))
    assert result["message"]["text"] == entry["description"] == told


def test_sarif_is_what_its_schema_says() -> None:
    """The schema is our own reading of SARIF 2.1.0, closed over the parts that are written here."""
    schema = json.loads(Path(__file__).with_name("sarif-2.1.0.json").read_text("utf-8"))
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    silenced = (Silenced(VERB, "It is so"),)
    texts = [shown(form="sarif"), shown(WRITE, VERB, TWIN, form="sarif")]
    texts.append(render([WRITE], "sarif", silenced=silenced))
    texts.append(
        shown(
            Diagnostic(code="TC999", severity="error", message="m", origin=Origin("/a b", 0, 0)),
            form="sarif",
        )
    )
    for text in texts:
        assert [error.message for error in validator.iter_errors(json.loads(text))] == []
    broken = json.loads(texts[1])
    del broken["runs"][0]["results"][0]["message"]
    assert not validator.is_valid(broken)


def test_what_is_silenced_is_suppressed_with_its_reason() -> None:
    silenced = (Silenced(VERB, "Opening it marks it as read"),)
    (run,) = json.loads(render([WRITE], "sarif", silenced=silenced))["runs"]
    assert [result["suppressions"] for result in run["results"]] == [
        [],
        [{"kind": "inSource", "justification": "Opening it marks it as read"}],
    ]
    told = json.loads(render([WRITE], "json", silenced=silenced))
    assert [(row["code"], row["because"]) for row in told["silenced"]] == [
        ("TC504", "Opening it marks it as read")
    ]
    assert told["summary"]["silenced"] == 1
    assert render([WRITE], "concise", silenced=silenced).endswith("Found 1 error (1 silenced).")


def test_github_writes_a_table_into_the_summary_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    print_findings([VERB, WRITE], "github")
    assert path.read_text("utf-8").split("\n") == [
        "before",
        "### toolcharter",
        "",
        "Found 1 error and 1 warning \\(1 with a hint\\).",
        "",
        "| | code | place | finding |",
        "|---|---|---|---|",
        "| error | TC501 | specs/a/charter.yaml:3:2 | refund is a write without an approval policy |",
        "| warning | TC504 | specs/a/charter.yaml:1:1 | 50% sure,\\\\nperhaps |",
        "",
        "",
    ]
    before = path.read_bytes()
    print_findings([], "github")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "gone" / "x"))
    print_findings([WRITE], "github")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    print_findings([WRITE], "github")
    assert path.read_bytes() == before
    assert not (tmp_path / "gone").exists()


def test_a_summary_keeps_hostile_text_in_its_cell() -> None:
    odd = replace(WRITE, message="a | <img src=x> [x](y) `z` ::error::\x1b[31m\u202e\n| b")
    table = summary_table([odd] * 501, "last")
    row = table.split("\n")[6]
    assert row.count(" | ") == 3
    assert row.endswith(
        "| a \\| &lt;img src=x&gt; \\[x\\]\\(y\\) \\`z\\` ::error::\\\\u001b\\[31m\\\\u202e\\\\n\\| b |"
    )
    assert table.rstrip().endswith("and 1 more.")


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [
        ("\t\tkey: x", 3, "key"),
        ("a\u0301e\u0301: x", 5, ": x"),
        ("顧" * 200 + "HERE" + "客" * 200, 201, "HERE"),
        ("\u202e" * 60 + "HERE", 61, "HERE"),
        ('{"a":' * 100_000 + "HERE" + "}" * 100_000, 500_001, "HERE"),
        ("x" * 94 + "HERE" + "y" * 20, 95, "HERE"),
        ("HERE" + "客" * 200, 1, "HERE"),
    ],
)
def test_the_caret_stands_below_its_character_and_the_row_fits(
    line: str, column: int, marked: str
) -> None:
    found = replace(WRITE, origin=Origin("f", 1, column))
    rows = render([found], lines=lambda _: [line], look=Look(width=100)).split("\n")
    shown_line, caret_line = rows[2], rows[3]
    cells = [cells_of(character) for character in shown_line]
    assert sum(cells) <= 100
    at = caret_line.index("^")
    reached = next(
        i
        for i in range(len(cells) + 1)
        if sum(cells[:i]) >= at and shown_line[i:].startswith(marked)
    )
    assert sum(cells[:reached]) == at


def cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def test_strict_lets_warnings_fail() -> None:
    assert [
        has_failed([VERB]),
        has_failed([VERB], strict=True),
        has_failed([WRITE]),
        has_failed([], strict=True),
    ] == [
        False,
        True,
        True,
        False,
    ]


def on_terminal(folder: Path, **environment: str) -> str:
    """Run lint with a terminal as its output and return what it prints."""
    (folder / "charter.yaml").write_text("charter: [\n", "utf-8")
    main, child = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "toolcharter", "lint", "charter.yaml"],
        cwd=folder,
        stdout=child,
        stderr=subprocess.DEVNULL,
        env={
            **{k: v for k, v in os.environ.items() if k != "NO_COLOR"},
            "TERM": "xterm",
            **environment,
        },
    )
    os.close(child)
    printed = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        printed += part
    done.wait()
    os.close(main)
    return printed.decode()


def test_a_terminal_has_color_unless_no_color_is_set(tmp_path: Path) -> None:
    assert "\x1b[" in on_terminal(tmp_path)
    assert "\x1b[" not in on_terminal(tmp_path, NO_COLOR="1")
