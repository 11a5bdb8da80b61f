"""One read over a mock transport, beside the bare client and fastmcp; one commit on SQLite, beside three bare transactions."""

from __future__ import annotations

import asyncio
import importlib
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx2
import yaml

from benchmarks.lab.__main__ import CALLER, arrange_desk, generate, open_boundary
from benchmarks.lab.upstream import Upstream
from benchmarks.measure import ROOT, hot, median, peer_python
from benchmarks.report import Figure
from toolcharter_runtime import Success
from toolcharter_runtime.store.engine import SqliteEngine

__all__ = ["figures"]

LAB = ROOT / "benchmarks" / "lab"
COMMITS = 250
WARM_UP = 20
FRAME, OVERFLOW = 4096 + 24, 4096 - 4
"""Bytes of a page with its header in SQLite's write-ahead log, and of a row in a page that it overflows to."""
CHANGE = {
    "customer_id": "cus_abcd1234",
    "reason": "moved",
    "line1": "2 New Street",
    "city": "Rome",
    "country": "IT",
}


def load_catalog(folder: Path) -> Any:
    """Generate the lab's package into a folder and return its catalog."""
    done = generate(LAB / "charter.yaml", folder / "generated")
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    arrange_desk(folder)
    sys.path.insert(0, str(folder / "generated" / "lab_tools"))
    return importlib.import_module("lab_tools").catalog


async def read_seconds(catalog: Any, folder: Path) -> tuple[float, float]:
    """Return seconds of one read through the boundary, and of the bare client."""
    customer = Upstream().customer

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json=customer)

    arguments = {"customer_id": "cus_abcd1234"}
    boundary = open_boundary(catalog, answer, folder)
    transport = httpx2.MockTransport(answer)
    async with (
        httpx2.AsyncClient(base_url="https://crm.example.test/api", transport=transport) as client,
        boundary,
        boundary.run(role="agent", caller=CALLER) as run,
    ):

        async def bare() -> object:
            return (await client.get("/customers/cus_abcd1234")).json()

        async def through() -> object:
            reply = await run.call("get_customer", arguments)
            assert reply.status == "completed", reply
            return reply

        through_seconds, bare_seconds = await hot(through, bare)
        return through_seconds, bare_seconds


