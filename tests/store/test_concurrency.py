"""Many at once, in threads and in processes: one winner (P9), one chain (S7), one claim (V6)."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

from tests.store.build import Scene, approved, cause, current, leased
from toolcharter_runtime.records import ExecutionRow, Lease
from toolcharter_runtime.store import Store

ROOT = Path(__file__).resolve().parents[2]


def in_process(body: str, *arguments: str) -> subprocess.Popen[str]:
    code = "import asyncio, sys\nfrom tests.store.build import *\n" + body
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


RACE = """
async def attempt(store, row, lease):
    done = await store.consume_and_send(row, lease, 60, cause())
    return "won" if isinstance(done, ExecutionRow) else done.reason

async def main():
    store = await Store.open(sys.argv[1], clock=Clock())
    row = await store.load_proposal("acme", sys.argv[2])
    lease = Lease(tenant="acme", proposal_id=sys.argv[2], fence=int(sys.argv[3]),
                  until=START, resources=("customer/C-1842",))
    store.release = nothing
    print(*await asyncio.gather(*(attempt(store, row, lease) for _ in range(25))))
    await store.close()

async def nothing(*args, **more):
    pass

asyncio.run(main())
"""


def test_fifty_commits_in_two_processes_have_one_winner(scene: Scene) -> None:
    """P9: 50 concurrent consumes of one approval, even under one and the same lease, give one execution."""

    async def prepare(store: Store) -> tuple[str, int]:
        row = await approved(store)
        return row.proposal.proposal_id, (await leased(store, row)).fence

    name, fence = scene.play(prepare)
    racing = [in_process(RACE, scene.url, name, str(fence)) for _ in range(2)]
    said = [process.communicate(timeout=60) for process in racing]
    assert [error for _, error in said] == ["", ""]
    counted = Counter(word for out, _ in said for word in out.split())
    assert counted == {"won": 1, "consumed": 49}


def test_threads_with_loops_of_their_own_have_one_winner(scene: Scene) -> None:
    """P9: one store shared by threads, each with its own event loop."""
    results: list[str] = []

    async def case(store: Store) -> None:
        row = await approved(store)
        lease = await leased(store, row)

        def attempt() -> None:
            done = asyncio.run(store.consume_and_send(row, lease, 60, cause()))
            results.append("won" if isinstance(done, ExecutionRow) else done.reason)

        threads = [threading.Thread(target=attempt) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        assert (await store.audit_verify("acme")).broken_at is None

    scene.play(case)
    assert Counter(results) == {"won": 1, "consumed": 15}


CLAIM = """
async def main():
    store = await Store.open(sys.argv[1], clock=Clock())
    won = 0
    for name in sys.argv[2:]:
        row = await store.load_proposal("acme", name)
        won += isinstance(await store.claim(row, (), 30, cause()), Lease)
    print(won)
    await store.close()

asyncio.run(main())
"""


def test_one_resource_is_claimed_once_across_processes(scene: Scene) -> None:
    """V6, S7: ten proposals on one resource, three processes: one claim, and one unbroken chain."""

    async def prepare(store: Store) -> list[str]:
        return [(await approved(store)).proposal.proposal_id for _ in range(10)]

    names = scene.play(prepare)
    racing = [in_process(CLAIM, scene.url, *names) for _ in range(3)]
    said = [process.communicate(timeout=60) for process in racing]
    assert [error for _, error in said] == [""] * 3
    assert sum(int(out) for out, _ in said) == 1
    assert scene.play(lambda store: store.audit_verify("acme")).broken_at is None


CRASH = """
import os, signal

async def main():
    store = await Store.open(sys.argv[1], clock=Clock())
    row = await store.load_proposal("acme", sys.argv[2])
    lease = await leased(store, row)
    if sys.argv[3] == "sent":
        await store.consume_and_send(row, lease, 60, cause())
    print("ready", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def crash(scene: Scene, name: str, point: str) -> None:
    process = in_process(CRASH, scene.url, name, point)
    out, error = process.communicate(timeout=60)
    assert (out, error, process.returncode) == ("ready\n", "", -signal.SIGKILL)


def test_a_kill_after_the_send_row_leaves_it_sent(scene: Scene) -> None:
    """I4, I6: after kill -9 the execution is there as sent, is found once its lease ran out, and is not sent again."""
    row = scene.play(approved)
    crash(scene, row.proposal.proposal_id, "sent")

    async def case(store: Store) -> None:
        assert (await current(store, row)).state == "consumed"
        assert await store.unfinished() == ()
        scene.clock.pass_(seconds=61)
        (found,) = await store.unfinished()
        assert (found.state, found.proposal_id) == ("sent", row.proposal.proposal_id)
        assert await store.adopt(found, 60, cause()) is not None
        assert not isinstance(await store.claim(row, (), 30, cause()), Lease)

    scene.play(case)


def test_a_kill_before_the_send_row_leaves_it_approved(scene: Scene) -> None:
    """P12 b, S5: the lease of a killed commit ends with its time; the approval is unused."""
    row = scene.play(approved)
    crash(scene, row.proposal.proposal_id, "claimed")

    async def case(store: Store) -> None:
        assert (await current(store, row)).state == "approved"
        assert not isinstance(await store.claim(row, (), 30, cause()), Lease)
        scene.clock.pass_(seconds=30)
        assert isinstance(await store.claim(row, (), 30, cause()), Lease)

    scene.play(case)


def test_a_cancelled_caller_does_not_undo_a_transaction(scene: Scene) -> None:
    """O3: a transaction that began ends, whoever waits for it."""

    async def case(store: Store) -> None:
        row = await approved(store)
        other = sqlite3.connect(scene.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.create_task(store.claim(row, (), 30, cause()))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        other.execute("ROLLBACK")
        other.close()

    scene.play(case)

    async def it_was_claimed(store: Store) -> None:
        row = await approved(store)
        assert not isinstance(await store.claim(row, (), 30, cause()), Lease)

    scene.play(it_was_claimed)
