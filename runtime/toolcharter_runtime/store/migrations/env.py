"""What Alembic runs: the migrations, on the connection and in the transaction that `migrate` was given."""

from __future__ import annotations

from alembic import context

from toolcharter_runtime.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=False,
)
context.run_migrations()
