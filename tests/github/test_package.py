"""The generated package against the stand-in: reads by page, and each write with its honest answer to a repeat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github_tools import catalog

from tests.people import People
from toolcharter_runtime import Boundary, Caller, Credential, Failure, Success, Upstream
from toolcharter_runtime.blocking import BlockingBoundary, BlockingRun
from toolcharter_runtime.catalog import snapshot_of
from upstreams.github import GitHubServer
from upstreams.github.world import HEAD, MAIN

CALLER = Caller(tenant="acme", agent="assistant", person="nina")
REPO = {"repo": "widgets"}


class Table:
    """The boundary, a run a role, and the people who approve."""

    def __init__(self, github: GitHubServer, edge: BlockingBoundary, people: People) -> None:
        self.github, self.edge, self.people = github, edge, people

    def run(self, role: str) -> Any:
        return self.edge.run(
            role=role, caller=CALLER, purpose="production", context={"owner": "octo"}
        )

    def commit(
        self, run: BlockingRun, tool: str, arguments: dict[str, Any]
    ) -> Success[Any] | Failure[Any]:
        reply = run.call(f"preview_{tool}", REPO | arguments)
        assert isinstance(reply, Success), reply
        who = "rosa" if tool in RELEASES else "lena"
        self.people.approve(reply.result["proposal_id"], who)
        return run.call(f"commit_{tool}", {"proposal_id": reply.result["proposal_id"]})


RELEASES = {
    "merge_pull_request",
    "create_release_draft",
    "create_branch",
    "delete_branch",
    "rerun_workflow",
}


@pytest.fixture
def table(github: GitHubServer, tmp_path: Path) -> Iterator[Table]:
    people = People(tmp_path, "acme", {"lena": "triage", "rosa": "release_managers"}).open()
    boundary = Boundary(
        catalog,
        upstream=Upstream(github.url, auth=lambda *_: Credential.bearer(github.token)),
        store=people.store,
        approvers=people.approvers,
        desk_keys=[people.public_key],
    )
    with boundary.blocking() as edge:
        yield Table(github, edge, people)


def code(reply: Success[Any] | Failure[Any]) -> str:
    return reply.error.code if isinstance(reply, Failure) else reply.status


READS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("get_repository", {}, {"repo": "widgets", "default_branch": "main", "archived": False}),
    (
        "get_issue",
        {"issue": 7},
        {"issue": 7, "title": "Report 7", "state": "open", "state_reason": None, "assignees": []},
    ),
    (
        "get_pull",
        {"pull": 70},
        {"pull": 70, "head": HEAD, "base": "main", "mergeable": True, "merged": False},
    ),
    (
        "get_branch",
        {"branch": "feature/faster"},
        {"branch": "feature/faster", "sha": HEAD, "protected": False},
    ),
    ("get_release", {"tag": "v1.0.0"}, {"release": 900, "tag": "v1.0.0", "notes": "First."}),
    (
        "get_workflow_run",
        {"run": 501},
        {"run": 501, "status": "completed", "conclusion": "failure", "attempt": 1},
    ),
]
LISTS: list[tuple[str, dict[str, Any], str, int]] = [
    ("list_labels", {}, "labels", 42),
    ("list_pull_files", {"pull": 70}, "files", 2),
    ("list_pull_reviews", {"pull": 70}, "reviews", 1),
    ("list_check_runs", {"commit": HEAD}, "checks", 1),
    ("list_releases", {}, "releases", 1),
    ("list_workflow_runs", {"status": "completed"}, "runs", 1),
    ("list_issue_comments", {"issue": 7}, "comments", 0),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), READS)
def test_one_thing_is_read(
    table: Table, tool: str, arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    with table.run("auditor") as run:
        reply = run.call(tool, REPO | arguments)
    assert isinstance(reply, Success), reply
    assert {name: reply.result.get(name) for name in expected} == expected


@pytest.mark.parametrize(("tool", "arguments", "name", "count"), LISTS)
def test_a_list_is_read(
    table: Table, tool: str, arguments: dict[str, Any], name: str, count: int
) -> None:
    with table.run("auditor") as run:
        reply = run.call(tool, REPO | arguments)
    assert isinstance(reply, Success), reply
    assert (len(reply.result[name]), reply.result["next_cursor"]) == (count, None)


def test_issues_are_paged_by_link(table: Table) -> None:
    numbers: list[int] = []
    more: dict[str, Any] = {}
    with table.run("triage_agent") as run:
        while True:
            reply = run.call("list_issues", REPO | more)
            assert isinstance(reply, Success), reply
            numbers += [row["issue"] for row in reply.result["issues"]]
            if reply.result["next_cursor"] is None:
                break
            more = {"cursor": reply.result["next_cursor"]}
    assert numbers == list(range(65, 0, -1))


WRITES: list[tuple[str, str, dict[str, Any], str]] = [
    ("triage_agent", "comment_on_issue", {"issue": 7, "text": "We see it too."}, "effect"),
    (
        "triage_agent",
        "set_issue_state",
        {"issue": 7, "state": "closed", "reason": "completed"},
        "state",
    ),
    ("triage_agent", "assign_issue", {"issue": 7, "assignee": "mona"}, "state"),
    ("triage_agent", "add_issue_label", {"issue": 7, "label": "area-39"}, "state"),
    ("triage_agent", "lock_issue", {"issue": 7, "reason": "resolved"}, "state"),
    ("release_agent", "merge_pull_request", {"pull": 70, "method": "squash"}, "state"),
    (
        "release_agent",
        "create_release_draft",
        {"tag": "v2.0.0", "name": "Two", "notes": "Faster."},
        "effect",
    ),
    ("release_agent", "create_branch", {"branch": "fix/start", "commit": MAIN}, "state"),
    ("release_agent", "delete_branch", {"branch": "feature/faster"}, "state"),
    ("release_agent", "rerun_workflow", {"run": 501}, "state"),
]


@pytest.mark.parametrize(
    ("role", "tool", "arguments", "proof"), WRITES, ids=[write[1] for write in WRITES]
)
def test_a_write_has_one_effect_and_is_replayed(
    table: Table, role: str, tool: str, arguments: dict[str, Any], proof: str
) -> None:
    """P9, I2: one effect; the same commit again is answered from the store."""
    with table.run(role) as run:
        first = table.commit(run, tool, arguments)
        assert isinstance(first, Success), first
        again = run.call(f"commit_{tool}", {"proposal_id": first.evidence.proposal_id})
    assert isinstance(again, Success), again
    assert (again.result, again.evidence.replayed) == (first.result, True)
    assert len(table.github.world.ledger) == 1


@pytest.mark.parametrize(
    ("role", "tool", "arguments", "proof"), WRITES, ids=[write[1] for write in WRITES]
)
def test_a_lost_answer_is_asked_after_and_never_sent_again(
    table: Table, role: str, tool: str, arguments: dict[str, Any], proof: str
) -> None:
    """I5, I6: found again by marker, id or state; one request, one effect."""
    operation = snapshot_of(catalog).contract(f"{tool}.v1").operation.partition("(")[2].rstrip(")")
    table.github.faults.add({"operation": operation, "kind": "apply_then_drop"})
    with table.run(role) as run:
        reply = table.commit(run, tool, arguments)
    assert isinstance(reply, Success), reply
    assert (reply.evidence.proof, reply.evidence.attempts) == (proof, 1)
    assert len(table.github.world.ledger) == 1
    assert [name for name, _ in table.github.requests].count(operation) == 1


@pytest.mark.parametrize(
    ("role", "tool", "arguments", "proof"), WRITES, ids=[write[1] for write in WRITES]
)
def test_nothing_applied_and_no_answer_is_unknown(
    table: Table, role: str, tool: str, arguments: dict[str, Any], proof: str
) -> None:
    """I6: no match proves nothing, since the request may still land."""
    operation = snapshot_of(catalog).contract(f"{tool}.v1").operation.partition("(")[2].rstrip(")")
    table.github.faults.add({"operation": operation, "kind": "drop"})
    with table.run(role) as run:
        reply = table.commit(run, tool, arguments)
    assert code(reply) == "UNKNOWN_OUTCOME"
    assert table.github.world.ledger == []
    assert [name for name, _ in table.github.requests].count(operation) == 1


def test_the_marker_stands_in_the_comment_and_owner_and_version_of_the_api_are_sent(
    table: Table,
) -> None:
    with table.run("triage_agent") as run:
        table.commit(run, "comment_on_issue", {"issue": 7, "text": "We see it too."})
    body = table.github.world.comments[0]["body"]
    text, _, marker = body.partition("\n\n<!-- ")
    assert (text, marker[:3], marker[-4:]) == ("We see it too.", "tc-", " -->")
    assert (
        "issues/create-comment",
        "/repos/octo/widgets/issues/7/comments",
    ) in table.github.requests


def test_a_merge_at_another_head_is_a_conflict(table: Table) -> None:
    """V2: 409 is a conflict here because the charter says so."""
    with table.run("release_agent") as run:
        reply = run.call(
            "preview_merge_pull_request", {"repo": "widgets", "pull": 70, "method": "merge"}
        )
        assert isinstance(reply, Success), reply
        table.people.approve(reply.result["proposal_id"], "rosa")
        table.github.world.pulls[70]["head"] = "d" * 40
        conflict = run.call(
            "commit_merge_pull_request", {"proposal_id": reply.result["proposal_id"]}
        )
    assert code(conflict) == "VERSION_CONFLICT"
    assert table.github.world.ledger == []


@pytest.mark.parametrize(
    ("role", "tool", "arguments", "expected"),
    [
        (
            "release_agent",
            "merge_pull_request",
            {"pull": 71, "method": "merge"},
            "PRECONDITION_FAILED",
        ),
        ("release_agent", "delete_branch", {"branch": "main"}, "PRECONDITION_FAILED"),
        (
            "release_agent",
            "create_branch",
            {"branch": "main", "commit": MAIN},
            "PRECONDITION_FAILED",
        ),
        (
            "release_agent",
            "create_release_draft",
            {"tag": "v1.0.0", "name": "One", "notes": "Again."},
            "PRECONDITION_FAILED",
        ),
        ("release_agent", "rerun_workflow", {"run": 502}, "PRECONDITION_FAILED"),
        (
            "triage_agent",
            "add_issue_label",
            {"issue": 7, "label": "no-such-label"},
            "PRECONDITION_FAILED",
        ),
        ("triage_agent", "set_issue_state", {"issue": 7, "state": "open"}, "PRECONDITION_FAILED"),
        ("triage_agent", "comment_on_issue", {"issue": 999, "text": "Hello?"}, "TARGET_NOT_FOUND"),
        ("triage_agent", "merge_pull_request", {"pull": 70, "method": "merge"}, "UNKNOWN_TOOL"),
        (
            "release_agent",
            "create_branch",
            {"branch": "a/../../main", "commit": MAIN},
            "INVALID_ARGUMENT",
        ),
    ],
)
def test_a_preview_is_refused_early(
    table: Table, role: str, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    """P1, D3, X1: refused before anybody is asked, and without an effect."""
    with table.run(role) as run:
        assert code(run.call(f"preview_{tool}", REPO | arguments)) == expected
    assert table.github.world.ledger == []


def test_the_secondary_limit_is_a_rate_limit(table: Table) -> None:
    table.github.faults.add(
        {"operation": "repos/get", "kind": "rate_limited", "seconds": 600, "times": None}
    )
    with table.run("auditor") as run:
        reply = run.call("get_repository", REPO)
    assert isinstance(reply, Failure)
    assert (reply.error.code, reply.error.retryable) == ("RATE_LIMITED", True)
