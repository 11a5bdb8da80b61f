"""Transactions on the database: one function over a `Transaction`, run whole on one connection.

On SQLite one connection writes and one reads. A write transaction is short and, on a fast disk, cheaper than waking a
thread (measured: 100 µs for the hop, 150 µs for the transaction with its fsync), so it runs on the caller's thread
while the disk is fast and nobody else writes, and on the writer's thread otherwise. The same functions run on
PostgreSQL through `AsyncConnection.run_sync`.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from toolcharter_runtime.store.statements import Compiled, Statement

__all__ = ["Clock", "SqliteEngine", "StoreError", "Transaction", "micros", "moment"]

T = TypeVar("T")
Clock: TypeAlias = Callable[[], datetime]
Work: TypeAlias = Callable[["Transaction"], T]

Head: TypeAlias = tuple[int, str]
"""Number and hash of an audit row."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)
_PATIENCE: Final = 15.0
"""Seconds that a transaction waits for another process's to end."""
_HEADS: Final = 10_000
"""Tenants whose last audit row is kept in memory."""
_FAST: Final = 0.002
"""Seconds: while transactions take less, they run on the caller's thread."""


class StoreError(Exception):
    """The store could not be read or written. Its text holds no value.

    `code`: STORE_URL (no such kind of URL), STORE_FILE (the file cannot be opened), STORE_VERSION (made by a newer
    version), STORE_BUSY (another process held it too long), STORE_TEXT (no text that a store can hold), STORE_CHANGED (a
    stored proposal is not what was stored), STORE_FAILED (anything else).
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def micros(at: datetime) -> int:
    """Return an aware time as the store keeps it: whole microseconds since 1970."""
    return (at - _EPOCH) // _MICRO


def moment(value: int) -> datetime:
    """Return what `micros` was given."""
    return _EPOCH + value * _MICRO


class Transaction:
    """What a unit of work is given: statements, the time, and the audit heads it moved."""

    __slots__ = ("_dialect", "_driver", "_known", "connection", "heads", "now")

    def __init__(self, connection: sa.Connection, now: int, known: dict[str, Head]) -> None:
        self.connection = connection
        self._dialect = connection.dialect
        self._driver: Any = connection.connection.dbapi_connection
        self._known = known
        self.now = now
        """The store's clock, read once (S6)."""
        self.heads: dict[str, Head] = {}
        """Tenant → the last audit row that this transaction appended."""

    def head(self, tenant: str) -> Head | None:
        """Return the tenant's last audit row as far as this process knows; another may have appended since."""
        return self.heads.get(tenant) or self._known.get(tenant)

    def run(self, statement: Statement, **values: Any) -> int:
        """Execute and return how many rows it touched."""
        return int(self._execute(statement, values)[0].rowcount)

    def one(self, statement: Statement, **values: Any) -> Any:
        """Return the first row with its columns as attributes, or None."""
        cursor, compiled = self._execute(statement, values)
        row = cursor.fetchone()
        return None if row is None else compiled.row(row)

    def all(self, statement: Statement, **values: Any) -> list[Any]:
        """Return all rows."""
        cursor, compiled = self._execute(statement, values)
        return [compiled.row(row) for row in cursor.fetchall()]

    def _execute(self, statement: Statement, values: dict[str, Any]) -> tuple[Any, Compiled]:
        compiled = statement.compiled_for(self._dialect)
        cursor = self._driver.cursor()
        cursor.execute(compiled.text, compiled.in_order(values))
        return cursor, compiled


class _BusyError(Exception):
    """The write lock is with another process."""


