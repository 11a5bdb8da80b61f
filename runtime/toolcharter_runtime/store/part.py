"""What the parts of the store share: the engine, and a refusal that rolls a transaction back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from toolcharter_runtime.records import ExecutionRow, Reason, Refused
from toolcharter_runtime.store.engine import SqliteEngine, StoreError, Transaction

__all__ = ["Part", "RolledBackError", "there"]

T = TypeVar("T")


class RolledBackError(Exception):
    """Raised inside a unit of work to undo it and answer with a refusal."""

    def __init__(
        self, reason: Reason, execution: ExecutionRow | None = None, name: str | None = None
    ) -> None:
        super().__init__(reason)
        self.refused = Refused(reason, execution, name)


class Part:
    """One concept's transactions; `Store` is made of these."""

    _engine: SqliteEngine

    async def _write_or_refuse(self, work: Callable[[Transaction], T]) -> T | Refused:
        try:
            return await self._engine.write(work)
        except RolledBackError as undone:
            return undone.refused


def there(row: T | None) -> T:
    """Return a row that the transaction just wrote or a foreign key holds."""
    if row is None:
        raise StoreError("STORE_FAILED", "A row that must exist is gone")
    return row
