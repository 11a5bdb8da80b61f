"""What is in this GitHub: one repository with issues, pull requests, branches, releases and workflow runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["HEAD", "MAIN", "World"]

MAIN: Final = "a" * 40
"""The commit of the default branch."""
HEAD: Final = "b" * 40
"""The commit of the pull request and its branch."""


def _issues() -> dict[int, dict[str, Any]]:
    return {
        number: {
            "number": number,
            "title": f"Report {number}",
            "body": "It does not start.",
            "state": "open",
            "state_reason": None,
            "locked": False,
            "assignees": [],
            "labels": [],
            "comments": 0,
        }
        for number in range(1, 66)
    }


def _pulls() -> dict[int, dict[str, Any]]:
    facts = {
        "state": "open",
        "draft": False,
        "merged": False,
        "mergeable": True,
        "head": HEAD,
        "commit": None,
    }
    return {
        70: {"number": 70, "title": "Start faster", **facts},
        71: {"number": 71, "title": "Half done", **facts, "draft": True},
    }


@dataclass(slots=True)
class World:
    """The repository `octo/widgets`, and every effect on it."""

    owner: str = "octo"
    repo: str = "widgets"
    default_branch: str = "main"
    issues: dict[int, dict[str, Any]] = field(default_factory=_issues)
    pulls: dict[int, dict[str, Any]] = field(default_factory=_pulls)
    comments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    labels: list[str] = field(
        default_factory=lambda: ["bug", "question", *(f"area-{n:02}" for n in range(40))]
    )
    branches: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {
            "main": {"sha": MAIN, "protected": True},
            "feature/faster": {"sha": HEAD, "protected": False},
        }
    )
    releases: list[dict[str, Any]] = field(
        default_factory=lambda: [
            {"id": 900, "tag_name": "v1.0.0", "name": "One", "body": "First.", "draft": False}
        ]
    )
    runs: dict[int, dict[str, Any]] = field(
        default_factory=lambda: {
            501: {"status": "completed", "conclusion": "failure", "run_attempt": 1},
            502: {"status": "in_progress", "conclusion": None, "run_attempt": 1},
        }
    )
    ledger: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Operation and target of each effect, oldest first."""
    _next: int = 1000

    def new_id(self) -> int:
        """Return an id that was not used yet."""
        self._next += 1
        return self._next

    def record(self, operation: str, target: object) -> None:
        """Write one effect down."""
        self.ledger.append((operation, str(target)))
