"""Options that commands share, and who is at the desk: a person who proved who they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from toolcharter_runtime.approvers import ApproversFile, Person
from toolcharter_runtime.desk.faults import DeskError, usage
from toolcharter_runtime.records import Cause, ProposalRow, mint_id
from toolcharter_runtime.signing import DeskKey
from toolcharter_runtime.store import Store

__all__ = [
    "PASSWORD_METHOD",
    "Desk",
    "Session",
    "cause_of",
    "deciding",
    "json_option",
    "read_password",
    "reading",
    "with_store",
]

T = TypeVar("T")
Command = Callable[..., Any]

PASSWORD_METHOD: Final = "password"  # noqa: S105 - the name of a method
"""How a person at the command line authenticated."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the desk works: the store and one tenant."""

    store: str
    tenant: str


@dataclass(frozen=True, slots=True)
class Session(Desk):
    """A desk with somebody at it."""

    person: Person
    key: DeskKey
    session_id: str

    def cause(self, row: ProposalRow) -> Cause:
        """Return the cause of a change that this person makes to a proposal."""
        return cause_of(row, f"person:{self.person.name}")


def cause_of(row: ProposalRow, actor: str) -> Cause:
    """Return a new request of the desk that belongs to the proposal's sequence (D4)."""
    proposal = row.proposal
    return Cause(
        tenant=proposal.tenant,
        request_id=mint_id("rq"),
        root_request_id=proposal.root_request_id,
        actor=actor,
        run_id=proposal.run_id,
        tool=proposal.tool,
    )


_STORE = click.option(
    "--store",
    required=True,
    envvar="TOOLCHARTER_STORE",
    metavar="URL",
    help="The boundary's store, e.g. sqlite:///boundary.db.",
)
_TENANT = click.option(
    "--tenant", required=True, envvar="TOOLCHARTER_TENANT", metavar="NAME", help="Whose proposals."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
"""Adds `as_json`."""


def reading(command: Command) -> Command:
    """Add --store and --tenant, handed over as one `desk`."""

    def run(store: str, tenant: str, **rest: Any) -> Any:
        return command(desk=Desk(store, tenant), **rest)

    return _STORE(_TENANT(_as(command, run)))


def deciding(command: Command) -> Command:
    """Add what a decision needs and authenticate; handed over as one `session`."""

    def run(**given: Any) -> Any:
        names = ("store", "tenant", "key", "approvers", "person", "password_file")
        session = _authenticated(**{name: given.pop(name) for name in names})
        return command(session=session, **given)

    options = (
        _STORE,
        _TENANT,
        click.option(
            "--key",
            type=click.Path(path_type=Path),
            default="desk.key",
            show_default=True,
            envvar="TOOLCHARTER_DESK_KEY",
            help="The desk's private key.",
        ),
        click.option(
            "--approvers",
            type=click.Path(path_type=Path),
            default="approvers.yaml",
            show_default=True,
            envvar="TOOLCHARTER_APPROVERS",
            help="Who may decide.",
        ),
        click.option(
            "--as",
            "person",
            required=True,
            envvar="TOOLCHARTER_PERSON",
            metavar="PERSON",
            help="Who decides.",
        ),
        click.option(
            "--password-file",
            type=click.Path(path_type=Path),
            help="First line is the password; asked for if left out.",
        ),
    )
    made = _as(command, run)
    for option in reversed(options):
        made = option(made)
    return made


def read_password(path: Path | None, *, confirm: bool = False) -> str:
    """Return the password from the first line of a file, or ask for it without showing it."""
    if path is None:
        answer: str = click.prompt("Password", hide_input=True, confirmation_prompt=confirm)
        return answer
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise usage("DESK_PASSWORD_FILE", f"{path} cannot be read") from None
    if not lines or not lines[0]:
        raise usage("DESK_PASSWORD_FILE", f"{path} has an empty first line")
    return lines[0]


def with_store(url: str, work: Callable[[Store], Awaitable[T]]) -> T:
    """Open the store, do the work, close it."""

    async def run() -> T:
        store = await Store.open(url, must_exist=True)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def _authenticated(
    *,
    store: str,
    tenant: str,
    key: Path,
    approvers: Path,
    person: str,
    password_file: Path | None,
) -> Session:
    signer = DeskKey.load(key)
    directory = ApproversFile(approvers)
    found = directory.authenticate(person, read_password(password_file))
    if found is None:
        raise DeskError("DESK_NOT_AUTHENTICATED", "No such person, or another password.")
    return Session(store, tenant, found, signer, mint_id("ses"))


def _as(command: Command, run: Command) -> Command:
    """Give the wrapper the command's name, help and options."""
    run.__name__ = command.__name__
    run.__doc__ = command.__doc__
    run.__dict__.update(command.__dict__)
    return run
