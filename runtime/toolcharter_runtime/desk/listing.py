"""`pending`, `show` and `unknown`: reading, which never decides."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import click

from toolcharter_runtime.canonical import digest_of_bytes
from toolcharter_runtime.desk.escape import plain, quoted
from toolcharter_runtime.desk.faults import DeskError, guarded
from toolcharter_runtime.desk.page import page_json, page_lines, short_line
from toolcharter_runtime.desk.session import Desk, json_option, reading, with_store
from toolcharter_runtime.records import (
    PROPOSAL_DOMAIN,
    DecisionRow,
    ProposalRow,
    UnknownItem,
    instant_text,
)
from toolcharter_runtime.store import Store

__all__ = ["load_page", "pending", "show", "unknown"]


async def load_page(
    store: Store, tenant: str, proposal_id: str
) -> tuple[ProposalRow, tuple[DecisionRow, ...]]:
    """Return a proposal whose stored bytes are those of its digest, and its decisions."""
    row = await store.load_proposal(tenant, proposal_id)
    if row is None:
        raise DeskError("PROPOSAL_NOT_FOUND", "There is no such proposal for this tenant.")
    if digest_of_bytes(PROPOSAL_DOMAIN, row.canonical) != row.sha256:
        raise DeskError("PROPOSAL_CHANGED", "The stored proposal is not the one of its digest.")
    return row, await store.decisions(tenant, proposal_id)


@click.command()
@guarded
@reading
@json_option
def pending(desk: Desk, as_json: bool) -> None:
    """List what waits for a decision, oldest first.

    \b
    Example:
      toolcharter-desk pending --store sqlite:///boundary.db --tenant acme
    """

    async def work(store: Store) -> tuple[ProposalRow, ...]:
        await store.expire_due()
        return await store.proposals(desk.tenant, "pending")

    rows = with_store(desk.store, work)
    if as_json:
        click.echo(json.dumps([_pending_json(row) for row in rows], indent=2))
        return
    for row in rows:
        click.echo(short_line(row, datetime.now(UTC)))


@click.command()
@guarded
@click.argument("proposal_id")
@reading
@json_option
@click.option("--whole", is_flag=True, help="Cut no long value.")
def show(desk: Desk, proposal_id: str, as_json: bool, whole: bool) -> None:
    """Show what a proposal would do, and what it takes.

    \b
    Example:
      toolcharter-desk show prop_7f31 --store sqlite:///boundary.db --tenant acme
    """

    async def work(store: Store) -> tuple[list[str], dict[str, Any]]:
        row, decisions = await load_page(store, desk.tenant, proposal_id)
        lines = list(page_lines(row, decisions, store.now(), whole=whole))
        return lines, page_json(row, decisions)

    lines, value = with_store(desk.store, work)
    click.echo(json.dumps(value, indent=2) if as_json else "\n".join(lines))


@click.command()
@guarded
@reading
@json_option
def unknown(desk: Desk, as_json: bool) -> None:
    """List commits whose outcome nobody knows: key, target, attempts, what was asked.

    \b
    Example:
      toolcharter-desk unknown --store sqlite:///boundary.db --tenant acme
    """
    items = with_store(desk.store, lambda store: store.unknown_items(desk.tenant))
    if as_json:
        click.echo(json.dumps([_unknown_json(item) for item in items], indent=2))
        return
    for item in items:
        click.echo("\n".join(_unknown_lines(item)))


def _pending_json(row: ProposalRow) -> dict[str, Any]:
    proposal = row.proposal
    return {
        "proposal_id": proposal.proposal_id,
        "proposal_sha256": row.sha256,
        "effect": proposal.effect,
        "tool": proposal.tool,
        "agent": proposal.agent,
        "person": proposal.person,
        "approvals": row.approvals,
        "quorum": proposal.quorum,
        "expires_at": instant_text(proposal.expires_at),
    }


def _unknown_json(item: UnknownItem) -> dict[str, Any]:
    execution, proposal = item.execution, item.row.proposal
    return {
        "operation_id": execution.execution_id,
        "proposal_id": execution.proposal_id,
        "tool": execution.tool,
        "effect": proposal.effect,
        "target": proposal.target,
        "operation": execution.operation,
        "idempotency_key": execution.key,
        "attempts": execution.attempts,
        "sent_at": instant_text(execution.sent_at),
        "run_id": execution.run_id,
        "agent": proposal.agent,
        "person": proposal.person,
        "evidence": execution.evidence,
    }


def _items(evidence: Mapping[str, Any]) -> Any:
    """Return what a mixed answer to a bulk write said of its records."""
    facts: Mapping[str, Any] = evidence.get("facts") or {}
    return facts.get("items")


def _unknown_lines(item: UnknownItem) -> list[str]:
    execution, proposal = item.execution, item.row.proposal
    target, version = proposal.target, quoted(proposal.target.get("version"))
    kept: Mapping[str, Any] = execution.evidence or {}
    asked = f"{plain(proposal.upstream['origin'])}: {plain(execution.operation)}"
    return [
        f"{execution.execution_id}  {plain(proposal.effect)}",
        f"  target    {plain(target['type'])} {quoted(target['id'])}, version {version}",
        f"  asked of  {asked}",
        f"  key       {plain(execution.key)}",
        f"  sent      {instant_text(execution.sent_at)}, attempts {execution.attempts}",
        *(f"  answer    {plain(answer)}" for answer in kept.get("asked", ())),
        *(f"  items     {quoted(items)}" for items in [_items(kept)] if items is not None),
        f"  proposal  {execution.proposal_id}, run {plain(execution.run_id)}",
    ]
