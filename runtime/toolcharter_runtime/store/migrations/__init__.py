"""Alembic's migrations, run when a store is opened; a store that is current does not load Alembic."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from toolcharter_runtime.store.schema import REVISION

__all__ = ["UnknownRevisionError", "migrate", "revision_of"]


class UnknownRevisionError(Exception):
    """The store was migrated by a newer version of this library."""


def revision_of(connection: sa.Connection) -> str | None:
    """Return the revision that the store is at; None of an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if found is None else str(found)


def migrate(connection: sa.Connection) -> None:
    """Bring the store to `REVISION` inside the transaction that is open, which the caller commits."""
    current = revision_of(connection)
    if current == REVISION:
        return
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise UnknownRevisionError(current)
    config.attributes["connection"] = connection
    command.upgrade(config, REVISION)
