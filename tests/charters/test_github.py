"""Writes without any key: a marker in a text, a head commit, absence as a proof, an attempt that moved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Success
from toolcharter_runtime.upstream.credentials import Credential

from .stage import Fake, Stage, code_of, json_of

HEAD, NEXT = "a" * 40, "b" * 40
MERGE = {"repo": "tools", "pull": 7, "method": "squash"}
SLASHED = "fix/one"


class GitHub(Fake):
    """One repository with an issue, a pull request, two branches and a workflow run."""

    def __init__(self) -> None:
        super().__init__()
        self.comments = [self._comment(n, f"number {n}") for n in range(1, 121)]
        self.labels = ["bug"]
        self.branches = {"main": HEAD, SLASHED: NEXT}
        self.pull: dict[str, Any] = {
            "number": 7, "title": "One fix", "state": "open", "draft": False, "merged": False,
            "mergeable": True, "head": {"sha": HEAD}, "base": {"ref": "main"}, "merge_commit_sha": None,
        }  # fmt: skip
        self.run: dict[str, Any] = {
            "id": 5,
            "run_attempt": 1,
            "status": "completed",
            "conclusion": "failure",
        }
        self.next_link = "https://api.test/repositories/1/issues/3/comments?per_page=50&page={}"
        self.merge_answer: httpx2.Response | None = None

    def _comment(self, number: int, body: str) -> dict[str, Any]:
        url = f"https://github.test/acme/tools/issues/3#{number}"
        return {"id": number, "user": {"login": "ann"}, "body": body, "html_url": url}

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        assert request.headers["authorization"] == "Bearer token"
        path = request.url.path.removeprefix("/repos/acme/tools")
        match request.method, path:
            case "GET", "":
                return httpx2.Response(200, json={"default_branch": "main"})
            case "GET", "/issues/3":
                issue = {"title": "It breaks", "locked": False, "comments": len(self.comments)}
                return httpx2.Response(200, json=issue)
            case "GET", "/issues/3/comments":
                return self._page(request)
            case "POST", "/issues/3/comments":
                self.comments.append(
                    self._comment(len(self.comments) + 1, json_of(request)["body"])
                )
                return httpx2.Response(201, json=self.comments[-1])
            case _, "/issues/3/labels":
                if request.method == "POST":
                    self.labels += [x for x in json_of(request)["labels"] if x not in self.labels]
                return httpx2.Response(200, json=[{"name": name} for name in self.labels])
            case "GET", "/pulls/7":
                return httpx2.Response(200, json=self.pull)
            case "PUT", "/pulls/7/merge":
                return self._merge(json_of(request))
            case "POST", "/git/refs":
                return self._create(json_of(request))
            case "GET", "/actions/runs/5":
                return httpx2.Response(200, json=self.run)
            case "POST", "/actions/runs/5/rerun":
                self.run.update(run_attempt=2, status="in_progress", conclusion=None)
                return httpx2.Response(201, json={})
        assert path.startswith(("/git/ref/heads/", "/git/refs/heads/")), path
        return self._branch(request.method, path.partition("/heads/")[2])

    def _page(self, request: httpx2.Request) -> httpx2.Response:
        size, page = int(request.url.params["per_page"]), int(request.url.params.get("page", 1))
        more = page * size < len(self.comments)
        link = f'<{self.next_link.format(page + 1)}>; rel="next", <https://api.test/x?page=9>; rel="last"'
        return httpx2.Response(
            200,
            json=self.comments[(page - 1) * size : page * size],
            headers={"Link": link} if more else {},
        )

    def _merge(self, body: dict[str, Any]) -> httpx2.Response:
        if self.merge_answer is not None:
            return self.merge_answer
        if self.pull["merged"]:
            return httpx2.Response(405, json={"message": "Pull Request is not mergeable"})
        if body["sha"] != self.pull["head"]["sha"]:
            return httpx2.Response(409, json={"message": "Head branch was modified"})
        self.pull.update(merged=True, state="closed", merge_commit_sha=NEXT)
        return httpx2.Response(200, json={"sha": NEXT, "merged": True, "message": "merged"})

    def _create(self, body: dict[str, Any]) -> httpx2.Response:
        name = body["ref"].removeprefix("refs/heads/")
        if name in self.branches:
            return httpx2.Response(422, json={"message": "Reference already exists"})
        self.branches[name] = body["sha"]
        return self._branch("GET", name, 201)

    def _branch(self, method: str, name: str, status: int = 200) -> httpx2.Response:
        if name not in self.branches:
            return httpx2.Response(404, json={"message": "Not Found"})
        if method == "DELETE":
            del self.branches[name]
            return httpx2.Response(204)
        ref = {
            "ref": f"refs/heads/{name}",
            "object": {"sha": self.branches[name], "type": "commit"},
        }
        return httpx2.Response(status, json=ref)


@pytest.fixture
def github() -> GitHub:
    return GitHub()


@pytest.fixture
def staged(stage: Callable[..., Stage], github: GitHub) -> Callable[[str], Stage]:
    more = {"context": {"owner": "acme"}, "credential": Credential.bearer("token")}
    return lambda role: stage("github", github, role, **more)


@pytest.mark.parametrize("loses", [0, 1])
def test_comment_is_there_once(staged: Callable[[str], Stage], github: GitHub, loses: int) -> None:
    """After a lost answer it is found by its marker, on the third page."""
    github.loses = loses
    arguments = {"repo": "tools", "issue": 3, "text": "Thank you."}
    reply = staged("triage_agent").written("comment_on_issue", arguments)
    assert isinstance(reply, Success), reply
    assert reply.result == {
        "comment": 121,
        "url": "https://github.test/acme/tools/issues/3#121",
    }
    assert github.comments[-1]["body"].startswith("Thank you.\n\n<!-- tc-")
    assert len(github.writes) == 1
    assert reply.evidence is not None
    assert reply.evidence.proof == ("effect" if loses else "answer")


def test_pages_of_a_link_end_with_it(staged: Callable[[str], Stage]) -> None:
    async def story() -> list[int]:
        seen: list[int] = []
        async with staged("triage_agent").run() as run:
            arguments: dict[str, Any] = {"repo": "tools", "issue": 3}
            while True:
                reply = await run.call("list_issue_comments", arguments)
                assert isinstance(reply, Success), reply
                seen += [one["comment"] for one in reply.result["comments"]]
                if reply.result["next_cursor"] is None:
                    return seen
                arguments["cursor"] = reply.result["next_cursor"]

    assert asyncio.run(story()) == list(range(1, 121))


def test_labels_are_added_to_those_that_are_there(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    arguments = {"repo": "tools", "issue": 3, "labels": ["bug", "help wanted"]}
    stage = staged("triage_agent")

    async def story() -> None:
        async with stage.run() as run:
            proposal = await stage.proposed(run, "add_labels", **arguments)
            (row,) = (await stage.shown(proposal))["changes"]
            assert (row["before"], row["after"]) == (["bug"], ["bug", "help wanted"])
            reply = await stage.commit(run, "add_labels", proposal)
            assert isinstance(reply, Success), reply
            assert reply.result == {"names": ["bug", "help wanted"]}

    asyncio.run(story())
    assert json_of(github.writes[0]) == {"labels": ["bug", "help wanted"]}


def test_merge_at_the_head_that_was_reviewed(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    reply = staged("release_agent").written("merge_pull_request", MERGE)
    assert isinstance(reply, Success), reply
    assert reply.result == {"commit": NEXT, "merged": True}
    assert json_of(github.writes[0]) == {"merge_method": "squash", "sha": HEAD}
    assert reply.evidence is not None
    assert reply.evidence.version_check == "atomic"


def test_merge_of_a_head_that_moved_in_the_last_moment(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    """The upstream's 409, which the charter says to be a conflict."""
    github.merge_answer = httpx2.Response(409, json={"message": "Head branch was modified"})
    reply = staged("release_agent").written("merge_pull_request", MERGE)
    assert code_of(reply) == "VERSION_CONFLICT"
    assert "modified" not in repr(reply)


