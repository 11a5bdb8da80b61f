"""The policy table, who may decide, what is signed, and when an approval stands (P8, P10, P19, PL1, PL2, PL5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.store.build import START, decision, proposal, settlement
from toolcharter_runtime.approvals import Standing, may_decide, outcome_counts, standing
from toolcharter_runtime.approvers import ApproversError, ApproversFile, Person
from toolcharter_runtime.frozen import ApprovalRow, Policy
from toolcharter_runtime.language import Scope
from toolcharter_runtime.policy import Verdict, policies_of, rule, self_decision
from toolcharter_runtime.records import (
    CommitRows,
    DecisionRow,
    ExecutionRow,
    Proposal,
    ProposalRow,
    seal,
)
from toolcharter_runtime.signing import DeskKey, DeskKeys, KeyFileError

LEAD = Policy(name="lead", approvers="support_lead")
TWO = Policy(name="two", approvers="support_lead", quorum=2)
FREE = Policy(name="sandbox", none="Nothing real is touched")


class People:
    def __init__(self, **groups: set[str]) -> None:
        self.groups = groups

    def person(self, name: str) -> Person | None:
        found = self.groups.get(name)
        return None if found is None else Person(name, frozenset(found))


DIRECTORY = People(
    ann={"support_lead"}, bob={"support_lead"}, eve={"finance"}, u17={"support_lead"}
)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> DeskKey:
    folder = tmp_path_factory.mktemp("key")
    return DeskKey.create(folder / "desk.key", folder / "desk.pub")


@pytest.fixture(scope="module")
def keys(key: DeskKey) -> DeskKeys:
    return DeskKeys({key.key_id: key.private.public_key()})


def verdict(*policies: Policy) -> Verdict:
    found = [rule([ApprovalRow(policy=policy)], Scope({}, {})) for policy in policies]
    made = found[0]
    for other in found[1:]:
        made = made.both(other)
    return made


def row_of(policy: Policy = LEAD, state: Any = "approved", **changes: Any) -> ProposalRow:
    made = proposal(policy_rows=verdict(policy).rows, quorum=policy.quorum, **changes)
    canonical, sha256 = seal(made)
    return ProposalRow(proposal=made, canonical=canonical, sha256=sha256, state=state, approvals=1)


def rows_of(row: ProposalRow, *decisions: DecisionRow) -> CommitRows:
    return CommitRows(row=row, decisions=decisions, execution=None, paused_by=None, spent={})


# --- the table


def choose(rows: list[ApprovalRow], arguments: Any, **roots: Any) -> str | None:
    found = rule(rows, Scope(arguments, roots))
    return found.policies[0].name if found.policies else found.alert


ROWS = [
    ApprovalRow(
        policy=LEAD, when={"amount": {"at_most": 5000}, "$before.currency": ["eur", "usd"]}
    ),
    ApprovalRow(policy=TWO),
]


@pytest.mark.parametrize(
    ("amount", "before", "chosen"),
    [
        (5000, {"currency": "eur"}, "lead"),
        (5001, {"currency": "eur"}, "two"),
        (1, {"currency": "chf"}, "two"),
        (1, {}, "missing_attribute"),
        (1, {"currency": None}, "two"),
    ],
)
def test_the_first_row_that_holds(amount: int, before: Any, chosen: str) -> None:
    """PL1, PL2: rows in order; a missing attribute denies and is never a looser row."""
    assert choose(ROWS, {"amount": amount}, before=before) == chosen


def test_without_a_row_it_is_denied() -> None:
    """PL1: default deny."""
    assert choose([], {}) == "no_row"
    assert choose([ApprovalRow(policy=LEAD, when={"amount": 1})], {"amount": 2}) == "no_row"
    assert choose([ApprovalRow(policy=Policy(name="empty"))], {}) == "no_row"


@pytest.mark.parametrize(
    "when",
    [{"amount": {"at_most": 1, "at_least": 0}}, {"amount": {"unheard": 1}}, {"": {"": {}}}],
)
def test_an_error_in_a_condition_denies(when: Any) -> None:
    """PL2"""
    rows = [ApprovalRow(policy=TWO, when=when), ApprovalRow(policy=FREE)]
    assert choose(rows, {"amount": 1}) == "error"


def test_an_input_that_was_not_given_fails_its_condition() -> None:
    """An absent value satisfies only `exists: false` and `not`."""
    rows = [ApprovalRow(policy=LEAD, when={"note": "x"}), ApprovalRow(policy=TWO)]
    assert choose(rows, {}) == "two"
    rows = [
        ApprovalRow(policy=LEAD, when={"$before.x": {"exists": False}}),
        ApprovalRow(policy=TWO),
    ]
    assert choose(rows, {}, before={}) == "lead"


def test_a_policy_of_none_never_covers_a_consequence() -> None:
    """PL3: where a mark stands somebody is asked."""
    found = rule([ApprovalRow(policy=FREE)], Scope({}, {}), consequences=["payment"])
    assert (found.is_allowed, found.alert) == (False, "unguarded_consequence")


def test_two_tables_hold_at_once() -> None:
    """PL5: an old version runs under its own rows and today's."""
    both = verdict(LEAD, TWO)
    assert (both.quorum, both.expires_in, len(both.rows)) == (2, 900, 2)
    assert verdict(LEAD).both(Verdict(alert="no_row")).is_allowed is False
    assert policies_of(both.rows) == (LEAD, TWO)


