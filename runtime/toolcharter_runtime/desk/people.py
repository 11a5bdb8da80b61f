"""`init` and `person add`: the desk's key pair, and who may decide."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import click

from toolcharter_runtime.approvers import ApproversFile, hash_password, is_name
from toolcharter_runtime.desk.faults import DeskError, guarded, usage
from toolcharter_runtime.desk.session import read_password
from toolcharter_runtime.signing import DeskKey

__all__ = ["init", "person"]

_HEAD = """\
# Who may decide, one person a line:
#   name: {groups: [group, ...], hash: "argon2id hash"}
# `toolcharter-desk person add NAME --group GROUP` writes one. The group `operators` settles unknown outcomes.
# Where the application names a person otherwise, add `subject: that name`.
"""

_APPROVERS = click.option(
    "--approvers",
    type=click.Path(path_type=Path),
    default="approvers.yaml",
    show_default=True,
    envvar="TOOLCHARTER_APPROVERS",
)


@click.command()
@guarded
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    default="desk.key",
    show_default=True,
    envvar="TOOLCHARTER_DESK_KEY",
    help="The private key; the public one gets the same name with .pub.",
)
@_APPROVERS
def init(key: Path, approvers: Path) -> None:
    """Make the desk's key pair and an empty list of approvers.

    \b
    Example:
      toolcharter-desk init
    """
    public = key.with_suffix(".pub")
    made = DeskKey.create(key, public)
    if not approvers.exists():
        _replace(approvers, _HEAD)
    click.echo(f"{key}: private key {made.key_id}; keep it where people decide")
    click.echo(f"{public}: public key; give it to the boundary as desk_keys")
    click.echo(f"{approvers}: who may decide")


@click.group()
def person() -> None:
    """Say who may decide."""


@person.command()
@guarded
@click.argument("name")
@click.option("--group", "groups", multiple=True, required=True, help="May be given again.")
@click.option("--subject", help="What the application calls this person, if otherwise.")
@click.option(
    "--password-file", type=click.Path(path_type=Path), help="First line is the password."
)
@_APPROVERS
def add(
    name: str,
    groups: tuple[str, ...],
    subject: str | None,
    password_file: Path | None,
    approvers: Path,
) -> None:
    """Add a person with groups and a password.

    \b
    Example:
      toolcharter-desk person add ann --group support_lead
    """
    for text in (name, *groups):
        if not is_name(text):
            raise usage("DESK_BAD_NAME", "A name is 1 to 64 of letters, digits and `._@-`.")
    before = _text_of(approvers)
    if ApproversFile(approvers).person(name) is not None if approvers.exists() else False:
        raise DeskError("DESK_PERSON_EXISTS", f"{name} is in {approvers} already.")
    entry = [f"groups: [{', '.join(map(json.dumps, groups))}]"]
    if subject:
        entry.append(f"subject: {json.dumps(subject)}")
    entry.append(f"hash: {json.dumps(hash_password(read_password(password_file, confirm=True)))}")
    gap = "" if not before or before.endswith("\n") else "\n"
    _replace(approvers, f"{before}{gap}{json.dumps(name)}: {{{', '.join(entry)}}}\n")
    click.echo(f"{name}: {', '.join(groups)}")


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return _HEAD
    except (OSError, UnicodeDecodeError):
        raise usage("APPROVERS_UNREADABLE", f"{path} cannot be read") from None


def _replace(path: Path, text: str) -> None:
    """Write the file whole, readable by its owner alone, or leave it as it was."""
    try:
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        new = Path(name)
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            ApproversFile(new).person("nobody")
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise usage("APPROVERS_UNREADABLE", f"{path} cannot be written: {error.strerror}") from None