def test_merge_whose_answer_is_lost_proves_the_state_only(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    github.loses = 1
    reply = staged("release_agent").written("merge_pull_request", MERGE)
    assert isinstance(reply, Success), reply
    assert reply.result == {"commit": NEXT, "merged": True}
    assert reply.evidence is not None
    assert reply.evidence.proof == "state"


def test_merge_that_answers_without_a_merge_is_unknown(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    github.merge_answer = httpx2.Response(200, json={"sha": NEXT, "merged": False, "message": ""})
    reply = staged("release_agent").written("merge_pull_request", MERGE)
    assert code_of(reply) == "UNKNOWN_OUTCOME"


@pytest.mark.parametrize("loses", [0, 1])
def test_branch_is_deleted_and_its_absence_proves_it(
    staged: Callable[[str], Stage], github: GitHub, loses: int
) -> None:
    github.loses = loses
    stage = staged("release_agent")
    reply = stage.written("delete_branch", {"repo": "tools", "branch": SLASHED})
    assert isinstance(reply, Success), reply
    assert github.branches == {"main": HEAD}
    assert github.writes[0].url.raw_path == b"/repos/acme/tools/git/refs/heads/fix/one"
    assert reply.evidence is not None
    assert reply.evidence.absent["upstream_operation_id"] == "204 without a body"


def test_default_branch_fails_the_second_check(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    async def story() -> None:
        async with staged("release_agent").run() as run:
            arguments = {"repo": "tools", "branch": "main"}
            reply = await run.call("preview_delete_branch", arguments)
            assert code_of(reply) == "PRECONDITION_FAILED"

    asyncio.run(story())
    assert github.writes == []


def test_branch_of_a_name_that_was_taken_meanwhile(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    arguments = {"repo": "tools", "branch": "new", "sha": HEAD}
    stage = staged("release_agent")
    original = github._create
    github._create = lambda body: (  # type: ignore[method-assign]
        github.branches.update(new=NEXT),
        original(body),
    )[1]
    assert code_of(stage.written("create_branch", arguments)) == "VERSION_CONFLICT"


def test_workflow_that_is_run_again_is_followed(
    staged: Callable[[str], Stage], github: GitHub
) -> None:
    stage = staged("release_agent")

    async def story() -> None:
        async with stage.run() as run:
            reply = await stage.write(run, "rerun_workflow", {"repo": "tools", "run": 5})
            assert isinstance(reply, Success), reply
            assert reply.status == "accepted"
            asked = {"operation_id": reply.operation_id}
            state = await run.call("get_operation", asked)
            assert isinstance(state, Success)
            assert state.result["state"] == "running"
            github.run.update(status="completed", conclusion="success")
            ended = await stage.end_of(run, reply.operation_id)
            assert isinstance(ended, Success), ended
            assert ended.result["state"] == "succeeded"

    asyncio.run(story())


def test_workflow_that_fails_again(staged: Callable[[str], Stage], github: GitHub) -> None:
    stage = staged("release_agent")

    async def story() -> None:
        async with stage.run() as run:
            reply = await stage.write(run, "rerun_workflow", {"repo": "tools", "run": 5})
            assert isinstance(reply, Success), reply
            github.run.update(status="completed", conclusion="timed_out")
            ended = await stage.end_of(run, reply.operation_id)
            assert isinstance(ended, Success), ended
            assert ended.result["state"] == "failed"

    asyncio.run(story())
