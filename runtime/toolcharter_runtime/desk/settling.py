"""`settle`: an operator closes an unknown outcome with a reason, signed as a decision is (I7)."""

from __future__ import annotations

from typing import Any, get_args

import click

from toolcharter_runtime.approvals import may_settle
from toolcharter_runtime.desk.faults import DeskError, guarded, usage
from toolcharter_runtime.desk.session import PASSWORD_METHOD, Session, deciding, with_store
from toolcharter_runtime.envelope import Problem
from toolcharter_runtime.records import (
    ExecutionRow,
    Refused,
    Settlement,
    SettlementOutcome,
    UnknownItem,
)
from toolcharter_runtime.store import Store

__all__ = ["settle"]

_WHY_NOT = {
    "group": ("DESK_NOT_AUTHORIZED", "Only the group `operators` settles unknown outcomes."),
    "requester": ("DESK_SELF_APPROVAL", "You asked for this yourself: somebody else settles it."),
}


@click.command()
@guarded
@click.argument("operation_id")
@deciding
@click.option(
    "--outcome",
    required=True,
    type=click.Choice(get_args(SettlementOutcome)),
    help="Done, surely not done, or given up: stays unknown and ends the run's pause.",
)
@click.option("--reason", required=True, help="How you know.")
@click.option("--yes", is_flag=True, help="Do not ask again.")
def settle(
    session: Session, operation_id: str, outcome: SettlementOutcome, reason: str, yes: bool
) -> None:
    """Close an unknown outcome.

    \b
    Example:
      toolcharter-desk settle op_a812 --store sqlite:///boundary.db --tenant acme --as bob \\
        --outcome confirmed_done --reason "Seen in the service's ledger, entry 4711"
    """
    if not reason.strip():
        raise usage("DESK_NEEDS_REASON", "Say how you know: --reason must not be empty.")
    item = with_store(session.store, lambda store: store.unknown_item(session.tenant, operation_id))
    if item is None:
        raise DeskError("OPERATION_NOT_FOUND", "There is no open unknown outcome of that id.")
    why_not = may_settle(session.person, item.row.proposal)
    if why_not is not None:
        raise DeskError(*_WHY_NOT[why_not])
    if not yes:
        click.confirm(f"Settle {operation_id} as {outcome}?", abort=True)
    settled = with_store(
        session.store, lambda store: _settle(store, session, item, outcome, reason)
    )
    if isinstance(settled, Refused):
        raise DeskError("DESK_ALREADY_DECIDED", "It has been closed already.")
    click.echo(f"{operation_id}: {settled.state} ({outcome})")


async def _settle(
    store: Store, session: Session, item: UnknownItem, outcome: SettlementOutcome, reason: str
) -> ExecutionRow | Refused:
    execution, row = item.execution, item.row
    settlement = session.key.sign_settlement(
        Settlement(
            tenant=session.tenant,
            execution_id=execution.execution_id,
            proposal_id=row.proposal.proposal_id,
            sha256=row.sha256,
            outcome=outcome,
            principal=session.person.name,
            method=PASSWORD_METHOD,
            session=session.session_id,
            settled_at=store.now(),
            reason=reason,
            key_id=session.key.key_id,
            signature=b"",
        )
    )
    return await store.settle(
        settlement,
        session.cause(row),
        evidence=_evidence(item, session.person.name),
        problem=_problem(outcome),
    )


def _evidence(item: UnknownItem, name: str) -> dict[str, Any] | None:
    """Return the evidence that was kept with the unknown outcome, marked with who resolved it (E1)."""
    kept = item.execution.evidence
    return None if kept is None else {**kept, "resolved_by": f"operator:{name}"}


def _problem(outcome: SettlementOutcome) -> dict[str, Any] | None:
    if outcome == "confirmed_done":
        return None
    if outcome == "abandoned":
        return Problem.of("UNKNOWN_OUTCOME").to_json()
    message = "An operator confirmed that nothing was done."
    problem = Problem.of("UPSTREAM_UNAVAILABLE", message=message, next_action="propose_again")
    return problem.to_json()
