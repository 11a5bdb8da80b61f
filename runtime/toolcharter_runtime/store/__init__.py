"""The store: runs, proposals, decisions, executions, limits and the audit chain, behind one class.

One method is one transaction; every change of state is one conditional update checked by row count, and its audit
row is written in the same transaction (P15). No transaction is open while the network is used (S3). A failing
database raises `StoreError`; a method that changes nothing says why with `records.Refused`.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from toolcharter_runtime.store import schema
from toolcharter_runtime.store.audit import AuditPart
from toolcharter_runtime.store.decisions import DecisionPart
from toolcharter_runtime.store.engine import Clock, SqliteEngine, StoreError, Transaction
from toolcharter_runtime.store.limits import LimitPart
from toolcharter_runtime.store.migrations import UnknownRevisionError, migrate, revision_of
from toolcharter_runtime.store.outbox import OutboxPart
from toolcharter_runtime.store.proposals import ProposalPart
from toolcharter_runtime.store.runs import RunPart
from toolcharter_runtime.store.statements import Statement, given
from toolcharter_runtime.store.unknowns import UnknownPart

__all__ = ["Clock", "Store", "StoreError"]

_KEY: Final = Statement(sa.select(schema.meta.c.value).where(schema.meta.c.name == given("name")))
_KEEP_KEY: Final = Statement.upsert(schema.meta, lambda insert: insert.on_conflict_do_nothing())


class Store(RunPart, LimitPart, ProposalPart, DecisionPart, UnknownPart, AuditPart, OutboxPart):
    """All that outlives a call. Open it with `Store.open`; it may be shared by tasks and threads."""

    def __init__(self, engine: SqliteEngine) -> None:
        self._engine = engine
        self._key: bytes | None = None

    @classmethod
    async def open(cls, url: str, *, clock: Clock | None = None, must_exist: bool = False) -> Store:
        """Open `sqlite:///relative.db` or `sqlite:////absolute.db`, making and migrating it as needed.

        With `must_exist` a store that is not there is an error, as the desk wants it.

        Raises StoreError: STORE_URL, STORE_FILE, STORE_VERSION, STORE_BUSY.
        """
        path = _path_of(url)
        if must_exist and not path.is_file():
            raise StoreError("STORE_FILE", f"There is no store at {path}")
        engine = SqliteEngine(path, clock or _utc_now)
        try:
            engine.prepare(_migrate_existing if must_exist else migrate)
        except StoreError:
            await engine.close()
            raise
        except UnknownRevisionError:
            await engine.close()
            raise StoreError(
                "STORE_VERSION", "The store was made by a newer version of toolcharter: upgrade it"
            ) from None
        return cls(engine)

    async def close(self) -> None:
        """Close the store; a transaction that runs ends first."""
        await self._engine.close()

    def now(self) -> datetime:
        """Return the store's time (S6)."""
        return self._engine.clock()

    async def store_key(self) -> bytes:
        """Return the store's own 32 random bytes, made once: for cursors, and HMACs of digests that leave (S9)."""
        if self._key is None:

            def work(t: Transaction) -> bytes:
                t.run(_KEEP_KEY, name="store_key", value=secrets.token_bytes(32))
                return bytes(t.one(_KEY, name="store_key").value)

            self._key = await self._engine.write(work)
        return self._key


def _migrate_existing(connection: sa.Connection) -> None:
    if revision_of(connection) is None:
        raise StoreError("STORE_FILE", "The file is a database, but not a store")
    migrate(connection)


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _path_of(url: str) -> Path:
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise StoreError(
            "STORE_URL", "The store's URL is not one: write sqlite:///path.db"
        ) from None
    is_file = parsed.database not in (None, "", ":memory:")
    if parsed.drivername != "sqlite" or not is_file or parsed.query:
        raise StoreError("STORE_URL", "The store's URL must be sqlite:///path.db") from None
    return Path(str(parsed.database))