# --- who may decide


@pytest.mark.parametrize(
    ("person", "policy", "why_not"),
    [
        (Person("ann", frozenset({"support_lead"})), LEAD, None),
        (Person("ann", frozenset({"finance"})), LEAD, "group"),
        (Person("u17", frozenset({"support_lead"})), LEAD, "requester"),
        (Person("una", frozenset({"support_lead"}), "u17"), LEAD, "requester"),
        (Person("assistant", frozenset({"support_lead"})), LEAD, "requester"),
        (
            Person("u17", frozenset({"support_lead"})),
            LEAD.model_copy(update={"self_approval": True}),
            None,
        ),
        (Person("ann", frozenset({"support_lead"})), FREE, "group"),
    ],
)
def test_four_eyes(person: Person, policy: Policy, why_not: str | None) -> None:
    """P8: agent and person of the requester chain are excluded, under whatever name."""
    assert may_decide(person, row_of(policy).proposal) == why_not


# --- the standing of an approval


def judge(
    rows: CommitRows,
    keys: DeskKeys,
    today: Verdict | None = None,
    directory: Any = DIRECTORY,
    now: datetime = START,
) -> Standing:
    return standing(rows, today or verdict(LEAD), directory, keys, now)


def test_a_signed_approval_stands(key: DeskKey, keys: DeskKeys) -> None:
    """P12 a, P19"""
    row = row_of()
    voice = key.sign_decision(decision(row))
    assert judge(rows_of(row, voice), keys) == Standing(None, ("ann",))


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("pending", "APPROVAL_PENDING"),
        ("denied", "APPROVAL_DENIED"),
        ("expired", "APPROVAL_EXPIRED"),
        ("withdrawn", "APPROVAL_WITHDRAWN"),
    ],
)
def test_the_state_decides_first(key: DeskKey, keys: DeskKeys, state: str, code: str) -> None:
    """P13"""
    row = row_of(state=state)
    assert judge(rows_of(row, key.sign_decision(decision(row))), keys).code == code


def test_a_conflict_answers_the_conflict(key: DeskKey, keys: DeskKeys) -> None:
    """P12 e, P13"""
    row = replace(row_of(), conflict={"previous_version": 1, "current_version": 2})
    assert judge(rows_of(row, key.sign_decision(decision(row))), keys).code == "VERSION_CONFLICT"


