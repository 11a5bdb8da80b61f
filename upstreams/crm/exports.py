"""How an export comes to its end: by time, or step by step where a test wants to hold the clock."""

from __future__ import annotations

import hashlib
import time
import uuid
from datetime import UTC, datetime, timedelta

from upstreams.crm.database import Database
from upstreams.crm.problems import Problem
from upstreams.crm.reads import operation_of

__all__ = ["advance_by_time", "step"]

_NEXT = {"queued": "running", "running": "succeeded"}


def advance_by_time(database: Database, seconds: float) -> None:
    """Move every export on that is due: `seconds` in the queue, `seconds` running, then finished."""
    for row in database.all("SELECT * FROM operations WHERE status IN ('queued', 'running')"):
        age = time.time() - row["begun_at"]
        due = "succeeded" if age >= 2 * seconds else "running" if age >= seconds else "queued"
        if due != row["status"]:
            with database.writing():
                _move(database, row["id"], due, None)


def step(database: Database, operation_id: str, state: str | None, reason: str | None) -> str:
    """Move one export to `state`, or one step on, and return its state."""
    current: str = operation_of(database, operation_id)["status"]
    wanted: str = state or _NEXT.get(current, current)
    if current not in _NEXT:
        raise Problem("unprocessable", "the operation is finished")
    with database.writing():
        _move(database, operation_id, wanted, reason)
    return wanted


def _move(database: Database, operation_id: str, state: str, reason: str | None) -> None:
    export_id = _finish(database, operation_id) if state == "succeeded" else None
    database.run(
        "UPDATE operations SET status = ?, reason = ?, resource_id = ? WHERE id = ?",
        state,
        reason,
        export_id,
        operation_id,
    )


def _finish(database: Database, operation_id: str) -> str:
    kind = operation_of(database, operation_id)["export_kind"]
    counted = database.one(
        f"SELECT count(*) AS n FROM {'customers' if kind == 'customers' else 'payments'}"
    )
    rows = counted["n"] if counted else 0
    export_id = str(uuid.uuid4())
    expires = datetime.now(UTC) + timedelta(hours=24)
    database.insert(
        "exports",
        id=export_id, rows=rows, bytes=rows * 96, sha256=hashlib.sha256(export_id.encode()).hexdigest(),
        expires_at=expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
    )  # fmt: skip
    return export_id
