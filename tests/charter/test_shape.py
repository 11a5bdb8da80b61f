"""A charter's shape: what is refused, with its code, its place and a way to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolcharter.charter import Charter, load_charter
from toolcharter.diagnostics import Staged

GOOD = """\
charter: 1
package: shop_tools
spec: openapi.yaml
policies:
  lead: {approvers: leads, quorum: 1, expires_in: 30m}
tools:
  get_order:
    operation: getOrder
    effect: read
    input: {order}
    view: {order: /id, state: {at: /state, open_enum: true}}
  cancel_order:
    operation: cancelOrder
    version: 2
    still_callable: {1: 2027-03-01}
    effect: write
    summary: "Cancel order {order}"
    input:
      order:
      reason: {to: /reason, maxLength: 40}
    approval: lead
    target: {type: order, id: "{order}", read: get_order, version: [state, order]}
    changes: {state: {before: state, after: cancelled}}
    idempotency: {by: key, window: forever}
    unknown: operator
    evidence: {operation_id: {none: no body}, order: order, proof: {$after.state: cancelled}}
    compensation: {none: an order is placed again}
    timeout: {read: 500ms}
"""


def load(folder: Path, text: str) -> Staged[Charter]:
    path = folder / "charter.yaml"
    path.write_text(text, encoding="utf-8")
    return load_charter(path, root=folder)


def charter_of(folder: Path, text: str) -> Charter:
    loaded = load(folder, text)
    assert loaded.diagnostics == ()
    assert loaded.value is not None
    return loaded.value


def test_short_forms_become_full_ones(tmp_path: Path) -> None:
    charter = charter_of(tmp_path, GOOD)
    tool = charter.tools["cancel_order"]
    assert tool.approval is not None
    assert [(row.policy, row.when) for row in tool.approval] == [("lead", None)]
    assert tool.target is not None
    assert tool.target.version is not None
    assert tool.target.version.fields == ("state", "order")
    assert tool.unknown is not None
    assert tool.unknown.operator is True
    assert tool.input["order"].model_fields_set == set()
    assert tool.input["reason"].to == "/reason"
    assert tool.input["reason"].schema_keywords() == {"maxLength": 40}
    assert charter.tools["get_order"].view["order"].at == "/id"
    assert tool.evidence is not None
    assert {name: fact.name for name, fact in tool.evidence.facts().items()} == {"order": "order"}
    assert tool.evidence.operation_id is not None
    assert tool.evidence.operation_id.none == "no body"


def test_durations_are_seconds(tmp_path: Path) -> None:
    charter = charter_of(tmp_path, GOOD)
    tool = charter.tools["cancel_order"]
    assert charter.policies["lead"].expires_in == 1800
    assert tool.idempotency is not None
    assert tool.idempotency.window == float("inf")
    assert tool.timeout is not None
    assert tool.timeout.read == 0.5
    assert [str(day) for day in tool.still_callable.values()] == ["2027-03-01"]


def test_origin_is_the_place_or_its_nearest_parent(tmp_path: Path) -> None:
    charter = charter_of(tmp_path, GOOD)
    at = charter.origin("/tools/cancel_order/input/reason")
    assert (at.file, at.line, at.column) == ("charter.yaml", 20, 7)
    assert charter.origin("/tools/cancel_order/input/reason/nothing/here").line == 20


REFUSALS = [
    (
        "unknown key",
        "    effect: read\n",
        "    efect: read\n",
        "TC730",
        (9, 5),
        "did you mean `effect`?",
    ),
    (
        "unknown key deep",
        "open_enum: true",
        "open_enums: true",
        "TC730",
        (11, 44),
        "did you mean `open_enum`?",
    ),
    ("wrong type", "version: 2", 'version: "2"', "TC731", (14, 5), ""),
    ("boolean as text", "open_enum: true", 'open_enum: "true"', "TC731", (11, 44), ""),
    ("bad duration", "expires_in: 30m", "expires_in: 30", "TC731", (5, 39), ""),
    ("endless duration", "expires_in: 30m", "expires_in: 99999999d", "TC731", (5, 39), ""),
    ("bad choice", "by: key", "by: luck", "TC731", (24, 19), ""),
    ("date of the wrong form", "2027-03-01", "20270301", "TC731", (15, 22), ""),
    ("missing key", "    operation: getOrder\n", "", "TC732", (7, 3), ""),
    (
        "another format",
        "charter: 1\n",
        "charter: 2\n",
        "TC733",
        (1, 1),
        "this version reads `charter: 1`",
    ),
    ("undecided", "effect: write", "effect: DECIDE", "TC804", (16, 5), "replace DECIDE"),
    ("undecided text", "approval: lead", "approval: DECIDE", "TC804", (21, 5), "replace DECIDE"),
    ("tool twice", "  cancel_order:\n", "  get_order:\n", "TC704", (12, 3), ""),
    (
        "prose with a comma",
        "none: no body",
        "none: no body, no id",
        "TC730",
        (26, 46),
        "quote the text",
    ),
    ("bad template", '"Cancel order {order}"', '"Cancel order {order"', "TC734", (17, 5), ""),
    (
        "root that has no value there",
        '"Cancel order {order}"',
        '"Cancel {$key}"',
        "TC734",
        (17, 5),
        "",
    ),
    ("bad place", "to: /reason", "to: reason", "TC735", (20, 16), ""),
    (
        "bad condition",
        "{$after.state: cancelled}",
        "{$after.state: {equals: x}}",
        "TC736",
        (26, 61),
        "",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "hint"),
    [case[1:] for case in REFUSALS],
    ids=[case[0] for case in REFUSALS],
)
def test_refusal_has_code_place_and_hint(
    tmp_path: Path, old: str, new: str, code: str, place: tuple[int, int], hint: str
) -> None:
    assert GOOD.count(old) == 1
    found = load(tmp_path, GOOD.replace(old, new)).diagnostics
    assert [finding.code for finding in found] == [code]
    assert (found[0].origin.line, found[0].origin.column) == place
    assert found[0].hint.startswith(hint)


def test_all_errors_of_a_file_are_reported_together(tmp_path: Path) -> None:
    text = (
        GOOD.replace("by: key", "by: luck")
        .replace("quorum: 1", "quorum: DECIDE")
        .replace("/state", "/state, x y")
    )
    assert sorted(finding.code for finding in load(tmp_path, text).diagnostics) == [
        "TC730",
        "TC731",
        "TC804",
    ]


def test_findings_hold_no_value(tmp_path: Path) -> None:
    """R4: a finding names keys of the format, never what somebody wrote as a value."""
    loaded = load(
        tmp_path,
        GOOD.replace("window: forever", "window: s3cr3t").replace("quorum: 1", "quorum: s3cr3t"),
    )
    assert [finding.code for finding in loaded.diagnostics] == ["TC731", "TC731"]
    assert "s3cr3t" not in str(loaded.diagnostics)


def test_undecided_charter_of_the_right_shape_is_handed_on(tmp_path: Path) -> None:
    loaded = load(tmp_path, GOOD.replace("approval: lead", "approval: DECIDE"))
    assert loaded.value is not None
    assert not loaded.is_clean