CHANGES: list[dict[str, Any]] = [
    {"signature": None},
    {"signature": b"x" * 64},
    {"key_id": "0" * 16},
    {"principal": "bob"},
    {"subject": "other"},
    {"sha256": "sha256:other"},
    {"proposal_id": "prop_other"},
    {"tenant": "globex"},
    {"until": START + timedelta(days=1)},
    {"decided_at": START + timedelta(seconds=1)},
    {"reason": "because"},
    {"method": "none"},
    {"session": "ses_9"},
    {"decision_id": "dec_9"},
    {"final": True},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: next(iter(c)))
def test_an_altered_or_unsigned_row_does_not_count(
    key: DeskKey, keys: DeskKeys, change: dict[str, Any]
) -> None:
    """P19: a process that can write to the store cannot make an approval."""
    row = row_of()
    forged = replace(key.sign_decision(decision(row)), **change)
    assert judge(rows_of(row, forged), keys).code == "APPROVAL_PENDING"


def test_a_denial_cannot_be_turned_into_an_approval(key: DeskKey, keys: DeskKeys) -> None:
    """P13, P19: a signed denial or withdrawal counts whatever the state column says."""
    row = row_of()
    yes = key.sign_decision(decision(row))
    for outcome, code in (("denied", "APPROVAL_DENIED"), ("withdrawn", "APPROVAL_WITHDRAWN")):
        no = key.sign_decision(decision(row, outcome))
        assert judge(rows_of(row, yes, no), keys).code == code
    turned = replace(key.sign_decision(decision(row, "denied")), outcome="approved")
    assert judge(rows_of(row, turned), keys).code == "APPROVAL_PENDING"


def test_another_desks_key_does_not_count(tmp_path: Path, keys: DeskKeys) -> None:
    """P19: only configured public keys."""
    other = DeskKey.create(tmp_path / "other.key", tmp_path / "other.pub")
    row = row_of()
    voice = other.sign_decision(decision(row))
    assert judge(rows_of(row, voice), keys).code == "APPROVAL_PENDING"
    assert judge(rows_of(row, voice), DeskKeys.load([tmp_path / "other.pub"])).code is None


@pytest.mark.parametrize(
    "directory",
    [People(), People(ann={"finance"}), None],
    ids=["gone", "another group", "directory fails"],
)
def test_authority_is_of_now(key: DeskKey, keys: DeskKeys, directory: Any) -> None:
    """P10: revoked between approval and commit; a directory that fails authorizes nobody (PL2)."""
    row = row_of()
    rows = rows_of(row, key.sign_decision(decision(row)))
    assert judge(rows, keys, directory=directory).code == "APPROVER_NOT_AUTHORIZED"


def test_the_requester_does_not_count(key: DeskKey, keys: DeskKeys) -> None:
    """P8: at commit too, and with self-approval the evidence says so."""
    row = row_of()
    own = key.sign_decision(decision(row, principal="u17"))
    assert judge(rows_of(row, own), keys).code == "APPROVER_NOT_AUTHORIZED"
    allowed = LEAD.model_copy(update={"self_approval": True})
    row = row_of(allowed)
    own = key.sign_decision(decision(row, principal="u17"))
    assert judge(rows_of(row, own), keys, verdict(allowed)) == Standing(None, ("u17",), True)


def test_a_quorum_is_of_distinct_persons(key: DeskKey, keys: DeskKeys) -> None:
    """P7: two names of one person are one."""
    row = row_of(TWO)
    ann, bob = (key.sign_decision(decision(row, principal=name)) for name in ("ann", "bob"))
    assert judge(rows_of(row, ann, bob), keys, verdict(TWO)) == Standing(None, ("ann", "bob"))
    assert judge(rows_of(row, ann), keys, verdict(TWO)).code == "APPROVAL_PENDING"
    assert judge(rows_of(row, ann, ann), keys, verdict(TWO)).code == "APPROVAL_PENDING"
    eve = key.sign_decision(decision(row, principal="eve"))
    assert judge(rows_of(row, ann, eve), keys, verdict(TWO)).code == "APPROVER_NOT_AUTHORIZED"
    alias = key.sign_decision(decision(row, principal="bob", subject="ann"))
    assert judge(rows_of(row, ann, alias), keys, verdict(TWO)).code == "APPROVAL_PENDING"


