"""The stage: the catalogs, the service as a process of its own, the desk with its people, a folder for all of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from upstreams.crm import TOKEN, Control

__all__ = ["ROOT", "TENANT", "CatalogsError", "Desk", "Stage", "generate_catalogs", "set_up"]

ROOT: Final = Path(__file__).parents[1]
"""The repository."""
TENANT: Final = "acme"
"""Whose customers these are."""
_PACKAGES: Final = ("crm_tools", "contacts_tools", "github_tools")
_BIN: Final = Path(sys.executable).parent
_PEOPLE: Final = {"lena": "support_lead", "omar": "operators"}


class CatalogsError(Exception):
    """The catalogs could not be generated; the text is the generator's."""


def generate_catalogs() -> list[tuple[str, int, int, str]]:
    """Generate the three packages; return of each its name, reads, writes and roles."""
    command = [str(_BIN / "toolcharter"), "generate"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CatalogsError(done.stdout + done.stderr)
    return [_counted(package) for package in _PACKAGES]


def _counted(package: str) -> tuple[str, int, int, str]:
    path = ROOT / "generated" / package / package / "catalog" / "catalog.json"
    catalog = json.loads(path.read_text("utf-8"))
    effects = [tool["effect"] for tool in catalog["tools"].values()]
    return (
        package,
        effects.count("read"),
        effects.count("write"),
        ", ".join(sorted(catalog["roles"])),
    )


@dataclass(frozen=True, slots=True)
class Desk:
    """The commands that people at the desk type; everything they need lies in one folder."""

    folder: Path

    @property
    def store(self) -> str:
        """The boundary's store, as a URL."""
        return f"sqlite:///{self.folder / 'boundary.db'}"

    def command(self, *words: str, person: str | None = None) -> str:
        """Run `toolcharter-desk` as somebody, and return what it printed."""
        settings = {
            "TOOLCHARTER_STORE": self.store,
            "TOOLCHARTER_TENANT": TENANT,
            "TOOLCHARTER_DESK_KEY": str(self.folder / "desk.key"),
            "TOOLCHARTER_APPROVERS": str(self.folder / "approvers.yaml"),
        }
        signing = (
            ()
            if person is None
            else ("--as", person, "--password-file", str(self._password(person)))
        )
        done = subprocess.run(
            [str(_BIN / "toolcharter-desk"), *words, *signing],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        return (done.stdout + done.stderr).strip()

    def open(self) -> None:
        """Make the desk's key and enter its people."""
        self.command("init")
        for person, group in _PEOPLE.items():
            path = self._password(person)
            path.write_text(f"{person} has a long password\n", "utf-8")
            path.chmod(0o600)
            self.command("person", "add", person, "--group", group, "--password-file", str(path))

    def listed(self, command: str) -> list[dict[str, Any]]:
        """Return what `pending` or `unknown` lists."""
        rows: list[dict[str, Any]] = json.loads(self.command(command, "--json"))
        return rows

    def approve(self, proposal_id: str, person: str) -> str:
        """Approve what `pending` shows of a proposal, by its digest."""
        digest = next(
            row["proposal_sha256"]
            for row in self.listed("pending")
            if row["proposal_id"] == proposal_id
        )
        return self.command("approve", proposal_id, "--digest", digest, "--yes", person=person)

    def _password(self, person: str) -> Path:
        return self.folder / f"{person}.password"


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything the story needs."""

    service: str
    """The URL of the customer service."""
    token: str
    crm: Control
    desk: Desk


@contextmanager
def set_up() -> Generator[Stage]:
    """Start the service and open the desk in `.demo`, which is emptied first."""
    folder = ROOT / ".demo"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    command = [
        sys.executable,
        "-m",
        "upstreams.crm",
        "--port",
        "0",
        "--database",
        str(folder / "crm.db"),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip() if process.stdout else ""
            desk = Desk(folder)
            desk.open()
            yield Stage(url, TOKEN, Control(url), desk)
        finally:
            process.terminate()
