"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _of(table: str, *columns: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(columns, [f"{table}.{column}" for column in columns])


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, primary_key=True, nullable=False)


def _texts(*names: str, null: bool = False) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=null) for name in names]


def _numbers(*names: str, null: bool = False) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger, nullable=null) for name in names]


def _bytes(name: str, *, null: bool = False) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=null)


def upgrade() -> None:
    """Make all tables."""
    _runs()
    _proposals()
    _executions()
    _audit()
    _append_only()


def _runs() -> None:
    op.create_table("meta", _key("name"), _bytes("value"), sqlite_with_rowid=False)
    op.create_table(
        "runs",
        _key("tenant"),
        _key("run_id"),
        *_texts("role", "agent"),
        *_texts("person", null=True),
        *_texts("purpose", "catalog_digest", "versions", "context"),
        *_numbers("deadline", null=True),
        *_numbers("opened_at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "budgets",
        _key("tenant"),
        _key("run_id"),
        _key("name"),
        *_numbers("used"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "slots",
        _key("tenant"),
        _key("scope"),
        sa.Column("number", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
        *_texts("owner", null=True),
        *_numbers("lease_until"),
        sqlite_with_rowid=False,
    )


def _proposals() -> None:
    op.create_table(
        "proposals",
        _key("tenant"),
        _key("proposal_id"),
        *_texts("run_id", "state"),
        *_numbers("approvals", "quorum"),
        *_texts("sha256"),
        *_numbers("created_at", "expires_at", "warned"),
        *_texts("conflict", "refusal", null=True),
        *_numbers("final"),
        sa.CheckConstraint(
            "state IN ('pending','approved','denied','expired','withdrawn','consumed')",
            name="proposal_state",
        ),
        sqlite_with_rowid=False,
    )
    is_open = sa.text("state = 'pending' OR state = 'approved'")
    op.create_index(
        "proposals_open",
        "proposals",
        ["expires_at"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    is_denied = sa.text("state = 'denied'")
    op.create_index(
        "proposals_denied",
        "proposals",
        ["tenant", "run_id"],
        sqlite_where=is_denied,
        postgresql_where=is_denied,
    )
    op.create_table(
        "proposal_texts",
        _key("tenant"),
        _key("proposal_id"),
        _bytes("canonical"),
        *_texts("operation", "idempotency_key", "arguments_sha256", "root_request_id", "resources"),
        *_texts("supersedes", null=True),
        _of("proposals", "tenant", "proposal_id"),
    )
    op.create_table(
        "decisions",
        _key("tenant"),
        _key("proposal_id"),
        _key("principal"),
        _key("outcome"),
        *_texts("decision_id"),
        *_texts("subject", null=True),
        *_texts("sha256", "method", "session"),
        *_numbers("decided_at", "until"),
        *_texts("reason", null=True),
        *_numbers("final"),
        *_texts("key_id", null=True),
        _bytes("signature", null=True),
        _of("proposals", "tenant", "proposal_id"),
        sqlite_with_rowid=False,
    )


def _executions() -> None:
    op.create_table(
        "claims",
        _key("tenant"),
        _key("resource"),
        *_texts("owner", "run_id"),
        *_numbers("fence", "lease_until"),
        *_texts("execution_id", null=True),
        *_numbers("is_unknown"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "executions",
        _key("tenant"),
        _key("execution_id"),
        *_texts("run_id", "proposal_id", "request_id", "root_request_id", "tool", "operation"),
        *_texts("idempotency_key", "fingerprint", "state"),
        *_numbers("fence", "lease_until", "sent_at", "attempts"),
        *_texts("held"),
        *_texts("result", "evidence", "problem", "pending_handle", "progress", null=True),
        *_texts("resolved_by", null=True),
        *_numbers("finished_at", null=True),
        *_numbers("returned"),
        sa.CheckConstraint(
            "state IN ('sent','accepted','succeeded','failed','cancelled','unknown','abandoned')",
            name="execution_state",
        ),
        _of("proposals", "tenant", "proposal_id"),
        sqlite_with_rowid=False,
    )
    counts = sa.text("returned = 0")
    op.create_index(
        "executions_key",
        "executions",
        ["tenant", "operation", "idempotency_key"],
        unique=True,
        sqlite_where=counts,
        postgresql_where=counts,
    )
    op.create_table(
        "settlements",
        _key("tenant"),
        _key("execution_id"),
        *_texts("proposal_id", "sha256", "outcome", "principal", "method", "session"),
        *_numbers("settled_at"),
        *_texts("reason", "key_id"),
        _bytes("signature"),
        _of("executions", "tenant", "execution_id"),
        sqlite_with_rowid=False,
    )


def _audit() -> None:
    op.create_table(
        "audit",
        _key("tenant"),
        sa.Column("number", sa.BigInteger, primary_key=True, nullable=False, autoincrement=False),
        *_numbers("at"),
        *_texts("kind", "request_id", "root_request_id", "actor"),
        *_texts("run_id", "tool", "proposal_id", "execution_id", "code", "note", null=True),
        *_texts("previous_hash", "hash"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "outbox",
        sa.Column(
            "notice_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True
        ),
        *_texts("tenant", "kind", "subject"),
        *_numbers("at"),
        *_numbers("delivered_at", null=True),
    )
    due = sa.text("delivered_at IS NULL")
    op.create_index("outbox_due", "outbox", ["notice_id"], sqlite_where=due, postgresql_where=due)


def _append_only() -> None:
    """Audit rows are neither changed nor deleted (S7)."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_stands() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'audit rows are append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit "
            "FOR EACH ROW EXECUTE FUNCTION audit_stands()"
        )
        return
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_no_{verb.lower()} BEFORE {verb} ON audit "
            "BEGIN SELECT RAISE(ABORT, 'audit rows are append-only'); END"
        )
