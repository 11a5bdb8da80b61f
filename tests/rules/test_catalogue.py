"""Every rule that was planned is accounted for: kept, found by another code, or dropped with a reason."""

from __future__ import annotations

from toolcharter.rules import find_rule
from toolcharter.rules.catalogue import CATALOGUE

_TEXT = """
TC101 TC102 TC103 TC104 TC105 TC106 TC107 TC108 TC109 TC110 TC111 TC112 TC113 TC114 TC115 TC116
TC117 TC118 TC201 TC202 TC203 TC204 TC205 TC206 TC207 TC208 TC209 TC210 TC211 TC212 TC213 TC214
TC215 TC216 TC217 TC218 TC219 TC301 TC302 TC303 TC304 TC305 TC306 TC401 TC402 TC403 TC404 TC405
TC406 TC407 TC408 TC409 TC410 TC411 TC501 TC502 TC503 TC504 TC505 TC506 TC507 TC508 TC509 TC510
TC511 TC512 TC513 TC514 TC515 TC601 TC602 TC603 TC604 TC605 TC606 TC607 TC608 TC609 TC610 TC701
TC702 TC703 TC704 TC705 TC706 TC707 TC708 TC709 TC801 TC802 TC803
"""
PLANNED = _TEXT.split()
KEPT_IN_MEANING = {
    # The plan's severity where ours is another, each with its reason in the catalogue's row.
    "TC214": "warning",
    "TC218": "warning",
    "TC302": "warning",
    "TC510": "warning",
    "TC511": "warning",
    "TC601": "warning",
}


def test_the_list_is_whole_and_in_order() -> None:
    assert [row.code for row in CATALOGUE] == PLANNED
    assert sorted(set(PLANNED)) == PLANNED


def test_each_row_names_a_rule_that_is_there_or_says_why_none_is() -> None:
    for row in CATALOGUE:
        assert row.why, row
        if row.now:
            assert find_rule(row.now) is not None, row
        else:
            assert len(row.why) > len("as planned"), row


def test_what_is_merged_or_dropped_says_more_than_that_it_is_so() -> None:
    vague = [row.code for row in CATALOGUE if row.fate != "kept" and row.why == "as planned"]
    assert vague == []
    fates = [row.fate for row in CATALOGUE]
    assert {fate: fates.count(fate) for fate in ("kept", "merged", "dropped")} == {
        "kept": 69,
        "merged": 8,
        "dropped": 14,
    }


def test_a_dropped_number_is_not_used_for_something_else_without_a_word() -> None:
    for row in CATALOGUE:
        if row.fate != "kept" and find_rule(row.code) is not None:
            assert row.code in {"TC606", "TC607", "TC608"}, row


def test_severities_that_differ_from_the_plan_are_explained() -> None:
    for code, severity in KEPT_IN_MEANING.items():
        rule = find_rule(code)
        assert rule is not None
        assert rule.severity == severity
        (row,) = [row for row in CATALOGUE if row.code == code]
        assert "a warning" in row.why
