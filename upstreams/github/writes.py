"""The operations that change something, refused as GitHub refuses them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from upstreams.github.reads import (
    RefusedError,
    Sent,
    branch_of,
    issue_of,
    pull_of,
    run_of,
    show_issue,
    show_release,
)
from upstreams.github.shapes import filled
from upstreams.github.world import World

__all__ = ["WRITES"]

Answer = tuple[int, Any]
"""Status and body; none is no body."""


def _comment(world: World, sent: Sent) -> Answer:
    issue = issue_of(world, sent)
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    comment = {
        "id": world.new_id(),
        "issue": issue["number"],
        "body": sent["body"]["body"],
        "at": at,
    }
    world.comments.append(comment)
    issue["comments"] += 1
    world.record("issues/create-comment", issue["number"])
    return 201, filled("issue-comment", id=comment["id"], body=comment["body"], created_at=at)


def _update_issue(world: World, sent: Sent) -> Answer:
    issue = issue_of(world, sent)
    issue.update(
        {name: value for name, value in sent["body"].items() if name in {"state", "state_reason"}}
    )
    world.record("issues/update", issue["number"])
    return 200, show_issue(issue)


def _add_assignees(world: World, sent: Sent) -> Answer:
    issue = issue_of(world, sent)
    issue["assignees"] += [
        login for login in sent["body"]["assignees"] if login not in issue["assignees"]
    ]
    world.record("issues/add-assignees", issue["number"])
    return 201, show_issue(issue)


def _add_labels(world: World, sent: Sent) -> Answer:
    issue = issue_of(world, sent)
    issue["labels"] += [name for name in sent["body"]["labels"] if name not in issue["labels"]]
    world.record("issues/add-labels", issue["number"])
    return 200, [filled("label", name=name) for name in issue["labels"]]


def _lock(world: World, sent: Sent) -> Answer:
    issue = issue_of(world, sent)
    issue["locked"] = True
    world.record("issues/lock", issue["number"])
    return 204, None


def _merge(world: World, sent: Sent) -> Answer:
    pull = pull_of(world, sent)
    if pull["merged"] or pull["draft"]:
        raise RefusedError(405, "Pull Request is not mergeable")
    if sent["body"].get("sha", pull["head"]) != pull["head"]:
        raise RefusedError(409, "Head branch was modified. Review and try the merge again.")
    pull.update(merged=True, state="closed", mergeable=None, commit="c" * 40)
    world.record("pulls/merge", pull["number"])
    return 200, {"sha": "c" * 40, "merged": True, "message": "Pull Request successfully merged"}


def _create_release(world: World, sent: Sent) -> Answer:
    body = sent["body"]
    facts = {name: body[name] for name in ("tag_name", "name", "body", "draft") if name in body}
    release = {"id": world.new_id(), "draft": False, **facts}
    world.releases.append(release)
    world.record("repos/create-release", body["tag_name"])
    return 201, show_release(release)


def _create_ref(world: World, sent: Sent) -> Answer:
    name = sent["body"]["ref"].removeprefix("refs/heads/")
    if name in world.branches:
        raise RefusedError(422, "Reference already exists")
    world.branches[name] = {"sha": sent["body"]["sha"], "protected": False}
    world.record("git/create-ref", name)
    return 201, filled(
        "git-ref", ref=sent["body"]["ref"], object={"type": "commit", "sha": sent["body"]["sha"]}
    )


def _delete_ref(world: World, sent: Sent) -> Answer:
    name = sent["ref"].removeprefix("heads/")
    if name not in world.branches:
        raise RefusedError(422, "Reference does not exist")
    if branch_of(world, name)["protected"]:
        raise RefusedError(422, "Cannot delete this branch")
    del world.branches[name]
    world.record("git/delete-ref", name)
    return 204, None


def _rerun(world: World, sent: Sent) -> Answer:
    run = run_of(world, sent)
    if run["status"] != "completed":
        raise RefusedError(403, "This workflow is already running")
    run.update(status="queued", conclusion=None, run_attempt=run["run_attempt"] + 1)
    world.record("actions/re-run-workflow", sent["run_id"])
    return 201, {}


WRITES: dict[str, Callable[[World, Sent], Answer]] = {
    "issues/create-comment": _comment,
    "issues/update": _update_issue,
    "issues/add-assignees": _add_assignees,
    "issues/add-labels": _add_labels,
    "issues/lock": _lock,
    "pulls/merge": _merge,
    "repos/create-release": _create_release,
    "git/create-ref": _create_ref,
    "git/delete-ref": _delete_ref,
    "actions/re-run-workflow": _rerun,
}
"""What each write does and answers."""
