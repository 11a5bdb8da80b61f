"""The tables, one schema for SQLite and PostgreSQL.

Times are whole microseconds since 1970 in UTC. JSON is canonical text. A row that changes is kept small and apart from
what never changes, since a database writes a changed row whole.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = [
    "METADATA",
    "REVISION",
    "audit",
    "budgets",
    "claims",
    "decisions",
    "executions",
    "meta",
    "outbox",
    "proposal_texts",
    "proposals",
    "runs",
    "settlements",
    "slots",
]

REVISION = "0001"
"""The newest migration: a store that has it is opened without loading Alembic."""

METADATA = sa.MetaData()


def _of(table: str, *columns: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(columns, [f"{table}.{column}" for column in columns])


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, primary_key=True, nullable=False)


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=null)


def _number(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=null)


def _bytes(name: str, *, null: bool = False) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=null)


meta = sa.Table("meta", METADATA, _key("name"), _bytes("value"), sqlite_with_rowid=False)

runs = sa.Table(
    "runs",
    METADATA,
    _key("tenant"),
    _key("run_id"),
    _text("role"),
    _text("agent"),
    _text("person", null=True),
    _text("purpose"),
    _text("catalog_digest"),
    _text("versions"),
    _text("context"),
    _number("deadline", null=True),
    _number("opened_at"),
    sqlite_with_rowid=False,
)

budgets = sa.Table(
    "budgets",
    METADATA,
    _key("tenant"),
    _key("run_id"),
    _key("name"),
    _number("used"),
    sqlite_with_rowid=False,
)

slots = sa.Table(
    "slots",
    METADATA,
    _key("tenant"),
    _key("scope"),
    sa.Column("number", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
    _text("owner", null=True),
    _number("lease_until"),
    sqlite_with_rowid=False,
)
"""Pre-made numbered rows that are claimed, never counted (L1)."""

proposals = sa.Table(
    "proposals",
    METADATA,
    _key("tenant"),
    _key("proposal_id"),
    _text("run_id"),
    _text("state"),
    _number("approvals"),
    _number("quorum"),
    _text("sha256"),
    _number("created_at"),
    _number("expires_at"),
    _number("warned"),
    _text("conflict", null=True),
    _text("refusal", null=True),
    _number("final"),
    sa.CheckConstraint(
        "state IN ('pending','approved','denied','expired','withdrawn','consumed')",
        name="proposal_state",
    ),
    sqlite_with_rowid=False,
)
sa.Index(
    "proposals_open",
    proposals.c.expires_at,
    sqlite_where=sa.text("state = 'pending' OR state = 'approved'"),
    postgresql_where=sa.text("state = 'pending' OR state = 'approved'"),
)
sa.Index(
    "proposals_denied",
    proposals.c.tenant,
    proposals.c.run_id,
    sqlite_where=sa.text("state = 'denied'"),
    postgresql_where=sa.text("state = 'denied'"),
)

proposal_texts = sa.Table(
    "proposal_texts",
    METADATA,
    _key("tenant"),
    _key("proposal_id"),
    _bytes("canonical"),
    _text("operation"),
    _text("idempotency_key"),
    _text("arguments_sha256"),
    _text("root_request_id"),
    _text("resources"),
    _text("supersedes", null=True),
    _of("proposals", "tenant", "proposal_id"),
)
"""What never changes of a proposal; `canonical` is what the digest is over."""

decisions = sa.Table(
    "decisions",
    METADATA,
    _key("tenant"),
    _key("proposal_id"),
    _key("principal"),
    _key("outcome"),
    _text("decision_id"),
    _text("subject", null=True),
    _text("sha256"),
    _text("method"),
    _text("session"),
    _number("decided_at"),
    _number("until"),
    _text("reason", null=True),
    _number("final"),
    _text("key_id", null=True),
    _bytes("signature", null=True),
    _of("proposals", "tenant", "proposal_id"),
    sqlite_with_rowid=False,
)
"""Its key says that a person has one voice of each kind on a proposal."""

claims = sa.Table(
    "claims",
    METADATA,
    _key("tenant"),
    _key("resource"),
    _text("owner"),
    _text("run_id"),
    _number("fence"),
    _number("lease_until"),
    _text("execution_id", null=True),
    _number("is_unknown"),
    sqlite_with_rowid=False,
)
"""One row a locked resource (V6). Without an execution it is a lease; with one it stays until that is closed."""

executions = sa.Table(
    "executions",
    METADATA,
    _key("tenant"),
    _key("execution_id"),
    _text("run_id"),
    _text("proposal_id"),
    _text("request_id"),
    _text("root_request_id"),
    _text("tool"),
    _text("operation"),
    _text("idempotency_key"),
    _text("fingerprint"),
    _text("state"),
    _number("fence"),
    _number("lease_until"),
    _number("sent_at"),
    _number("attempts"),
    _text("held"),
    _text("result", null=True),
    _text("evidence", null=True),
    _text("problem", null=True),
    _text("pending_handle", null=True),
    _text("progress", null=True),
    _text("resolved_by", null=True),
    _number("finished_at", null=True),
    _number("returned"),
    sa.CheckConstraint(
        "state IN ('sent','accepted','succeeded','failed','cancelled','unknown','abandoned')",
        name="execution_state",
    ),
    _of("proposals", "tenant", "proposal_id"),
    sqlite_with_rowid=False,
)
sa.Index(
    "executions_key",
    executions.c.tenant,
    executions.c.operation,
    executions.c.idempotency_key,
    unique=True,
    sqlite_where=sa.text("returned = 0"),
    postgresql_where=sa.text("returned = 0"),
)

settlements = sa.Table(
    "settlements",
    METADATA,
    _key("tenant"),
    _key("execution_id"),
    _text("proposal_id"),
    _text("sha256"),
    _text("outcome"),
    _text("principal"),
    _text("method"),
    _text("session"),
    _number("settled_at"),
    _text("reason"),
    _text("key_id"),
    _bytes("signature"),
    _of("executions", "tenant", "execution_id"),
    sqlite_with_rowid=False,
)

audit = sa.Table(
    "audit",
    METADATA,
    _key("tenant"),
    sa.Column("number", sa.BigInteger, primary_key=True, nullable=False, autoincrement=False),
    _number("at"),
    _text("kind"),
    _text("request_id"),
    _text("root_request_id"),
    _text("actor"),
    _text("run_id", null=True),
    _text("tool", null=True),
    _text("proposal_id", null=True),
    _text("execution_id", null=True),
    _text("code", null=True),
    _text("note", null=True),
    _text("previous_hash"),
    _text("hash"),
    sqlite_with_rowid=False,
)
outbox = sa.Table(
    "outbox",
    METADATA,
    sa.Column("notice_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    _text("tenant"),
    _text("kind"),
    _text("subject"),
    _number("at"),
    _number("delivered_at", null=True),
)
sa.Index(
    "outbox_due",
    outbox.c.notice_id,
    sqlite_where=sa.text("delivered_at IS NULL"),
    postgresql_where=sa.text("delivered_at IS NULL"),
)