def test_a_tightened_policy_holds_at_commit(key: DeskKey, keys: DeskKeys) -> None:
    """PL5: the table of the moment counts, beside the one of the preview."""
    row = row_of()
    rows = rows_of(row, key.sign_decision(decision(row)))
    assert judge(rows, keys, verdict(TWO)).code == "APPROVAL_PENDING"
    finance = Policy(name="finance", approvers="finance")
    assert judge(rows, keys, verdict(finance)).code == "APPROVER_NOT_AUTHORIZED"
    assert judge(rows, keys, Verdict(alert="no_row")).code == "POLICY_DENIED"
    loosened = judge(rows_of(row_of()), keys, verdict(FREE))
    assert loosened.code == "APPROVAL_PENDING"


def test_an_approval_ends_with_its_time(key: DeskKey, keys: DeskKeys) -> None:
    """P12 a: unexpired, the proposal and the voice."""
    row = row_of()
    rows = rows_of(row, key.sign_decision(decision(row)))
    end = row.proposal.expires_at
    assert judge(rows, keys, now=end - timedelta(microseconds=1)).code is None
    assert judge(rows, keys, now=end).code == "APPROVAL_EXPIRED"
    short = key.sign_decision(decision(row, until=START + timedelta(minutes=1)))
    later = START + timedelta(minutes=1)
    assert judge(rows_of(row, short), keys, now=later).code == "APPROVAL_PENDING"


def policy_row(made: Proposal) -> DecisionRow:
    found = self_decision(verdict(FREE), made, START)
    assert found is not None
    return found


def test_a_policys_own_row_counts_while_the_policy_says_so(keys: DeskKeys) -> None:
    """P19, PL5: unsigned, and only while nobody is asked today either."""
    row = row_of(FREE)
    rows = rows_of(row, policy_row(row.proposal))
    assert judge(rows, keys, verdict(FREE)) == Standing(None, ("policy:sandbox",))
    assert judge(rows, keys, verdict(LEAD)).code == "POLICY_DENIED"
    renamed = FREE.model_copy(update={"name": "other"})
    assert judge(rows, keys, verdict(renamed)).code == "APPROVAL_PENDING"
    assert self_decision(verdict(LEAD), row.proposal, START) is None


def test_a_policys_row_is_worth_nothing_where_people_are_asked(keys: DeskKeys) -> None:
    """P19: a process that serves an agent may write such a row; it approves nothing."""
    row = row_of(LEAD)
    forged = replace(policy_row(row.proposal), principal="policy:lead", sha256=row.sha256)
    assert judge(rows_of(row, forged), keys).code == "APPROVAL_PENDING"
    assert judge(rows_of(row, forged), keys, verdict(FREE)).code == "APPROVAL_PENDING"


def test_an_operators_word_counts_if_it_is_signed(key: DeskKey, keys: DeskKeys) -> None:
    """I7, P19: about this execution and proposal, by a configured key; else the outcome stays unknown."""
    row = row_of()
    execution = ExecutionRow(
        execution_id="op_1", tenant="acme", run_id="run_1", proposal_id=row.proposal.proposal_id,
        request_id="rq", root_request_id="rq", tool="t", operation="o", key="k", fingerprint="f",
        state="succeeded", fence=1, lease_until=START, sent_at=START,
    )  # fmt: skip
    word = key.sign_settlement(settlement(execution, row, "confirmed_done"))
    settled = replace(execution, resolved_by="operator:bob", settlement=word)
    assert outcome_counts(settled, row.proposal, keys)
    assert outcome_counts(replace(execution, resolved_by="status"), row.proposal, keys)
    assert outcome_counts(execution, row.proposal, keys)
    assert not outcome_counts(replace(settled, state="failed"), row.proposal, keys)
    assert not outcome_counts(replace(settled, settlement=None), row.proposal, keys)
    assert not outcome_counts(settled, row_of().proposal, keys)
    changes: list[dict[str, Any]] = [
        {"outcome": "abandoned"},
        {"reason": "x"},
        {"principal": "eve"},
        {"execution_id": "op_2"},
        {"signature": b""},
        {"settled_at": START + timedelta(seconds=1)},
    ]
    for change in changes:
        forged = replace(settled, settlement=replace(word, **change))
        assert not outcome_counts(forged, row.proposal, keys), change


