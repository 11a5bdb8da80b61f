"""The desk's commands as people use them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.desk.conftest import DeskScene, failed, said
from tests.store.build import approved, unknown
from toolcharter_runtime.approvals import outcome_counts
from toolcharter_runtime.desk.cli import main
from toolcharter_runtime.records import CommitRows, ProposalRow
from toolcharter_runtime.store import Store


def rows_of(desk: DeskScene, row: ProposalRow) -> CommitRows:
    async def load(store: Store) -> CommitRows:
        rows = await store.load_commit("acme", row.proposal.proposal_id)
        assert rows is not None
        return rows

    return desk.play(load)


def test_an_approval_is_signed_and_recorded(desk: DeskScene) -> None:
    """P7, P19: an authenticated person, the digest as shown, a signature that the public key accepts."""
    row = desk.propose()
    result = desk.approve(row)
    assert (result.exit_code, result.stdout) == (0, f"{row.proposal.proposal_id}: approved\n")
    (decision,) = rows_of(desk, row).decisions
    assert (decision.outcome, decision.principal, decision.method) == (
        "approved",
        "ann",
        "password",
    )
    assert (decision.sha256, decision.until) == (row.sha256, row.proposal.expires_at)
    assert desk.keys.holds(decision)


def test_without_a_digest_the_page_comes_first(desk: DeskScene) -> None:
    """P6: what is approved was shown, and asked for."""
    row = desk.propose()
    declined = desk.as_("ann", "approve", row.proposal.proposal_id, stdin="n\n")
    assert declined.exit_code == 1
    assert row.proposal.effect in declined.output
    assert row.sha256 in declined.output
    assert desk.row(row).state == "pending"
    accepted = desk.as_("ann", "approve", row.proposal.proposal_id, stdin="y\n")
    assert accepted.exit_code == 0
    assert desk.row(row).state == "approved"


def test_yes_needs_a_digest(desk: DeskScene) -> None:
    """P6: a script approves what it names, not what happens to be there."""
    row = desk.propose()
    result = desk.as_("ann", "approve", row.proposal.proposal_id, "--yes")
    assert failed(result) == (2, "DESK_NEEDS_DIGEST")
    assert desk.row(row).state == "pending"


def test_another_proposals_digest_is_refused(desk: DeskScene) -> None:
    """P6, case 14: opened on one proposal, posted with the digest of another."""
    row, other = desk.propose(), desk.propose()
    name = row.proposal.proposal_id
    result = desk.as_("ann", "approve", name, "--digest", other.sha256, "--yes")
    assert failed(result) == (1, "PROPOSAL_CHANGED")
    denial = desk.as_("ann", "deny", name, "--digest", other.sha256, "--reason", "x")
    assert failed(denial) == (1, "PROPOSAL_CHANGED")
    assert desk.row(row).state == "pending"


@pytest.mark.parametrize("command", ["approve", "deny", "withdraw"])
@pytest.mark.parametrize(
    ("name", "password", "code"),
    [
        ("ann", "wrong", "DESK_NOT_AUTHENTICATED"),
        ("nobody", "pw", "DESK_NOT_AUTHENTICATED"),
        ("eve", "pw", "DESK_NOT_AUTHORIZED"),
        ("u17", "pw", "DESK_SELF_APPROVAL"),
        ("una", "pw", "DESK_SELF_APPROVAL"),
    ],
)
def test_who_may_not_decide(
    desk: DeskScene, command: str, name: str, password: str, code: str
) -> None:
    """P5, P8: neither an approval nor a denial nor a withdrawal of these changes anything."""
    row = desk.propose()
    if command == "withdraw":
        desk.approve(row)
    before = desk.row(row)
    more = ["--digest", row.sha256, "--yes"] if command == "approve" else ["--reason", "x"]
    result = desk.as_(name, command, row.proposal.proposal_id, *more, password=password)
    assert failed(result) == (1, code)
    assert desk.row(row) == before


def test_the_agents_own_principal_may_not_decide(desk: DeskScene) -> None:
    """P8: the requester chain is agent and person."""
    row = desk.propose(agent="ann", person="u99")
    assert failed(desk.approve(row)) == (1, "DESK_SELF_APPROVAL")


def test_self_approval_where_the_policy_allows_it(desk: DeskScene) -> None:
    """P8: the row says so, and the requester may."""
    policy = {"name": "own", "approvers": "support_lead", "self_approval": True}
    row = desk.propose(policy_rows=({"index": 0, "policy": policy},))
    assert desk.approve(row, "u17").exit_code == 0


def test_a_quorum_of_two(desk: DeskScene) -> None:
    """P7: one voice a person; the second makes it."""
    policy = {"name": "two", "approvers": "support_lead", "quorum": 2}
    row = desk.propose(policy_rows=({"index": 0, "policy": policy},), quorum=2)
    first = desk.approve(row)
    assert first.stdout.endswith("pending, your voice is counted; 1 more needed\n")
    assert failed(desk.approve(row)) == (1, "DESK_ALREADY_DECIDED")
    assert desk.approve(row, "bob").stdout.endswith("approved\n")


def test_a_denial(desk: DeskScene) -> None:
    """P7: a reason is needed, `--final` is kept, and the first decision stands."""
    row = desk.propose()
    name = row.proposal.proposal_id
    assert failed(desk.as_("ann", "deny", name, "--reason", " ")) == (2, "DESK_NEEDS_REASON")
    assert desk.as_("ann", "deny", name).exit_code == 2
    result = desk.as_("ann", "deny", name, "--reason", "Moved again", "--final")
    assert (result.exit_code, result.stdout) == (0, f"{name}: denied\n")
    found = desk.row(row)
    assert (found.state, found.refusal, found.final) == ("denied", "Moved again", True)
    assert failed(desk.approve(row)) == (1, "DESK_ALREADY_DECIDED")


def test_a_withdrawal(desk: DeskScene) -> None:
    """P10"""
    row = desk.propose()
    name = row.proposal.proposal_id
    pending = desk.as_("bob", "withdraw", name, "--reason", "x")
    assert failed(pending) == (1, "DESK_NOT_APPROVED")
    desk.approve(row)
    assert desk.as_("bob", "withdraw", name, "--reason", "x").stdout == f"{name}: withdrawn\n"
    assert all(desk.keys.holds(decision) for decision in rows_of(desk, row).decisions)


def test_another_tenants_proposal_is_not_there(desk: DeskScene) -> None:
    """P5, S8, case 15: to show, to decide and in lists, the same words as for a random id."""
    row = desk.propose(tenant="globex")
    name = row.proposal.proposal_id
    foreign = desk.read("show", name)
    assert failed(foreign) == (1, "PROPOSAL_NOT_FOUND")
    assert foreign.stderr == desk.read("show", "prop_random").stderr
    assert desk.approve(row).stderr == foreign.stderr
    denial = ("--digest", row.sha256, "--reason", "no")
    assert desk.as_("ann", "deny", name, *denial).stderr == foreign.stderr
    assert desk.as_("ann", "deny", "prop_random", *denial).stderr == foreign.stderr
    assert desk.as_("ann", "withdraw", name, "--reason", "no").stderr == foreign.stderr
    assert said(desk.read("pending", "--json")) == []


def test_an_expired_proposal(desk: DeskScene) -> None:
    """P5, P14: it is expired, not denied, whoever comes."""
    row = desk.propose(expires_at=desk.clock.at)
    assert failed(desk.approve(row)) == (1, "APPROVAL_EXPIRED")
    assert desk.read("pending").stdout == ""
    assert "EXPIRED" in desk.read("show", row.proposal.proposal_id).stdout


def test_an_altered_proposal_is_not_shown(desk: DeskScene) -> None:
    """P6: stored bytes that are not those of the digest are refused, to show and to approve."""
    row = desk.propose()
    connection = sqlite3.connect(desk.path)
    with connection:
        altered = row.canonical.replace(b"C-1842", b"C-1843")
        connection.execute("UPDATE proposal_texts SET canonical = ?", (altered,))
    connection.close()
    assert failed(desk.read("show", row.proposal.proposal_id)) == (1, "PROPOSAL_CHANGED")
    assert failed(desk.approve(row)) == (1, "PROPOSAL_CHANGED")


def test_pending_lists_what_waits(desk: DeskScene) -> None:
    first, second = desk.propose(), desk.propose(effect="Refund 5 EUR")
    desk.approve(first)
    (line,) = desk.read("pending").stdout.splitlines()
    assert line.startswith(second.proposal.proposal_id)
    assert "Refund 5 EUR" in line
    (found,) = said(desk.read("pending", "--json"))
    assert (found["proposal_id"], found["proposal_sha256"]) == (
        second.proposal.proposal_id,
        second.sha256,
    )


def test_show_as_json_is_what_the_digest_covers(desk: DeskScene) -> None:
    """C4"""
    row = desk.propose()
    shown = said(desk.read("show", row.proposal.proposal_id, "--json"))
    covered = row.proposal.covered()
    assert {name: shown[name] for name in covered} == covered
    assert shown["proposal_sha256"] == row.sha256


def lost(desk: DeskScene) -> tuple[ProposalRow, str]:
    async def case(store: Store) -> tuple[ProposalRow, str]:
        row = await approved(store)
        return row, (await unknown(store, row)).execution_id

    return desk.play(case)


@pytest.mark.parametrize(
    ("outcome", "state"),
    [("confirmed_done", "succeeded"), ("confirmed_not_done", "failed"), ("abandoned", "abandoned")],
)
def test_an_operator_settles(desk: DeskScene, outcome: str, state: str) -> None:
    """I7, P19: with a reason, signed, and marked in the evidence."""
    row, name = lost(desk)
    (item,) = said(desk.read("unknown", "--json"))
    assert (item["operation_id"], item["idempotency_key"]) == (name, row.proposal.key)
    assert item["target"] == row.proposal.target
    assert name in desk.read("unknown").stdout
    done = desk.as_("bob", "settle", name, "--outcome", outcome, "--reason", "Ledger", "--yes")
    assert (done.exit_code, done.stdout) == (0, f"{name}: {state} ({outcome})\n")
    rows = rows_of(desk, row)
    assert rows.execution is not None
    assert (rows.execution.state, rows.execution.resolved_by) == (state, "operator:bob")
    assert rows.execution.evidence == {"attempts": 1, "resolved_by": "operator:bob"}
    assert (rows.execution.problem is None) is (outcome == "confirmed_done")
    assert outcome_counts(rows.execution, row.proposal, desk.keys)
    assert said(desk.read("unknown", "--json")) == []
    again = desk.as_("bob", "settle", name, "--outcome", outcome, "--reason", "x", "--yes")
    assert failed(again) == (1, "OPERATION_NOT_FOUND")


@pytest.mark.parametrize(
    ("name", "code"),
    [("ann", "DESK_NOT_AUTHORIZED"), ("u17", "DESK_SELF_APPROVAL"), ("una", "DESK_SELF_APPROVAL")],
)
def test_who_may_not_settle(desk: DeskScene, name: str, code: str) -> None:
    """I7: only the group operators, and nobody of the requester chain."""
    _, operation = lost(desk)
    words = ("settle", operation, "--outcome", "abandoned", "--reason", "x", "--yes")
    assert failed(desk.as_(name, *words)) == (1, code)
    assert len(said(desk.read("unknown", "--json"))) == 1


def test_audit_shows_the_sequence(desk: DeskScene) -> None:
    """D4: any id leads to it."""
    row = desk.propose()
    desk.approve(row)
    lines = desk.read("audit", row.proposal.root_request_id).stdout.splitlines()
    assert ["proposal.created" in lines[0], "proposal.approved" in lines[1]] == [True, True]
    assert "by person:ann" in lines[1]
    rows = said(desk.read("audit", row.proposal.proposal_id, "--json"))
    assert [item["kind"] for item in rows] == ["proposal.created", "proposal.approved"]
    assert failed(desk.read("audit", "rq_none")) == (1, "DESK_ID_NOT_FOUND")


def test_verify_says_what_it_cannot_know(desk: DeskScene) -> None:
    """S7: without a checkpoint it is inner consistency only, and says so."""
    desk.propose()
    assert "1 rows, inner consistency only" in desk.read("verify").stdout
    connection = sqlite3.connect(desk.path)
    with connection:
        connection.execute("DROP TRIGGER audit_no_update")
        connection.execute("UPDATE audit SET actor = 'person:eve'")
    connection.close()
    assert failed(desk.read("verify")) == (1, "AUDIT_BROKEN")


def test_a_checkpoint_shows_what_was_cut_off(desk: DeskScene) -> None:
    """S7: compared with what the desk signed, a chain that lost its end, or another chain, is found out."""
    desk.propose()
    desk.propose()
    file, key = desk.folder / "acme.checkpoint", desk.folder / "desk.key"
    export = ("verify", "--export", str(file), "--key", str(key))
    assert desk.read(*export).exit_code == 0
    assert failed(desk.read(*export)) == (2, "CHECKPOINT_EXISTS")
    compare = ("verify", "--checkpoint", str(file), "--public", str(desk.folder / "desk.pub"))
    desk.propose()
    assert "3 rows, the first 2 as signed at" in desk.read(*compare).stdout
    connection = sqlite3.connect(desk.path)
    with connection:
        connection.execute("DROP TRIGGER audit_no_delete")
        connection.execute("DELETE FROM audit WHERE number > 1")
    connection.close()
    assert desk.read("verify").exit_code == 0
    assert failed(desk.read(*compare)) == (1, "AUDIT_BROKEN")
    forged = file.read_text("utf-8").replace('"rows": 2', '"rows": 1')
    file.write_text(forged, "utf-8")
    assert failed(desk.read(*compare)) == (1, "CHECKPOINT_UNSIGNED")
    file.write_text(forged.replace('"acme"', '"globex"'), "utf-8")
    assert failed(desk.read(*compare)) == (2, "CHECKPOINT_FILE")
    for broken in ("", "[]", "{}", "[" * 100_000, '{"checkpoint": 1, "rows": "x"}'):
        file.write_text(broken, "utf-8")
        assert failed(desk.read(*compare)) == (2, "CHECKPOINT_FILE")


def test_a_store_that_is_not_there_is_not_made(desk: DeskScene, tmp_path: Path) -> None:
    """A mistyped path is an error, not an empty store."""
    url = f"sqlite:///{tmp_path / 'typo.db'}"
    result = desk.run("pending", "--store", url, "--tenant", "acme")
    assert failed(result) == (2, "STORE_FILE")
    assert not (tmp_path / "typo.db").exists()
    assert failed(desk.run("pending", "--store", "x", "--tenant", "acme")) == (2, "STORE_URL")
    assert desk.run("pending", "--store", desk.url).exit_code == 2


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("approvers.yaml", "ann: [", "APPROVERS_INVALID"),
        ("approvers.yaml", None, "APPROVERS_UNREADABLE"),
        ("desk.key", "not a key", "DESK_KEY_INVALID"),
        ("desk.key", None, "DESK_KEY_UNREADABLE"),
        ("pw", "", "DESK_PASSWORD_FILE"),
        ("pw", None, "DESK_PASSWORD_FILE"),
    ],
)
def test_a_file_that_is_of_no_use(
    desk: DeskScene, name: str, content: str | None, code: str
) -> None:
    row = desk.propose()
    path = desk.folder / name
    path.unlink()
    if content is not None:
        path.touch(mode=0o600)
        path.write_text(content, "utf-8")
    assert failed(desk.approve(row)) == (2, code)


def test_a_key_that_others_may_read_is_refused(desk: DeskScene) -> None:
    """P19: the private key is the desk's alone."""
    row = desk.propose()
    (desk.folder / "desk.key").chmod(0o640)
    assert failed(desk.approve(row)) == (2, "DESK_KEY_MODE")


