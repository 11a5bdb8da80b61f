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
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import yaml

from benchmarks.lab.__main__ import CALLER, generate, open_boundary
from benchmarks.lab.upstream import Upstream
from benchmarks.measure import ROOT, hot, median, peer_python
from benchmarks.report import Figure
from toolcharter_runtime import Success

__all__ = ["figures"]

LAB = ROOT / "benchmarks" / "lab"
COMMITS = 150
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
    (folder / "approvers.yaml").write_text("people: {}\n", "utf-8")
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

        return await hot(through), await hot(bare)


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


async def commit_seconds(catalog: Any, folder: Path) -> tuple[float, int]:
    """Return the median seconds of a commit, and the bytes of the rows that one commit adds or changes."""
    upstream = Upstream()
    boundary = open_boundary(catalog, upstream, folder)
    taken: list[float] = []
    written = 0
    async with boundary, boundary.run(role="agent", caller=CALLER) as run:
        for turn in range(COMMITS):
            upstream.customer["version"] = 7
            proposed = await run.call("preview_address_change", CHANGE)
            assert isinstance(proposed, Success), proposed
            before = rows_of(folder / "lab.db") if turn == COMMITS - 1 else set()
            began = time.perf_counter()
            reply = await run.call(
                "commit_address_change", {"proposal_id": proposed.result["proposal_id"]}
            )
            taken.append(time.perf_counter() - began)
            assert reply.status == "completed", reply
            if before:
                written = sum(len(row) for row in rows_of(folder / "lab.db") - before)
    return median(taken), written


def rows_of(path: Path) -> set[bytes]:
    """Return every row of a database as bytes."""
    with closing(sqlite3.connect(path)) as connection:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {
            repr((name, row)).encode()
            for name in names
            for row in connection.execute(f'SELECT * FROM "{name}"')  # noqa: S608 - names come from the schema
        }


def bare_seconds(path: Path, written: int) -> float:
    """Return the median seconds of three durable transactions that write as many bytes to the same file."""
    part = b"x" * (written // 3)
    taken: list[float] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, part BLOB)")
        for _ in range(COMMITS):
            began = time.perf_counter()
            for _ in range(3):
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("INSERT INTO bare (part) VALUES (?)", (part,))
                connection.execute("COMMIT")
            taken.append(time.perf_counter() - began)
    return median(taken)


def figures() -> list[Figure]:
    """Measure a read and a commit; the store lies in a temporary folder of the checkout, on its own disk."""
    with tempfile.TemporaryDirectory(dir=ROOT) as name:
        folder = Path(name)
        catalog = load_catalog(folder)
        ours, bare = asyncio.run(read_seconds(catalog, folder))
        theirs, their_bare = peer_seconds(folder)
        commit, written = asyncio.run(commit_seconds(catalog, folder))
        transactions = bare_seconds(folder / "lab.db", written)
    cost, their_cost = (ours - bare) * 1e6, (theirs - their_bare) * 1e6
    return [
        Figure(
            "a read, over the bare client",
            f"{cost:.0f} us",
            f"fastmcp tool call {their_cost:.0f} us",
            cost / their_cost,
            0.2,
        ),
        Figure(
            f"a commit on SQLite, {written} bytes",
            f"{commit * 1e3:.2f} ms",
            f"three bare transactions {transactions * 1e3:.2f} ms",
            commit / transactions,
            1.7,
        ),
    ]
