"""The operations that change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from upstreams.github.shapes import filled
from upstreams.github.world import World

__all__ = [
    "READS",
    "RefusedError",
    "Sent",
    "branch_of",
    "issue_of",
    "pull_of",
    "run_of",
    "show_issue",
    "show_release",
]

Sent = dict[str, Any]
"""Path and query parameters by name, and the body under `body`."""
_OCTOCAT = {"login": "octocat", "id": 1}


class RefusedError(Exception):
    """GitHub's way of saying no: a status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def _user() -> dict[str, Any]:
    return filled("simple-user", **_OCTOCAT)


def _found(rows: dict[Any, dict[str, Any]], key: object) -> dict[str, Any]:
    if key not in rows:
        raise RefusedError(404, "Not Found")
    return rows[key]


def issue_of(world: World, sent: Sent) -> dict[str, Any]:
    """Return the issue's facts, or refuse."""
    return _found(world.issues, int(sent["issue_number"]))


def pull_of(world: World, sent: Sent) -> dict[str, Any]:
    """Return the pull request's facts, or refuse."""
    return _found(world.pulls, int(sent["pull_number"]))


def run_of(world: World, sent: Sent) -> dict[str, Any]:
    """Return the workflow run's facts, or refuse."""
    return _found(world.runs, int(sent["run_id"]))


def branch_of(world: World, name: str) -> dict[str, Any]:
    """Return the branch's facts, or refuse."""
    return _found(world.branches, name)


def show_issue(issue: dict[str, Any]) -> dict[str, Any]:
    """Return an issue as GitHub shows it."""
    labels = [filled("label", name=name) for name in issue["labels"]]
    people = [filled("simple-user", login=login) for login in issue["assignees"]]
    return filled("issue", **{**issue, "user": _user(), "labels": labels, "assignees": people})


def _show_pull(pull: dict[str, Any]) -> dict[str, Any]:
    facts = {name: value for name, value in pull.items() if name not in {"head", "commit"}}
    return filled(
        "pull-request",
        **facts,
        user=_user(),
        head={"sha": pull["head"], "ref": "feature/faster"},
        base={"ref": "main"},
        merge_commit_sha=pull["commit"],
        changed_files=2,
    )


def show_release(release: dict[str, Any]) -> dict[str, Any]:
    """Return a release as GitHub shows it."""
    return filled("release", **release)


def _show_run(number: int, run: dict[str, Any]) -> dict[str, Any]:
    return filled(
        "workflow-run", id=number, name="build", head_branch="main", head_sha="a" * 40, **run
    )


def _show_branch(name: str, branch: dict[str, Any]) -> dict[str, Any]:
    return filled(
        "branch-with-protection",
        name=name,
        commit={"sha": branch["sha"]},
        protected=branch["protected"],
    )


def _issues(world: World, sent: Sent) -> list[Any]:
    wanted = sent.get("state", "open")
    chosen = [issue for issue in world.issues.values() if wanted in {"all", issue["state"]}]
    return [show_issue(issue) for issue in sorted(chosen, key=lambda issue: -issue["number"])]


def _comments(world: World, sent: Sent) -> list[Any]:
    issue_of(world, sent)
    since = sent.get("since", "")
    return [
        filled(
            "issue-comment",
            id=comment["id"],
            body=comment["body"],
            created_at=comment["at"],
            user=_user(),
        )
        for comment in world.comments
        if comment["issue"] == int(sent["issue_number"]) and comment["at"] >= since
    ]


def _labels_of_issue(world: World, sent: Sent) -> list[Any]:
    return [filled("label", name=name) for name in issue_of(world, sent)["labels"]]


def _release_of_tag(world: World, sent: Sent) -> dict[str, Any]:
    for release in world.releases:
        if release["tag_name"] == sent["tag"] and not release["draft"]:
            return show_release(release)
    raise RefusedError(404, "Not Found")


def _files(world: World, sent: Sent) -> list[Any]:
    pull_of(world, sent)
    return [
        filled("diff-entry", filename=f"src/{name}.py", status="modified")
        for name in ("start", "stop")
    ]


def _reviews(world: World, sent: Sent) -> list[Any]:
    head = pull_of(world, sent)["head"]
    return [
        filled("pull-request-review", state="APPROVED", body="Good.", user=_user(), commit_id=head)
    ]


def _checks(world: World, sent: Sent) -> dict[str, Any]:
    return {
        "check_runs": [filled("check-run", name="build", status="completed", conclusion="success")]
    }


def _runs(world: World, sent: Sent) -> dict[str, Any]:
    wanted = sent.get("status")
    rows = {
        n: run
        for n, run in world.runs.items()
        if wanted in {None, run["status"], run["conclusion"]}
    }
    return {"workflow_runs": [_show_run(number, run) for number, run in rows.items()]}


def _repository(world: World, sent: Sent) -> dict[str, Any]:
    return filled(
        "full-repository",
        name=world.repo,
        default_branch=world.default_branch,
        description="Widgets.",
    )


READS: dict[str, Callable[[World, Sent], Any]] = {
    "repos/get": _repository,
    "issues/get": lambda world, sent: show_issue(issue_of(world, sent)),
    "issues/list-for-repo": _issues,
    "issues/list-comments": _comments,
    "issues/list-labels-on-issue": _labels_of_issue,
    "issues/list-labels-for-repo": lambda world, sent: [
        filled("label", name=name) for name in world.labels
    ],
    "pulls/get": lambda world, sent: _show_pull(pull_of(world, sent)),
    "pulls/list-files": _files,
    "pulls/list-reviews": _reviews,
    "checks/list-for-ref": _checks,
    "repos/get-branch": lambda world, sent: _show_branch(
        sent["branch"], branch_of(world, sent["branch"])
    ),
    "repos/list-releases": lambda world, sent: [
        show_release(release) for release in reversed(world.releases)
    ],
    "repos/get-release-by-tag": _release_of_tag,
    "actions/list-workflow-runs-for-repo": _runs,
    "actions/get-workflow-run": lambda world, sent: _show_run(
        int(sent["run_id"]), run_of(world, sent)
    ),
}
"""What each read answers: an object, a list that is paged, or an object with one list that is paged."""