def test_init_and_person_add(tmp_path: Path) -> None:
    """From nothing to somebody who may decide, without a file that others can read."""
    key, approvers, password = tmp_path / "desk.key", tmp_path / "approvers.yaml", tmp_path / "pw"
    password.write_text("open sesame\n", "utf-8")
    run = CliRunner().invoke
    init = ["init", "--key", str(key), "--approvers", str(approvers)]
    assert run(main, init).exit_code == 0
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.iterdir()}
    assert (modes["desk.key"], modes["approvers.yaml"]) == ("0o600", "0o600")
    assert (tmp_path / "desk.pub").read_text("utf-8").startswith("-----BEGIN PUBLIC KEY-----")
    again = run(main, init)
    assert failed(again) == (2, "DESK_KEY_EXISTS")
    add = ["person", "add", "ann", "--group", "support_lead", "--group", "operators"]
    files = ["--approvers", str(approvers), "--password-file", str(password)]
    assert run(main, [*add, *files, "--subject", "u42"]).exit_code == 0
    assert failed(run(main, [*add, *files])) == (1, "DESK_PERSON_EXISTS")
    bad = run(main, ["person", "add", "a b", "--group", "x", *files])
    assert failed(bad) == (2, "DESK_BAD_NAME")
    written = yaml.safe_load(approvers.read_text("utf-8"))
    assert (written["ann"]["groups"], written["ann"]["subject"]) == (
        ["support_lead", "operators"],
        "u42",
    )
    assert approvers.read_text("utf-8").startswith("# Who may decide")


