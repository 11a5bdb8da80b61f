"""`approve`, `deny` and `withdraw`: one signed voice of one authenticated person (P5 to P10, P19)."""

from __future__ import annotations

from typing import Literal

import click

from toolcharter_runtime.approvals import may_decide
from toolcharter_runtime.desk.faults import DeskError, guarded, refusal, usage
from toolcharter_runtime.desk.listing import load_page
from toolcharter_runtime.desk.page import page_lines
from toolcharter_runtime.desk.session import PASSWORD_METHOD, Session, deciding, with_store
from toolcharter_runtime.records import (
    DecisionRow,
    ProposalRow,
    ProposalState,
    Refused,
    mint_id,
)
from toolcharter_runtime.store import Store

__all__ = ["approve", "deny", "withdraw"]

Outcome = Literal["approved", "denied", "withdrawn"]

_WHY_NOT = {
    "group": ("DESK_NOT_AUTHORIZED", "You are not in the group that decides this."),
    "requester": ("DESK_SELF_APPROVAL", "You asked for this yourself: somebody else decides it."),
}


@click.command()
@guarded
@click.argument("proposal_id")
@deciding
@click.option(
    "--digest", help="The digest that `show` printed; without it the page is shown first."
)
@click.option("--yes", is_flag=True, help="Do not ask again; needs --digest.")
@click.option("--reason", help="Why, for the record.")
def approve(
    session: Session, proposal_id: str, digest: str | None, yes: bool, reason: str | None
) -> None:
    """Approve exactly what a digest stands for.

    \b
    Example:
      toolcharter-desk approve prop_7f31 --store sqlite:///boundary.db --tenant acme --as ann
    """
    if yes and digest is None:
        raise usage("DESK_NEEDS_DIGEST", "--yes needs --digest: approve what you have seen.")
    row = _load(session, proposal_id, digest=digest, show=digest is None)
    if not yes:
        click.confirm(f"Approve {proposal_id} as {session.person.name}?", abort=True)
    _decide(session, row, "approved", reason)


@click.command()
@guarded
@click.argument("proposal_id")
@deciding
@click.option("--reason", required=True, help="Why; the agent is shown it.")
@click.option("--final", is_flag=True, help="The agent is told to stop, not to propose again.")
@click.option("--digest", help="The digest that `show` printed.")
def deny(session: Session, proposal_id: str, reason: str, final: bool, digest: str | None) -> None:
    """Deny a proposal.

    \b
    Example:
      toolcharter-desk deny prop_7f31 --store sqlite:///boundary.db --tenant acme --as ann \\
        --reason "The customer has moved again"
    """
    row = _load(session, proposal_id, digest=digest, show=False)
    _decide(session, row, "denied", reason, final=final)


@click.command()
@guarded
@click.argument("proposal_id")
@deciding
@click.option("--reason", required=True, help="Why, for the record.")
def withdraw(session: Session, proposal_id: str, reason: str) -> None:
    """Take an approval back while it has not been used.

    \b
    Example:
      toolcharter-desk withdraw prop_7f31 --store sqlite:///boundary.db --tenant acme --as ann \\
        --reason "Approved the wrong one"
    """
    row = _load(session, proposal_id, digest=None, show=False)
    _decide(session, row, "withdrawn", reason)


def _load(session: Session, proposal_id: str, *, digest: str | None, show: bool) -> ProposalRow:
    """Return the proposal if this person may decide it, having shown it if asked to."""

    async def work(store: Store) -> ProposalRow:
        row, decisions = await load_page(store, session.tenant, proposal_id)
        if show:
            click.echo("\n".join(page_lines(row, decisions, store.now(), whole=True)))
        return row

    row = with_store(session.store, work)
    if digest is not None and digest != row.sha256:
        raise refusal(Refused("changed"))
    why_not = may_decide(session.person, row.proposal)
    if why_not is not None:
        raise DeskError(*_WHY_NOT[why_not])
    return row


def _decide(
    session: Session, row: ProposalRow, outcome: Outcome, reason: str | None, *, final: bool = False
) -> None:
    if outcome != "approved" and not (reason or "").strip():
        raise usage("DESK_NEEDS_REASON", "Say why: --reason must not be empty.")

    async def work(store: Store) -> ProposalState | Refused:
        decision = session.key.sign_decision(_decision(session, row, outcome, store))
        return await _record(store, session, row, decision)

    def _decision(
        session: Session, row: ProposalRow, outcome: Outcome, store: Store
    ) -> DecisionRow:
        return DecisionRow(
            decision_id=mint_id("dec"),
            tenant=session.tenant,
            proposal_id=row.proposal.proposal_id,
            sha256=row.sha256,
            outcome=outcome,
            principal=session.person.name,
            subject=session.person.subject,
            method=PASSWORD_METHOD,
            session=session.session_id,
            decided_at=store.now(),
            until=row.proposal.expires_at,
            reason=reason,
            final=final,
        )

    state = with_store(session.store, work)
    if isinstance(state, Refused):
        raise refusal(state)
    click.echo(f"{row.proposal.proposal_id}: {state}{_still_needed(row, state)}")


async def _record(
    store: Store, session: Session, row: ProposalRow, decision: DecisionRow
) -> ProposalState | Refused:
    cause = session.cause(row)
    if decision.outcome == "withdrawn":
        return await store.withdraw(decision, cause)
    return await store.decide(decision, cause)


def _still_needed(row: ProposalRow, state: ProposalState) -> str:
    if state != "pending":
        return ""
    missing = row.proposal.quorum - row.approvals - 1
    return f", your voice is counted; {missing} more needed"
