"""Findings in five formats; whatever a description says stays data in each of them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter.cli.render import Look, has_failed, render, summarize
from toolcharter.diagnostics import Diagnostic, Origin
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
        "specs/a/charter.yaml:1:1: TC504 warning: 50% sure,\\nperhaps",
        "    |",
        "  1 | charter: 1",
        "    | ^",
        "",
        "specs/a/charter.yaml:3:2: TC501 refund is a write without an approval policy",
        "    |",
        "  3 |     refund: {effect: write}",
        "    |     ^",
        "  hint: Name a policy, or rows.",
        "",
        "Found 1 error and 1 warning.",
    ]


def test_concise_is_one_line_each() -> None:
    assert shown(VERB, WRITE, form="concise").split("\n") == [
        "specs/a/charter.yaml:1:1: TC504 warning: 50% sure,\\nperhaps",
        "specs/a/charter.yaml:3:2: TC501 refund is a write without an approval policy",
        "Found 1 error and 1 warning.",
    ]


def test_nothing_found_prints_nothing() -> None:
    assert [shown(form=form) for form in ("text", "concise", "github")] == ["", "", ""]
    assert json.loads(shown(form="json")) == {
        "diagnostics": [],
        "summary": {"errors": 0, "warnings": 0},
    }
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
            }
        ],
        "summary": {"errors": 1, "warnings": 0},
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


@pytest.mark.parametrize("form", ["text", "concise", "json", "github", "sarif"])
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
