"""The service's tables, one connection to them, and the two transactions that everything runs in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

__all__ = ["Database", "Row", "now"]

Row = sqlite3.Row
"""One row, by column name."""

_TABLES: Final = """
CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT, email TEXT, tax_id TEXT, version INTEGER, address_id TEXT);
CREATE TABLE addresses (id TEXT PRIMARY KEY, customer_id TEXT, line1 TEXT, line2 TEXT, city TEXT, postal_code TEXT,
                        country TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, customer_id TEXT, subject TEXT, body TEXT, read_at TEXT);
CREATE TABLE payments (id TEXT PRIMARY KEY, customer_id TEXT, amount INTEGER, refundable INTEGER, currency TEXT,
                       status TEXT, version INTEGER);
CREATE TABLE refunds (id TEXT PRIMARY KEY, payment_id TEXT, amount INTEGER, currency TEXT, reason TEXT);
CREATE TABLE emails (id TEXT PRIMARY KEY, customer_id TEXT, subject TEXT, text TEXT);
CREATE TABLE exports (id TEXT PRIMARY KEY, rows INTEGER, bytes INTEGER, sha256 TEXT, expires_at TEXT);
CREATE TABLE operations (id TEXT PRIMARY KEY, key TEXT, kind TEXT, status TEXT, resource_id TEXT,
                         target_version INTEGER, reason TEXT, begun_at REAL, export_kind TEXT);
CREATE TABLE keys (key TEXT PRIMARY KEY, fingerprint TEXT, status INTEGER, body TEXT, at REAL);
CREATE TABLE ledger (number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT, operation TEXT, target TEXT, key TEXT,
                     effect TEXT);
CREATE INDEX operations_by_key ON operations (key);
CREATE INDEX addresses_by_customer ON addresses (customer_id);
"""


def now() -> str:
    """Return the time as RFC 3339 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Database:
    """The rows of the service; every method belongs to the thread that serves."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        if self.one("SELECT name FROM sqlite_master WHERE name = 'ledger'") is None:
            self._connection.executescript(_TABLES)

    @contextmanager
    def writing(self) -> Generator[None]:
        """Run a block in one write transaction: all of it happens, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def one(self, statement: str, *values: object) -> Row | None:
        """Return the first row, or none."""
        row: Row | None = self._connection.execute(statement, values).fetchone()
        return row

    def all(self, statement: str, *values: object) -> list[Row]:
        """Return every row."""
        return self._connection.execute(statement, values).fetchall()

    def insert(self, table: str, **values: object) -> None:
        """Add a row."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self._connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())
        )

    def run(self, statement: str, *values: object) -> None:
        """Change rows."""
        self._connection.execute(statement, values)

    def record(self, operation: str, target: str, key: str | None, effect: dict[str, Any]) -> None:
        """Write one effect to the ledger, in the transaction that makes it."""
        self.insert(
            "ledger",
            at=now(),
            operation=operation,
            target=target,
            key=key,
            effect=json.dumps(effect),
        )

    def ledger(self) -> list[dict[str, Any]]:
        """Return every effect, oldest first."""
        return [
            {**dict(row), "effect": json.loads(row["effect"])}
            for row in self.all("SELECT * FROM ledger")
        ]

    def empty(self) -> None:
        """Remove every row of every table."""
        with self.writing():
            for row in self.all(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            ):
                self.run(f"DELETE FROM {row['name']}")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
