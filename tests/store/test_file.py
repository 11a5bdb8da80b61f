"""The file: its settings, its migrations, and who opens it (S1, S2)."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.store.build import Scene, approved, cause, current
from toolcharter_runtime.store import Store, StoreError
from toolcharter_runtime.store.schema import METADATA, REVISION

TABLES = {
    "alembic_version",
    "audit",
    "budgets",
    "claims",
    "decisions",
    "executions",
    "meta",
    "outbox",
    "proposal_texts",
    "proposals",
    "runs",
    "settlements",
    "slots",
}


def test_the_file_is_its_owners_alone(scene: Scene) -> None:
    """S2: mode 0600, also of the log beside it."""

    async def case(store: Store) -> None:
        await approved(store)
        files = list(scene.path.parent.glob("boundary.db*"))
        assert len(files) == 3
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}

    scene.play(case)


def test_a_file_that_others_may_read_is_closed_to_them(scene: Scene) -> None:
    """S2: an existing file gets mode 0600 when it is opened."""
    scene.path.touch(mode=0o644)
    scene.path.chmod(0o644)
    scene.play(approved)
    assert stat.S_IMODE(scene.path.stat().st_mode) == 0o600


def test_the_settings_hold_on_both_connections(scene: Scene) -> None:
    """S2: WAL, synchronous=FULL, foreign keys on."""

    async def case(store: Store) -> None:
        for connection in (store._engine._connection, store._engine._read_connection):
            found = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys")
            ]
            assert found == ["wal", 2, 1]

    scene.play(case)


def test_a_write_takes_the_lock_at_once(scene: Scene) -> None:
    """S2: BEGIN IMMEDIATE waits for another writer instead of failing on its snapshot."""

    async def case(store: Store) -> None:
        row = await approved(store)
        other = sqlite3.connect(scene.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(store.claim(row, (), 30, cause()))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        assert (await current(store, row)).state == "approved"
        other.execute("ROLLBACK")
        await waiting
        other.close()

    scene.play(case)


def test_an_empty_file_is_migrated_and_stays(scene: Scene) -> None:
    """S1: from nothing to the newest revision; what was written is there when it is opened again."""
    row = scene.play(approved)
    connection = sqlite3.connect(scene.path)
    names = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    connection.close()
    assert names - {"sqlite_sequence"} == TABLES
    assert revision == REVISION
    assert scene.play(lambda store: current(store, row)) == row


def test_migrations_make_what_the_schema_says(scene: Scene) -> None:
    """S1: the migrated file and the tables that the code uses are the same."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    scene.play(approved)
    engine = sa.create_engine(scene.url)
    with engine.connect() as connection:
        made = compare_metadata(MigrationContext.configure(connection), METADATA)
        checks = {
            name: {c["name"] for c in sa.inspect(connection).get_check_constraints(name)}
            for name in ("proposals", "executions")
        }
    engine.dispose()
    assert made == []
    assert checks == {"proposals": {"proposal_state"}, "executions": {"execution_state"}}


def test_a_current_store_opens_without_alembic(scene: Scene) -> None:
    """S1: opening is cheap when there is nothing to do."""
    scene.play(approved)
    code = (
        "import asyncio, sys\n"
        "from toolcharter_runtime.store import Store\n"
        f"store = asyncio.run(Store.open({scene.url!r}))\n"
        "asyncio.run(store.close())\n"
        "print('alembic' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_two_processes_open_a_new_store_at_once(scene: Scene) -> None:
    """S1: one migrates, the others find it done."""
    code = (
        "import asyncio\n"
        "from toolcharter_runtime.store import Store\n"
        "async def main():\n"
        f"    store = await Store.open({scene.url!r})\n"
        "    print((await store.store_key()).hex())\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=60) for process in running]
    assert [error for _, error in said] == [""] * 4
    assert len({out for out, _ in said}) == 1


def test_a_newer_store_is_refused(scene: Scene) -> None:
    """S1: a file of a later version is left alone."""
    scene.play(approved)
    connection = sqlite3.connect(scene.path)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreError) as refused:
        scene.play(approved)
    assert refused.value.code == "STORE_VERSION"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("boundary.db", "STORE_URL"),
        ("", "STORE_URL"),
        ("sqlite://", "STORE_URL"),
        ("sqlite:///:memory:", "STORE_URL"),
        ("sqlite:///x.db?mode=ro", "STORE_URL"),
        ("mysql://host/x", "STORE_URL"),
        ("sqlite:////nowhere/at/all/x.db", "STORE_FILE"),
    ],
)
def test_a_url_that_is_none_is_refused(url: str, code: str) -> None:
    with pytest.raises(StoreError) as refused:
        asyncio.run(Store.open(url))
    assert refused.value.code == code


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"not a database, but long enough to look like a file of something" * 20)
    with pytest.raises(StoreError) as refused:
        asyncio.run(Store.open(f"sqlite:///{path}"))
    assert refused.value.code == "STORE_FILE"
    assert path.read_bytes().startswith(b"not a database")


def test_the_store_key_is_made_once(scene: Scene) -> None:
    """S9: 32 random bytes that survive a restart."""
    key = scene.play(lambda store: store.store_key())
    assert len(key) == 32
    assert scene.play(lambda store: store.store_key()) == key
