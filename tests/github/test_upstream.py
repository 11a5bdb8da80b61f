"""The stand-in answers every operation of the slice in the shapes of GitHub's own description."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from openapi_schema_validator import OAS30Validator

from upstreams.github import GitHubServer
from upstreams.github.shapes import load_description
from upstreams.github.world import HEAD, MAIN

REPO = "/repos/octo/widgets"


@pytest.fixture
def client(github: GitHubServer) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {github.token}"}
    with httpx2.Client(base_url=github.url + REPO, headers=headers, timeout=5) as opened:
        yield opened


def lenient(schema: Any) -> Any:
    """Let null in wherever a schema is called nullable: GitHub sends it, whatever OpenAPI 3.0.3 says."""
    if isinstance(schema, list):
        return [lenient(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {name: lenient(part) for name, part in schema.items()}
    if copied.get("nullable") is True and isinstance(copied.get("enum"), list):
        copied["enum"] = [*copied["enum"], None]
    if copied.get("nullable") is True and "type" not in copied:
        return {"anyOf": [copied, {"enum": [None]}]}
    return copied


def operation_of(method: str, path: str) -> dict[str, Any]:
    parts = (REPO + path).split("?")[0].split("/")
    for template, item in load_description()["paths"].items():
        names = template.split("/")
        fits = all(n == p or n.startswith("{") for n, p in zip(names, parts, strict=False))
        is_long = len(names) < len(parts) and names[-1] in {"{ref}", "{branch}"}
        if fits and (len(names) == len(parts) or is_long) and method.lower() in item:
            return item[method.lower()]
    raise AssertionError(f"{method} {path} is not described")


CALLS = [
    ("GET", "", None),
    ("GET", "/issues/7", None),
    ("GET", "/issues?state=open", None),
    ("GET", "/labels", None),
    ("GET", "/pulls/70", None),
    ("GET", "/pulls/70/files", None),
    ("GET", "/pulls/70/reviews", None),
    ("GET", f"/commits/{HEAD}/check-runs", None),
    ("GET", "/branches/feature/faster", None),
    ("GET", "/releases", None),
    ("GET", "/releases/tags/v1.0.0", None),
    ("GET", "/actions/runs", None),
    ("GET", "/actions/runs/501", None),
    ("POST", "/issues/7/comments", {"body": "Seen."}),
    ("GET", "/issues/7/comments", None),
    ("PATCH", "/issues/7", {"state": "closed", "state_reason": "completed"}),
    ("POST", "/issues/7/assignees", {"assignees": ["mona"]}),
    ("POST", "/issues/7/labels", {"labels": ["bug"]}),
    ("GET", "/issues/7/labels", None),
    ("PUT", "/issues/7/lock", {"lock_reason": "resolved"}),
    ("PUT", "/pulls/70/merge", {"sha": HEAD, "merge_method": "merge"}),
    ("POST", "/releases", {"tag_name": "v2.0.0", "name": "Two", "body": "Second.", "draft": True}),
    ("POST", "/git/refs", {"ref": "refs/heads/fix", "sha": MAIN}),
    ("DELETE", "/git/refs/heads/fix", None),
    ("POST", "/actions/runs/501/rerun", {}),
]


def test_every_operation_answers_as_described(github: GitHubServer, client: httpx2.Client) -> None:
    seen = set[str]()
    components = {"schemas": lenient(load_description()["components"]["schemas"])}
    for method, path, body in CALLS:
        operation = operation_of(method, path)
        seen.add(operation["operationId"])
        answer = client.request(method, github.url + REPO + path, json=body)
        assert answer.is_success, (method, path, answer.text)
        described = operation["responses"][str(answer.status_code)]
        if content := described.get("content"):
            schema = {
                **content["application/json"]["schema"],
                "components": components,
            }
            OAS30Validator(schema).validate(answer.json())
        else:
            assert answer.content == b""
    described = {
        node["operationId"]
        for item in load_description()["paths"].values()
        for node in item.values()
    }
    assert seen == described


def test_lists_are_paged_by_link(client: httpx2.Client) -> None:
    first = client.get("/issues", params={"per_page": 30})
    second = client.get(first.links["next"]["url"])
    third = client.get(second.links["next"]["url"])
    numbers = [row["number"] for page in (first, second, third) for row in page.json()]
    assert (numbers, "next" in third.links) == (list(range(65, 0, -1)), False)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/git/refs", {"ref": "refs/heads/main", "sha": MAIN}, 422),
        ("DELETE", "/git/refs/heads/main", None, 422),
        ("DELETE", "/git/refs/heads/gone", None, 422),
        ("PUT", "/pulls/70/merge", {"sha": MAIN}, 409),
        ("PUT", "/pulls/71/merge", {"sha": HEAD}, 405),
        ("POST", "/actions/runs/502/rerun", {}, 403),
        ("GET", "/issues/999", None, 404),
        ("GET", "/releases/tags/v9", None, 404),
    ],
)
def test_refusals_are_githubs_and_apply_nothing(
    github: GitHubServer, client: httpx2.Client, method: str, path: str, body: Any, status: int
) -> None:
    assert client.request(method, path, json=body).status_code == status
    assert github.world.ledger == []