def peer_seconds(folder: Path) -> tuple[float, float]:
    """Return seconds of fastmcp's tool call, and of the bare client in its environment."""
    description = folder / "openapi.json"
    text = (LAB / "openapi.yaml").read_text("utf-8")
    description.write_text(json.dumps(_typed(text)), "utf-8")
    script = ROOT / "benchmarks/peers/fastmcp_call.py"
    done = subprocess.run(
        [peer_python(".venv-peers"), str(script), str(description)],
        input=json.dumps(Upstream().customer),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return found["call"], found["bare"]


def _typed(text: str) -> dict[str, Any]:
    """Return the description with its numbers as numbers and its statuses as text."""

    def as_text(value: Any) -> Any:
        if isinstance(value, dict):
            return {str(key): as_text(item) for key, item in value.items()}
        return [as_text(item) for item in value] if isinstance(value, list) else value

    typed: dict[str, Any] = as_text(yaml.safe_load(text))
    return typed


@dataclass
class Bare:
    """Durable transactions on the store's own file, as many bytes each as a commit's three have on average."""

    path: Path
    written: int = 0
    part: bytes = b""

    def __enter__(self) -> Self:
        self.connection = sqlite3.connect(self.path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=FULL")
        self.connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, part BLOB)")
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def empty_log(self) -> None:
        """Begin the write-ahead log anew, so that its size says what is written from now on."""
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def match_log(self) -> None:
        """Write as many bytes as are in the log now; a row's first page and its overflow pages make the frames."""
        self.written = self.path.with_name(self.path.name + "-wal").stat().st_size
        self.part = b"x" * ((self.written // FRAME // 3 - 1) * OVERFLOW)

    async def write(
        self, requests: Sequence[Callable[[], Awaitable[object]]]
    ) -> tuple[float, float]:
        """Return the seconds of three transactions, and of the requests that a commit makes between its own.

        How long a disk takes to make bytes durable depends on how long it had nothing to do.
        """
        durable = asked = 0.0
        for between in ((), requests[:1], requests[1:]):
            began = time.perf_counter()
            for request in between:
                await request()
            ended = time.perf_counter()
            asked += ended - began
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute("INSERT INTO bare (part) VALUES (?)", (self.part,))
            self.connection.execute("COMMIT")
            durable += time.perf_counter() - ended
        return durable, asked


class StoreClock:
    """Adds up the seconds that the store takes: its snapshot and its transactions, waiting for them included."""

    seconds = 0.0

    def __enter__(self) -> Self:
        self._given = (SqliteEngine.read, SqliteEngine.write)
        SqliteEngine.read = self._timed(SqliteEngine.read)  # type: ignore[method-assign]
        SqliteEngine.write = self._timed(SqliteEngine.write)  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        SqliteEngine.read, SqliteEngine.write = self._given  # type: ignore[method-assign]

    def _timed(self, method: Any) -> Any:
        async def run(engine: SqliteEngine, work: Any) -> Any:
            began = time.perf_counter()
            try:
                return await method(engine, work)
            finally:
                self.seconds += time.perf_counter() - began

        return run


@dataclass(frozen=True)
class Commit:
    """Median seconds: of a commit over the bare client's same requests, of the store in it, of three bare transactions."""

    whole: float
    store: float
    bare: float
    written: int
    """Bytes that it puts on disk, and the bare transactions too."""


async def measure_commit(catalog: Any, folder: Path) -> Commit:
    """Commit and write bare in turns on one file, since a disk that others use is now fast and now slow."""
    upstream = Upstream()
    boundary = open_boundary(catalog, upstream, folder)
    transport = httpx2.MockTransport(upstream)
    taken: list[tuple[float, float, float]] = []
    async with (
        httpx2.AsyncClient(base_url="https://crm.example.test/api", transport=transport) as client,
        boundary,
        boundary.run(role="agent", caller=CALLER) as run,
    ):
        place = "/customers/" + CHANGE["customer_id"]

        async def look() -> object:
            return (await client.get(place)).json()

        async def change() -> object:
            headers = {"Idempotency-Key": "bare", "If-Match": '"7"'}
            body = {"reason": CHANGE["reason"], "new_address": {}}
            return (
                await client.post(f"{place}/address-changes", json=body, headers=headers)
            ).json()

        with Bare(folder / "lab.db") as beside, StoreClock() as clock:
            for turn in range(COMMITS):
                upstream.customer["version"] = 7
                proposed = await run.call("preview_address_change", CHANGE)
                assert isinstance(proposed, Success)
                proposal = {"proposal_id": proposed.result["proposal_id"]}
                if turn == WARM_UP:
                    beside.empty_log()
                clock.seconds, began = 0.0, time.perf_counter()
                reply = await run.call("commit_address_change", proposal)
                seconds = time.perf_counter() - began
                assert reply.status == "completed", reply
                if turn == WARM_UP:
                    beside.match_log()
                if turn > WARM_UP:
                    durable, asked = await beside.write((look, change, look))
                    taken.append((seconds - asked, clock.seconds, durable))
            whole, store, bare = map(median, zip(*taken, strict=True))
            return Commit(whole, store, bare, beside.written)


def figures() -> list[Figure]:
    """Measure a read and a commit; the store lies on the checkout's disk, for `/tmp` may be memory."""
    with tempfile.TemporaryDirectory(dir=ROOT) as name:
        folder = Path(name)
        catalog = load_catalog(folder)
        ours, bare = asyncio.run(read_seconds(catalog, folder))
        theirs, their_bare = peer_seconds(folder)
        commit = asyncio.run(measure_commit(catalog, folder))
    cost, their_cost = (ours - bare) * 1e6, (theirs - their_bare) * 1e6
    three = f"three bare transactions {commit.bare * 1e3:.2f} ms"
    stored = f"the store in it, {commit.written / 1000:.0f} kB"
    return [
        Figure(
            "a read, over the bare client",
            f"{cost:.0f} us",
            f"fastmcp tool call {their_cost:.0f} us",
            cost / their_cost,
            0.2,
        ),
        Figure(
            "a commit on SQLite, over the bare client",
            f"{commit.whole * 1e3:.2f} ms",
            three,
            commit.whole / commit.bare,
            1.7,
        ),
        Figure(stored, f"{commit.store * 1e3:.2f} ms", three, commit.store / commit.bare),
    ]