def test_a_decision_is_not_a_settlement(key: DeskKey, keys: DeskKeys) -> None:
    """P19: the two are signed under tags of their own."""
    row = row_of()
    voice = key.sign_decision(decision(row))
    assert keys.holds(voice)
    assert not keys.holds(replace(voice, outcome="withdrawn"))


# --- files


def test_keys_survive_the_disk(tmp_path: Path) -> None:
    made = DeskKey.create(tmp_path / "desk.key", tmp_path / "desk.pub")
    assert DeskKey.load(tmp_path / "desk.key").key_id == made.key_id
    assert set(DeskKeys.load([str(tmp_path / "desk.pub")]).by_id) == {made.key_id}
    with pytest.raises(KeyFileError) as refused:
        DeskKeys.load([tmp_path / "desk.key"])
    assert refused.value.code == "DESK_KEY_INVALID"


HASH = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$Z2Vuc2VydmVk"


def test_the_file_is_read_again_when_it_changed(tmp_path: Path) -> None:
    """P10: a revoked person is gone at the next question."""
    path = tmp_path / "approvers.yaml"
    path.write_text(f'ann: {{groups: [lead], subject: u1, hash: "{HASH}"}}\n', "utf-8")
    people = ApproversFile(path)
    assert people.person("ann") == Person("ann", frozenset({"lead"}), "u1")
    path.write_text(f'bob: {{groups: [lead], hash: "{HASH}"}}\n', "utf-8")
    assert people.person("ann") is None
    assert people.person("bob") == Person("bob", frozenset({"lead"}))
    path.write_text("broken: [", "utf-8")
    with pytest.raises(ApproversError):
        people.person("bob")
    path.write_text("# nobody\n", "utf-8")
    assert people.person("bob") is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("- a\n", ":1:1: here stands a map of persons"),
        ("ann: lead\n", ":1:6: here stands the entry of ann"),
        ("ann: {groups: [lead]}\n", ":1:6: ann needs both groups and hash"),
        (f'ann: {{groups: lead, hash: "{HASH}"}}\n', ":1:15: groups is a list"),
        (f'ann: {{groups: [a b], hash: "{HASH}"}}\n', ":1:15: a group's name"),
        ("ann: {groups: [lead], hash: secret}\n", ":1:29: hash is an argon2id hash"),
        ("ann: {groups: [lead], hash: }\n", ":1:28: here stands a text"),
        (f'ann: {{groups: [], hash: "{HASH}", admin: yes}}\n', ": only groups, hash and subject"),
        (f'"a b": {{groups: [], hash: "{HASH}"}}\n', ":1:8: a person's name"),
        (f'ann: {{groups: [], hash: "{HASH}"}}\nann: {{}}\n', ":2:1: the same key stands twice"),
        (f'ann: &a {{groups: [], hash: "{HASH}"}}\nbob: *a\n', ": anchors and aliases"),
        ("ann: [\n", ":2:1: "),
        ("a: 1\n---\nb: 2\n", ":2:1: "),
    ],
)
def test_a_file_with_a_fault_is_refused_with_its_place(
    tmp_path: Path, text: str, place: str
) -> None:
    path = tmp_path / "approvers.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ApproversError) as refused:
        ApproversFile(path).person("ann")
    assert refused.value.code == "APPROVERS_INVALID"
    assert place in str(refused.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x00", b"a: " + b"[" * 5000, b"#" * 1_100_000])
def test_hostile_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "approvers.yaml"
    path.write_bytes(content)
    with pytest.raises(ApproversError):
        ApproversFile(path).person("ann")
