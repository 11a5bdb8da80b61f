"""The harness prints zeros on descriptions of ours, and does not where a contract is spoilt: the check can fail."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fidelity import judging
from benchmarks.fidelity.__main__ import main
from benchmarks.fidelity.folder import find_descriptions
from benchmarks.fidelity.judging import Tally, judge_description
from benchmarks.fidelity.running import WRONG, line
from toolcharter.diagnostics import Staged
from toolcharter.resolve import ResolvedApi, resolve_api
from toolcharter_runtime.frozen import Contract

FOLDER = Path(__file__).with_name("described")
ROOT = FOLDER.parents[2]
Spoil = Callable[[Any], None]


def judged(tmp_path: Path, name: str, operation: str | None = None) -> Tally:
    (one,) = (one for one in find_descriptions(FOLDER, tmp_path) if one.name == name)
    return judge_description(one, operation, most=800)


@pytest.mark.parametrize(
    ("name", "operations", "contracts", "needs"),
    [("desk.swagger2.json", 2, 2, 1), ("shop-3.1.yaml", 5, 4, 0)],
)
def test_zeros(tmp_path: Path, name: str, operations: int, contracts: int, needs: int) -> None:
    tally = judged(tmp_path, name)
    assert {word: tally.counts[word] for word in WRONG} == dict.fromkeys(WRONG, 0), tally.examples
    assert tally.counts["operations"] == operations
    assert tally.counts["contracts"] == contracts == tally.counts["decoded"]
    assert tally.counts["needs charter"] == needs
    assert tally.counts["values"] > 40 * contracts
    assert tally.counts["accepted"] > 8 * contracts


def test_what_needs_a_word_is_named(tmp_path: Path) -> None:
    assert judged(tmp_path, "desk.swagger2.json").needs == [
        "desk.swagger2.json POST /tickets: body/open (no type)"
    ]


def each(schema: Any, spoil: Spoil) -> Any:
    """Return a copy of a schema in which every object was spoilt."""
    made = copy.deepcopy(schema)
    waiting = [made]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            spoil(one)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return made


def without(*words: str) -> Spoil:
    def spoil(schema: Any) -> None:
        """Drop keywords, but not a property that is named like one."""
        for word in words:
            if word == "dependentRequired" or not isinstance(schema.get(word), dict):
                schema.pop(word, None)

    return spoil


def one_branch(schema: Any) -> None:
    for word in ("oneOf", "anyOf"):
        if isinstance(schema.get(word), list):
            schema[word] = schema[word][:1]


def no_property(schema: Any) -> None:
    if isinstance(schema.get("properties"), dict):
        schema["properties"].pop("parts", None)


@pytest.mark.parametrize(
    ("spoil", "counted"),
    [
        (without("maximum"), "false accepts"),
        (without("pattern"), "false accepts"),
        (without("required"), "false accepts"),
        (without("multipleOf"), "false accepts"),
        (without("format"), "false accepts"),
        (without("maxItems"), "false accepts"),
        (without("dependentRequired"), "false accepts"),
        (one_branch, "false refusals"),
        (no_property, "false refusals"),
    ],
)
def test_a_spoilt_schema_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Spoil, counted: str
) -> None:
    def spoilt(contract: Contract) -> Contract:
        return contract.model_copy(update={"arguments": each(contract.arguments, spoil)})

    monkeypatch.setattr(judging, "resolve_api", resolving(spoilt))
    assert judged(tmp_path, "shop-3.1.yaml", "replaceOrder").counts[counted] > 0


def test_a_request_that_is_written_otherwise_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(contract: Contract) -> Contract:
        assert contract.request.body is not None
        body = contract.request.body.model_copy(update={"encodings": {}})
        return contract.model_copy(
            update={"request": contract.request.model_copy(update={"body": body})}
        )

    monkeypatch.setattr(judging, "resolve_api", resolving(spoilt))
    assert judged(tmp_path, "shop-3.1.yaml", "addNote").counts["decode differs"] > 0


def resolving(spoilt: Callable[[Contract], Contract]) -> Callable[..., Staged[ResolvedApi]]:
    def resolve(*given: Any) -> Staged[ResolvedApi]:
        staged = resolve_api(*given)
        if staged.value is None:
            return staged
        tools = tuple(replace(t, contract=spoilt(t.contract)) for t in staged.value.tools)
        return replace(staged, value=replace(staged.value, tools=tools))

    return resolve


def test_a_crash_is_counted_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(judging, "resolve_api", broken)
    tally = judged(tmp_path, "desk.swagger2.json")
    assert tally.counts["crashes"] == 2
    assert tally.examples["crash"][0].startswith(
        "desk.swagger2.json GET /tickets: KeyError 'x' at "
    )


def test_a_refusal_that_no_rule_explains_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "resolve_api", lambda *_: Staged(None))
    tally = judged(tmp_path, "shop-3.1.yaml", "addNote")
    assert tally.counts["refused without a rule"] == 1
    assert tally.examples["refused without a rule"] == ["shop-3.1.yaml POST /notes"]


def test_the_last_line(tmp_path: Path) -> None:
    said = line(judged(tmp_path, "desk.swagger2.json"))
    assert said.startswith(
        "1 descriptions, 2 operations, 2 contracts (100.0 % of the 1 that need no charter's word; 1 need one), "
        "refused 0 (none), crashes 0, values "
    )
    assert "false accepts 0, false refusals 0" in said


def test_a_folder_without_descriptions_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ([str(tmp_path)], [str(FOLDER), "--only", "nothing"]):
        monkeypatch.setattr(sys, "argv", ["fidelity", *words])
        assert main() == 2
        assert capsys.readouterr().err.startswith("no description there: ")


def test_the_bytes_do_not_depend_on_the_hash_seed() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.fidelity", str(FOLDER), "--seeds", "--workers", "1"],
        cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stdout == "the emitted bytes under hash seeds 1 and 2: the same\n", run.stderr
    assert run.returncode == 0
