from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner, Result

from tests.store.build import Scene, cause, proposal
from toolcharter_runtime.desk.cli import main
from toolcharter_runtime.records import ProposalRow
from toolcharter_runtime.signing import DeskKey, DeskKeys
from toolcharter_runtime.store import Store

PEOPLE = {
    "ann": "groups: [support_lead]",
    "bob": "groups: [support_lead, operators]",
    "eve": "groups: [finance]",
    "u17": "groups: [support_lead, operators]",
    "una": "groups: [support_lead, operators], subject: u17",
}
"""u17 is the requester of every proposal here; una is the same person under another name."""


class DeskScene(Scene):
    """A store, the desk's files, and a way to call its commands."""

    def __init__(self, folder: Path, hashed: str) -> None:
        super().__init__(folder)
        self.folder = folder
        self.clock.at = datetime.now(UTC)
        self.key = DeskKey.create(folder / "desk.key", folder / "desk.pub")
        self.keys = DeskKeys.load([folder / "desk.pub"])
        (folder / "pw").write_text("open sesame\n", "utf-8")
        (folder / "wrong").write_text("open says me\n", "utf-8")
        entries = [f'{name}: {{{what}, hash: "{hashed}"}}\n' for name, what in PEOPLE.items()]
        (folder / "approvers.yaml").write_text("".join(entries), "utf-8")

    def run(self, *arguments: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(main, list(arguments), input=stdin)

    def read(self, *arguments: str) -> Result:
        return self.run(*arguments, "--store", self.url, "--tenant", "acme")

    def as_(
        self, name: str, *arguments: str, password: str = "pw", stdin: str | None = None
    ) -> Result:
        return self.run(
            *arguments,
            *("--store", self.url, "--tenant", "acme", "--as", name),
            *("--key", str(self.folder / "desk.key")),
            *("--approvers", str(self.folder / "approvers.yaml")),
            *("--password-file", str(self.folder / password)),
            stdin=stdin,
        )

    def propose(self, **changes: Any) -> ProposalRow:
        made = proposal(self.clock.at, **changes)
        return self.play(lambda store: store.add_proposal(made, cause(made)))

    def row(self, row: ProposalRow) -> ProposalRow:
        async def find(store: Store) -> ProposalRow:
            found = await store.load_proposal(row.proposal.tenant, row.proposal.proposal_id)
            assert found is not None
            return found

        return self.play(find)

    def approve(self, row: ProposalRow, name: str = "ann", more: Sequence[str] = ()) -> Result:
        digest = ("--digest", row.sha256, "--yes")
        return self.as_(name, "approve", row.proposal.proposal_id, *digest, *more)


def said(result: Result) -> Any:
    """Return the JSON of a command that succeeded."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def failed(result: Result) -> tuple[int, str]:
    """Return the exit code and the error's code; no traceback, one line."""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    return result.exit_code, line.split(":")[1].strip()


@pytest.fixture(scope="session")
def hashed() -> str:
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("open sesame")


@pytest.fixture
def desk(tmp_path: Path, hashed: str) -> DeskScene:
    return DeskScene(tmp_path, hashed)
