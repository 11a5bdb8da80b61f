"""Claims: one commit at a time on a resource, as a lease with a fencing number (V6, S5, P12 b)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from toolcharter_runtime.records import Cause, Json, Lease, ProposalRow, Refused, Slot
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import About, append
from toolcharter_runtime.store.engine import Transaction, moment
from toolcharter_runtime.store.limits import free_slots, give_back, take_slots
from toolcharter_runtime.store.part import Part, RolledBackError
from toolcharter_runtime.store.rows import write_json
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["ClaimPart", "bind_claims", "drop_claims", "let_go", "resources_of"]

_c: Final = schema.claims.c
_p: Final = schema.proposals.c
_is_claim: Final = (_c.tenant == given("tenant_"), _c.resource == given("resource_"))

_TAKE: Final = Statement.upsert(
    schema.claims,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["tenant", "resource"],
        set_={
            name: insert.excluded[name]
            for name in ("owner", "run_id", "fence", "lease_until", "execution_id", "is_unknown")
        },
        where=sa.and_(_c.execution_id.is_(None), _c.lease_until <= given("now")),
    ),
)
_HOLDER: Final = Statement(sa.select(_c.owner, _c.is_unknown).where(*_is_claim))
_BIND: Final = Statement(
    sa.update(schema.claims)
    .where(
        *_is_claim,
        _c.fence == given("fence_"),
        _c.execution_id.is_(None),
        _c.lease_until > given("now"),
    )
    .values(execution_id=given("execution"))
)
_DROP_LEASE: Final = Statement(
    sa.delete(schema.claims).where(
        *_is_claim, _c.fence == given("fence_"), _c.execution_id.is_(None)
    )
)
_DROP: Final = Statement(
    sa.delete(schema.claims).where(*_is_claim, _c.execution_id == given("execution"))
)
_STALE: Final = Statement(
    sa.update(schema.proposals)
    .where(
        _p.tenant == given("tenant_"),
        _p.proposal_id == given("proposal"),
        _p.state == "approved",
        _p.conflict.is_(None),
    )
    .values(conflict=given("conflict_"))
)


def resources_of(row: ProposalRow) -> tuple[str, ...]:
    """Return what a commit locks, in one order for all; a proposal without a resource locks itself."""
    return tuple(sorted(set(row.proposal.resources))) or (f"proposal/{row.proposal.proposal_id}",)


def bind_claims(t: Transaction, lease: Lease, execution_id: str) -> None:
    """Tie the claims to an execution, so that no clock frees them; roll back with `fence_lost`."""
    for resource in lease.resources:
        if not t.run(
            _BIND,
            tenant_=lease.tenant,
            resource_=resource,
            fence_=lease.fence,
            now=t.now,
            execution=execution_id,
        ):
            raise RolledBackError("fence_lost")


def drop_claims(t: Transaction, tenant: str, execution_id: str, resources: Sequence[str]) -> None:
    """Free the resources of an execution."""
    for resource in resources:
        t.run(_DROP, tenant_=tenant, resource_=resource, execution=execution_id)


def let_go(t: Transaction, execution: Any, held: Mapping[str, Json], *, applied: bool) -> None:
    """Free all that an execution holds; what surely was not applied costs no budget."""
    drop_claims(t, execution.tenant, execution.execution_id, held["resources"])
    free_slots(t, execution.tenant, execution.proposal_id, held["scopes"])
    if not applied:
        for name, amount in held["charges"]:
            give_back(t, execution.tenant, execution.run_id, name, amount)


class ClaimPart(Part):
    """The lease that a commit holds while it reads again."""

    async def claim(
        self, row: ProposalRow, slots: Sequence[Slot], seconds: float, cause: Cause
    ) -> Lease | Refused:
        """P12 (b): take the proposal's resources and slots as a lease.

        Refusals: `resource_busy`, `resource_unknown` (with the proposal that holds it), `no_slot` (with the scope).
        """
        proposal = row.proposal
        resources = resources_of(row)

        def work(t: Transaction) -> Lease:
            until = t.now + int(seconds * 1_000_000)
            fence = append(t, cause, "commit.claimed", about=About(proposal.proposal_id))
            for resource in resources:
                _take(t, row, resource, fence, until)
            take_slots(t, proposal.tenant, proposal.proposal_id, slots, until)
            return Lease(
                tenant=proposal.tenant,
                proposal_id=proposal.proposal_id,
                fence=fence,
                until=moment(until),
                resources=resources,
                scopes=tuple(slot.scope for slot in slots),
            )

        return await self._write_or_refuse(work)

    async def release(
        self, lease: Lease, code: str, cause: Cause, *, conflict: Json = None
    ) -> None:
        """P12 (c) failed with `code`: give back what was leased; the proposal stays unconsumed.

        `conflict` = `{previous_version, current_version}` makes it stale for good (P13).
        """

        def work(t: Transaction) -> None:
            for resource in lease.resources:
                t.run(_DROP_LEASE, tenant_=lease.tenant, resource_=resource, fence_=lease.fence)
            free_slots(t, lease.tenant, lease.proposal_id, lease.scopes)
            if conflict is not None:
                t.run(
                    _STALE,
                    tenant_=lease.tenant,
                    proposal=lease.proposal_id,
                    conflict_=write_json(conflict),
                )
            append(t, cause, "commit.released", about=About(lease.proposal_id), code=code)

        await self._engine.write(work)


def _take(t: Transaction, row: ProposalRow, resource: str, fence: int, until: int) -> None:
    proposal = row.proposal
    taken = t.run(
        _TAKE,
        tenant=proposal.tenant,
        resource=resource,
        owner=proposal.proposal_id,
        run_id=proposal.run_id,
        fence=fence,
        lease_until=until,
        execution_id=None,
        is_unknown=0,
        now=t.now,
    )
    if not taken:
        holder = t.one(_HOLDER, tenant_=proposal.tenant, resource_=resource)
        raise RolledBackError(
            "resource_unknown" if holder.is_unknown else "resource_busy", name=holder.owner
        )
