"""The store's file in other hands: what was written into it by hand commits nothing (P2, P6, V6, I2)."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from toolcharter_runtime.canonical import digest_of_bytes

from .world import World, code_of

COMMIT = "commit_address_change"


def write_by_hand(world: World, statement: str, *values: object) -> None:
    connection = sqlite3.connect(world.folder / "boundary.db")
    connection.execute("PRAGMA foreign_keys=OFF")
    assert connection.execute(statement, values).rowcount == 1
    connection.commit()
    connection.close()


def canonical_of(world: World, proposal_id: str) -> bytes:
    connection = sqlite3.connect(world.folder / "boundary.db")
    found = connection.execute(
        "SELECT canonical FROM proposal_texts WHERE proposal_id = ?", (proposal_id,)
    ).fetchone()
    connection.close()
    return bytes(found[0])


@pytest.mark.parametrize("content", [b"", b"not json", b"[]", b"{}", b"\xff"])
def test_bytes_of_no_proposal(tmp_path: Path, content: bytes) -> None:
    """P6: bytes that no proposal was stored as are PROPOSAL_CHANGED, as any other change is."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            statement = "UPDATE proposal_texts SET canonical = ? WHERE proposal_id = ?"
            write_by_hand(world, statement, content, proposal_id)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert code_of(reply) == "PROPOSAL_CHANGED"

    asyncio.run(story())
    assert world.crm.ledger == []


@pytest.mark.parametrize("with_digest", [False, True])
def test_another_city(tmp_path: Path, with_digest: bool) -> None:
    """P6, P19: changed arguments, with and without a digest that fits them, are not what a desk key signed."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            changed = canonical_of(world, proposal_id).replace(b"Bruges", b"Mortsel")
            statement = "UPDATE proposal_texts SET canonical = ? WHERE proposal_id = ?"
            write_by_hand(world, statement, changed, proposal_id)
            if with_digest:
                sha256 = digest_of_bytes("proposal", changed)
                for table in ("proposals", "decisions"):
                    statement = f"UPDATE {table} SET sha256 = ? WHERE proposal_id = ?"
                    write_by_hand(world, statement, sha256, proposal_id)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert code_of(reply) == "PROPOSAL_CHANGED"

    asyncio.run(story())
    assert world.crm.ledger == []


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("resources", '["customer/C-1002"]'),
        ("resources", "[]"),
        ("idempotency_key", "00000000-0000-4000-8000-000000000000"),
        ("operation", "POST /elsewhere"),
    ],
)
def test_a_column_beside_the_bytes(tmp_path: Path, column: str, value: str) -> None:
    """P2, V6, I2: what is locked and which key is used up follow from the digested bytes, whatever the columns say."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal_id = await world.approved(run)
            statement = f"UPDATE proposal_texts SET {column} = ? WHERE proposal_id = ?"
            write_by_hand(world, statement, value, proposal_id)
            reply = await run.call(COMMIT, {"proposal_id": proposal_id})
            assert code_of(reply) == "PROPOSAL_CHANGED"

    asyncio.run(story())
    assert world.crm.ledger == []


def test_the_bytes_of_an_approved_proposal_under_another_id(tmp_path: Path) -> None:
    """P9, P6: an approval serves the proposal that was approved, once, and no copy of its bytes."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            approved = await world.approved(run)
            other = await world.approved(run, customer="C-1002", city="Bruges")
            content = canonical_of(world, approved)
            statement = "UPDATE proposal_texts SET canonical = ? WHERE proposal_id = ?"
            write_by_hand(world, statement, content, other)
            sha256 = digest_of_bytes("proposal", content)
            statement = "UPDATE proposals SET sha256 = ? WHERE proposal_id = ?"
            write_by_hand(world, statement, sha256, other)
            reply = await run.call(COMMIT, {"proposal_id": other})
            assert code_of(reply) == "PROPOSAL_CHANGED"

    asyncio.run(story())
    assert world.crm.ledger == []
