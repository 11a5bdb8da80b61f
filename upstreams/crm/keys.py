"""Idempotency keys: the answer of a write is stored under its key, in the transaction of the write."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any

from upstreams.crm.database import Database
from upstreams.crm.problems import Problem
from upstreams.crm.reads import Sent

__all__ = ["WINDOW_SECONDS", "Stored", "fingerprint", "store_answer", "stored_answer"]

WINDOW_SECONDS = 24 * 3600
"""How long a key is remembered."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The answer that was given when the key was first used."""

    status: int
    body: dict[str, Any]


def fingerprint(operation: str, sent: Sent) -> str:
    """Return what two requests under one key have to share: all but the key itself."""
    same = {name: value for name, value in sent.items() if name != "Idempotency-Key"}
    return hashlib.sha256(json.dumps([operation, same], sort_keys=True).encode()).hexdigest()


def stored_answer(database: Database, key: str, request: str) -> Stored | None:
    """Return the stored answer of the key, none if it is new; another request under it is refused."""
    row = database.one(
        "SELECT * FROM keys WHERE key = ? AND at > ?", key, time.time() - WINDOW_SECONDS
    )
    if row is None:
        return None
    if row["fingerprint"] != request:
        raise Problem("key_reused")
    return Stored(row["status"], json.loads(row["body"]))


def store_answer(database: Database, key: str, request: str, answer: Stored) -> None:
    """Store the answer under its key."""
    database.run("DELETE FROM keys WHERE key = ?", key)
    database.insert(
        "keys",
        key=key,
        fingerprint=request,
        status=answer.status,
        body=json.dumps(answer.body),
        at=time.time(),
    )
