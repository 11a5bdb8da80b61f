"""What people may type or point at by mistake: coded refusals, and nothing is decided (P5, P6, R4)."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.desk.conftest import DeskScene, failed
from tests.store.build import approved, unknown
from toolcharter_runtime.records import ExecutionRow
from toolcharter_runtime.store import Store

NO_TEXT = "x\udcff"
"""What an argument of bytes that are no UTF-8 becomes."""


@pytest.mark.parametrize(
    "words", [("show", NO_TEXT), ("audit", NO_TEXT), ("pending", "--tenant", NO_TEXT)]
)
def test_an_argument_that_is_no_text(desk: DeskScene, words: tuple[str, ...]) -> None:
    """R4: a usage error with its code, not a bug."""
    given = words if "--tenant" in words else (*words, "--tenant", "acme")
    desk.propose()
    assert failed(desk.run(*given, "--store", desk.url)) == (2, "STORE_TEXT")


def test_a_reason_that_is_no_text(desk: DeskScene) -> None:
    """P5, P7: nothing is decided."""
    row = desk.propose()
    denied = desk.as_("ann", "deny", row.proposal.proposal_id, "--reason", NO_TEXT)
    assert failed(denied) == (2, "DESK_NOT_TEXT")
    assert desk.row(row).state == "pending"


def test_a_database_that_is_no_store_is_left_alone(desk: DeskScene) -> None:
    """A path to another database is an error, not an empty list, and nothing is made in it."""
    path = desk.folder / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    result = desk.run("pending", "--store", f"sqlite:///{path}", "--tenant", "acme")
    assert failed(result) == (2, "STORE_FILE")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    connection.close()


def test_what_follows_after_nothing_was_done(desk: DeskScene) -> None:
    """I7, case 29: the old proposal stays closed; the next step is a new proposal, not to wait."""

    async def lose(store: Store) -> ExecutionRow:
        return await unknown(store, await approved(store))

    lost = desk.play(lose)
    more = ("--outcome", "confirmed_not_done", "--reason", "Not in the ledger", "--yes")
    assert desk.as_("bob", "settle", lost.execution_id, *more).exit_code == 0
    closed = desk.play(lambda store: store.load_execution("acme", lost.execution_id))
    assert closed is not None
    assert closed.problem is not None
    assert (closed.problem["next_action"], closed.problem["retryable"]) == ("propose_again", False)
