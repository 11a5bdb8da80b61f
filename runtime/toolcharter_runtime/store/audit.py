"""The audit chain: append-only rows, each with the hash of the one before, one chain a tenant (S7)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from toolcharter_runtime.canonical import digest_of_bytes
from toolcharter_runtime.records import AuditRow, AuditVerdict, Cause
from toolcharter_runtime.store import schema
from toolcharter_runtime.store.engine import StoreError, Transaction, micros
from toolcharter_runtime.store.part import Part
from toolcharter_runtime.store.rows import audit_row, write_json
from toolcharter_runtime.store.statements import Statement, given

__all__ = ["About", "AuditPart", "append", "link_hash"]

_a: Final = schema.audit.c
_APPEND: Final = Statement.upsert(schema.audit, lambda insert: insert.on_conflict_do_nothing())
_HEAD: Final = Statement(
    sa.select(_a.number, _a.hash)
    .where(_a.tenant == given("tenant"))
    .order_by(_a.number.desc())
    .limit(1)
)
_CHAIN: Final = Statement(
    sa.select(schema.audit).where(_a.tenant == given("tenant")).order_by(_a.number)
)
_any_id: Final[sa.BindParameter[str]] = sa.bindparam("any_id", required=False)
_roots: Final = (
    sa.select(_a.root_request_id)
    .where(
        _a.tenant == given("tenant"),
        sa.or_(
            _a.request_id == _any_id,
            _a.root_request_id == _any_id,
            _a.proposal_id == _any_id,
            _a.execution_id == _any_id,
            _a.run_id == _any_id,
        ),
    )
    .scalar_subquery()
)
_SEQUENCE: Final = Statement(
    sa.select(schema.audit)
    .where(_a.tenant == given("tenant"), _a.root_request_id.in_(_roots))
    .order_by(_a.number)
)
_LINK: Final = Statement(
    sa.select(_a.hash).where(_a.tenant == given("tenant"), _a.number == given("number_"))
)
_TENANTS: Final = Statement(sa.select(_a.tenant).distinct().order_by(_a.tenant))


class About(NamedTuple):
    """What an audit row is about."""

    proposal_id: str | None = None
    execution_id: str | None = None


def link_hash(row: dict[str, Any]) -> str:
    """Return the hash of one link, over everything in it and the hash before it."""
    # texts, numbers and nulls: for these the compact form is the canonical one
    return digest_of_bytes("audit", write_json([row[name] for name in _COVERED]).encode("utf-8"))


_COVERED: Final = tuple(column.name for column in schema.audit.columns if column.name != "hash")


_NOTHING: Final = About()


def append(
    t: Transaction,
    cause: Cause,
    kind: str,
    *,
    about: About = _NOTHING,
    code: str | None = None,
    note: str | None = None,
) -> int:
    """Append one row inside a transaction and return its number, which also serves as a fencing number."""
    row: dict[str, Any] = {
        "tenant": cause.tenant,
        "at": t.now,
        "kind": kind,
        "request_id": cause.request_id,
        "root_request_id": cause.root_request_id or cause.request_id,
        "actor": cause.actor,
        "run_id": cause.run_id,
        "tool": cause.tool,
        "proposal_id": about.proposal_id,
        "execution_id": about.execution_id,
        "code": code,
        "note": note,
    }
    head = t.head(cause.tenant) or _read_head(t, cause.tenant)
    for _ in range(100):
        row["number"], row["previous_hash"] = head[0] + 1, head[1]
        row["hash"] = link_hash(row)
        if t.run(_APPEND, **row):
            t.heads[cause.tenant] = (row["number"], row["hash"])
            return head[0] + 1
        head = _read_head(t, cause.tenant)  # another process appended since
    raise StoreError("STORE_BUSY", "The audit chain moved on too often")


def _read_head(t: Transaction, tenant: str) -> tuple[int, str]:
    found = t.one(_HEAD, tenant=tenant)
    return (0, "") if found is None else (found.number, found.hash)


class AuditPart(Part):
    """Reading, verifying and appending to the chain."""

    async def append_audit(
        self,
        cause: Cause,
        kind: str,
        *,
        code: str | None = None,
        note: str | None = None,
        proposal_id: str | None = None,
        execution_id: str | None = None,
    ) -> int:
        """Append one row, e.g. `call.refused` with the reason that the caller is not told (D3); return its number.

        `note` is a fixed word, never a value.
        """
        about = About(proposal_id, execution_id)
        return await self._engine.write(
            lambda t: append(t, cause, kind, about=about, code=code, note=note)
        )

    async def audit_of(self, tenant: str, any_id: str) -> tuple[AuditRow, ...]:
        """Return the whole sequence that a request, proposal, run or operation id belongs to (D4)."""
        rows = await self._engine.read(lambda t: t.all(_SEQUENCE, tenant=tenant, any_id=any_id))
        return tuple(audit_row(row) for row in rows)

    async def audit_verify(self, tenant: str) -> AuditVerdict:
        """Recompute the tenant's chain: inner consistency only, since a cut end shows in no row."""
        rows = await self._engine.read(lambda t: t.all(_CHAIN, tenant=tenant))
        head = ""
        for number, found in enumerate(rows, start=1):
            row = audit_row(found)
            link = {name: getattr(row, name) for name in _COVERED} | {"at": micros(row.at)}
            if (row.number, row.previous_hash, row.hash) != (number, head, link_hash(link)):
                return AuditVerdict(tenant=tenant, rows=len(rows), head=head, broken_at=number)
            head = row.hash
        return AuditVerdict(tenant=tenant, rows=len(rows), head=head)

    async def audit_hash(self, tenant: str, number: int) -> str | None:
        """Return the hash of one row, to compare with a checkpoint's; none if the chain is shorter."""
        row = await self._engine.read(lambda t: t.one(_LINK, tenant=tenant, number_=number))
        return None if row is None else str(row.hash)

    async def tenants(self) -> tuple[str, ...]:
        """Return the tenants that have an audit chain."""
        return tuple(row.tenant for row in await self._engine.read(lambda t: t.all(_TENANTS)))