def test_the_real_command(desk: DeskScene) -> None:
    """As a person would use it: its own process, no traceback, the exit codes of the design."""
    row = desk.propose()
    command = [str(Path(sys.executable).with_name("toolcharter-desk"))]
    where = ["--store", desk.url, "--tenant", "acme"]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *arguments], capture_output=True, text=True, check=False, cwd=desk.folder
        )

    who = ["--as", "ann", "--password-file", "pw"]
    decide = ["approve", row.proposal.proposal_id, *where, *who, "--digest", row.sha256, "--yes"]
    assert [run("pending", *where).returncode, run(*decide).returncode] == [0, 0]
    refused = run(*decide)
    expected = "error: DESK_ALREADY_DECIDED: It has been decided already.\n"
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", expected)
    assert run("pending").returncode == 2


def test_a_bug_shows_no_traceback(desk: DeskScene, monkeypatch: pytest.MonkeyPatch) -> None:
    """R4: an unexpected exception is INTERNAL with exit code 3, and none of its text."""

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    desk.propose()
    monkeypatch.setattr(Store, "audit_verify", broken)
    result = desk.read("verify")
    assert failed(result) == (3, "INTERNAL")
    assert "secret" not in result.output


def every_command() -> list[list[str]]:
    names = [[name] for name in main.commands if name != "person"]
    return [*names, ["person", "add"]]


@pytest.mark.parametrize("command", every_command(), ids=" ".join)
def test_every_command_has_an_example(command: list[str]) -> None:
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0
    assert f"toolcharter-desk {' '.join(command)}" in result.output


def test_proposals_are_untouched_by_reading(desk: DeskScene) -> None:
    """P18, as far as a terminal: nothing that shows decides."""
    row = desk.propose()
    for words in (("pending",), ("show", row.proposal.proposal_id), ("unknown",), ("verify",)):
        assert desk.read(*words).exit_code == 0
    assert desk.row(row) == row
