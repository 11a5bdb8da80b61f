"""`audit` and `verify`: the sequence that an id belongs to, and whether the chain holds (D4, S7)."""

from __future__ import annotations

import json
from typing import Any

import click

from toolcharter_runtime.desk.escape import plain
from toolcharter_runtime.desk.faults import DeskError, guarded
from toolcharter_runtime.desk.session import Desk, json_option, reading, with_store
from toolcharter_runtime.records import AuditRow, instant_text

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
def verify(desk: Desk) -> None:
    """Recompute a tenant's audit chain.

    \b
    Example:
      toolcharter-desk verify --store sqlite:///boundary.db --tenant acme
    """
    verdict = with_store(desk.store, lambda store: store.audit_verify(desk.tenant))
    if verdict.broken_at is not None:
        raise DeskError("AUDIT_BROKEN", f"The chain breaks at row {verdict.broken_at}.")
    head = verdict.head or "empty"
    click.echo(f"{plain(verdict.tenant)}: {verdict.rows} rows, inner consistency only; head {head}")


def _line(row: AuditRow) -> str:
    ids = [item for item in (row.request_id, row.proposal_id, row.execution_id) if item]
    words = [row.kind, row.code or "", row.note or "", f"by {row.actor}"]
    shown = "  ".join(plain(word) for word in words if word)
    return f"{row.number:>6}  {instant_text(row.at)}  {shown}  {' '.join(map(plain, ids))}"


def _json(row: AuditRow) -> dict[str, Any]:
    value = {name: getattr(row, name) for name in AuditRow.__slots__}
    value["at"] = instant_text(row.at)
    return value
