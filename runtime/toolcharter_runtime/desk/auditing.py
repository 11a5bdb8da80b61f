"""`audit` and `verify`: the sequence that an id belongs to, and whether the chain holds (D4, S7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from toolcharter_runtime.desk.checkpoints import read_checkpoint, write_checkpoint
from toolcharter_runtime.desk.escape import plain
from toolcharter_runtime.desk.faults import DeskError, guarded
from toolcharter_runtime.desk.session import Desk, json_option, reading, with_store
from toolcharter_runtime.records import AuditRow, Checkpoint, instant_text
from toolcharter_runtime.signing import DeskKey

__all__ = ["audit", "verify"]


@click.command()
@guarded
@click.argument("any_id")
@reading
@json_option
def audit(desk: Desk, any_id: str, as_json: bool) -> None:
    """Show the whole sequence that a request, proposal, operation or run id belongs to.

    \b
    Example:
      toolcharter-desk audit prop_7f31 --store sqlite:///boundary.db --tenant acme
    """
    rows = with_store(desk.store, lambda store: store.audit_of(desk.tenant, any_id))
    if not rows:
        raise DeskError("DESK_ID_NOT_FOUND", "No row of this tenant's audit has that id.")
    if as_json:
        click.echo(json.dumps([_json(row) for row in rows], indent=2))
        return
    for row in rows:
        click.echo(_line(row))


@click.command()
@guarded
@reading
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Compare with this file.")
@click.option(
    "--public",
    type=click.Path(path_type=Path),
    default="desk.pub",
    show_default=True,
    help="The key that signed the checkpoint.",
)
@click.option("--export", type=click.Path(path_type=Path), help="Write a signed checkpoint here.")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    default="desk.key",
    show_default=True,
    envvar="TOOLCHARTER_DESK_KEY",
    help="Signs the checkpoint.",
)
def verify(
    desk: Desk, checkpoint: Path | None, public: Path, export: Path | None, key: Path
) -> None:
    """Recompute a tenant's audit chain, and compare it with what the desk signed before.

    A chain says nothing of rows cut off its end: export a checkpoint, keep it elsewhere, and compare later.

    \b
    Example:
      toolcharter-desk verify --store sqlite:///boundary.db --tenant acme --export acme.checkpoint
      toolcharter-desk verify --store sqlite:///boundary.db --tenant acme --checkpoint acme.checkpoint
    """
    verdict = with_store(desk.store, lambda store: store.audit_verify(desk.tenant))
    if verdict.broken_at is not None:
        raise DeskError("AUDIT_BROKEN", f"The chain breaks at row {verdict.broken_at}.")
    scope = "inner consistency only"
    if checkpoint is not None:
        scope = _compared(desk, read_checkpoint(checkpoint, desk.tenant, public))
    click.echo(f"{plain(verdict.tenant)}: {verdict.rows} rows, {scope}")
    if export is not None:
        write_checkpoint(export, verdict, DeskKey.load(key))


def _compared(desk: Desk, signed: Checkpoint) -> str:
    if signed.rows:
        found = with_store(desk.store, lambda store: store.audit_hash(desk.tenant, signed.rows))
        if found != signed.head:
            raise DeskError("AUDIT_BROKEN", f"Row {signed.rows} is not the one that was signed.")
    return f"the first {signed.rows} as signed at {instant_text(signed.at)}"


def _line(row: AuditRow) -> str:
    ids = [item for item in (row.request_id, row.proposal_id, row.execution_id) if item]
    words = [row.kind, row.code or "", row.note or "", f"by {row.actor}"]
    shown = "  ".join(plain(word) for word in words if word)
    return f"{row.number:>6}  {instant_text(row.at)}  {shown}  {' '.join(map(plain, ids))}"


def _json(row: AuditRow) -> dict[str, Any]:
    value = {name: getattr(row, name) for name in AuditRow.__slots__}
    value["at"] = instant_text(row.at)
    return value