class SqliteEngine:
    """A SQLite file: WAL, `synchronous=FULL`, `BEGIN IMMEDIATE`, foreign keys, mode 0600 (S2)."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.clock = clock
        self.path = path
        self._heads: dict[str, Head] = {}
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="toolcharter-store")
        self._slow = 0.0
        self._engine = _engine(path)
        self._reading = _engine(path)
        self._connection = _connect(self._engine, path)
        self._read_connection = _connect(self._reading, path)
        self._read_lock = threading.Lock()

    async def write(self, work: Work[T]) -> T:
        """Run one write transaction; whatever `work` raises rolls it back."""
        if self._slow < _FAST and self._lock.acquire(blocking=False):
            try:
                return self._timed(work)
            except _BusyError:
                pass
            finally:
                self._lock.release()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, self.write_now, work)

    def write_now(self, work: Work[T]) -> T:
        """Run one write transaction on this thread, waiting for other processes' to end."""
        deadline = time.monotonic() + _PATIENCE
        pause = 0.0005
        while True:
            with self._lock, suppress(_BusyError):
                return self._timed(work)
            if time.monotonic() > deadline:
                raise StoreError("STORE_BUSY", "Another process holds the store's write lock")
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret
            pause = min(pause * 1.5, 0.02)

    async def read(self, work: Work[T]) -> T:
        """Run a read on one snapshot; it never waits for a writer."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            with self._read_lock, suppress(_BusyError):
                return self._snapshot(work)
            await asyncio.sleep(0.002)  # only while another process recovers or closes the file
        raise StoreError("STORE_BUSY", "Another process holds the store")

    def prepare(self, migrate: Callable[[sa.Connection], None]) -> None:
        """Make the schema current; of two processes that open at once, one migrates and the other finds it done."""
        self.write_now(lambda t: migrate(t.connection))

    async def close(self) -> None:
        """Close both connections; what is running ends first."""
        self._writer.shutdown(wait=True)
        for connection, engine in (
            (self._connection, self._engine),
            (self._read_connection, self._reading),
        ):
            connection.close()
            engine.dispose()

    def _timed(self, work: Work[T]) -> T:
        began = time.perf_counter()
        try:
            return self._transact(work)
        finally:
            self._slow += 0.2 * (time.perf_counter() - began - self._slow)

    def _transact(self, work: Work[T]) -> T:
        connection = self._connection
        driver: Any = connection.connection.dbapi_connection
        try:
            driver.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            _raise(error)
        transaction = Transaction(connection, micros(self.clock()), self._heads)
        try:
            value = work(transaction)
            driver.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.Error):
                driver.execute("ROLLBACK")
            if isinstance(error, DBAPIError):
                error = error.orig or error
            if isinstance(error, sqlite3.Error | UnicodeEncodeError):
                _raise(error)
            raise
        if len(self._heads) > _HEADS:
            self._heads.clear()
        self._heads.update(transaction.heads)
        return value

    def _snapshot(self, work: Work[T]) -> T:
        connection = self._read_connection
        driver: Any = connection.connection.dbapi_connection
        try:
            driver.execute("BEGIN")
            try:
                return work(Transaction(connection, micros(self.clock()), {}))
            finally:
                driver.execute("COMMIT")
        except (sqlite3.Error, UnicodeEncodeError) as error:
            _raise(error)


def _engine(path: Path) -> sa.Engine:
    url = sa.URL.create("sqlite", database=str(path))
    return sa.create_engine(
        url,
        poolclass=StaticPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
        connect_args={"check_same_thread": False, "timeout": 0.0, "cached_statements": 256},
    )


def _connect(engine: sa.Engine, path: Path) -> sa.Connection:
    """Open the file with the owner's rights alone and the settings of S2."""
    _make_private(path)
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection = engine.connect()
            for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
                connection.exec_driver_sql(f"PRAGMA {setting}")
            return connection
        except DBAPIError as error:
            if not _is_busy(error.orig) or time.monotonic() > deadline:
                raise StoreError(
                    "STORE_FILE", f"The store cannot be opened: {error.orig}"
                ) from None
        time.sleep(0.01)


def _make_private(path: Path) -> None:
    try:
        path.touch(mode=0o600, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except OSError as error:
        raise StoreError("STORE_FILE", f"{path} cannot be opened: {error.strerror}") from None


def _is_busy(error: BaseException | None) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _raise(error: sqlite3.Error | UnicodeEncodeError) -> NoReturn:
    if isinstance(error, UnicodeEncodeError):  # its own text holds the value
        raise StoreError("STORE_TEXT", "A text is not Unicode: it holds a lone surrogate") from None
    if _is_busy(error):
        raise _BusyError from None
    raise StoreError("STORE_FAILED", f"The store failed: {error}") from None
