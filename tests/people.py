"""People at a desk of the tests: they decide with the real commands, in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from toolcharter_runtime.desk.cli import main

__all__ = ["People"]


_DESKS: dict[tuple[tuple[str, str], ...], dict[str, bytes]] = {}
"""Groups → the desk's files as they were first made."""


@dataclass(frozen=True)
class People:
    """A folder with a store, a desk key and approvers; `groups` maps a person to a group."""

    folder: Path
    tenant: str
    groups: dict[str, str]

    @property
    def store(self) -> str:
        return f"sqlite:///{self.folder / 'boundary.db'}"

    @property
    def approvers(self) -> Path:
        return self.folder / "approvers.yaml"

    @property
    def public_key(self) -> Path:
        return self.folder / "desk.pub"

    def command(self, *words: str, person: str | None = None) -> str:
        """Run a command of the desk, which must succeed, and return what it printed."""
        settings = {
            "TOOLCHARTER_STORE": self.store,
            "TOOLCHARTER_TENANT": self.tenant,
            "TOOLCHARTER_DESK_KEY": str(self.folder / "desk.key"),
            "TOOLCHARTER_APPROVERS": str(self.approvers),
        }
        signing = (
            ["--as", person, "--password-file", str(self.folder / "password")] if person else []
        )
        done = CliRunner().invoke(main, [*words, *signing], env=settings)
        assert done.exit_code == 0, done.output
        return done.output

    def open(self) -> People:
        """Make the key and enter the people; hashing passwords is slow by design, so it is done once a process."""
        known = tuple(sorted(self.groups.items()))
        if known not in _DESKS:
            (self.folder / "password").write_text("a long password of the tests\n", "utf-8")
            self.command("init")
            for person, group in known:
                path = str(self.folder / "password")
                self.command("person", "add", person, "--group", group, "--password-file", path)
            _DESKS[known] = {
                path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()
            }
        for name, content in _DESKS[known].items():
            (self.folder / name).write_bytes(content)
            (self.folder / name).chmod(0o600)
        return self

    def listed(self, command: str) -> list[dict[str, Any]]:
        """Return what `pending` or `unknown` lists."""
        rows: list[dict[str, Any]] = json.loads(self.command(command, "--json"))
        return rows

    def approve(self, proposal_id: str, person: str) -> None:
        """Approve what `pending` shows of a proposal."""
        row = next(row for row in self.listed("pending") if row["proposal_id"] == proposal_id)
        self.command(
            "approve", proposal_id, "--digest", row["proposal_sha256"], "--yes", person=person
        )
