"""A server of raw bytes: it answers what a test tells it to, and cuts or stalls where a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

Script: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Wire:
    """A running server: its base URL, and the head and body of every request that reached it."""

    url: str
    requests: list[bytes] = field(default_factory=list)


def answer(
    status: int = 200, body: bytes = b"{}", *headers: str, length: int | None = None
) -> bytes:
    """Return the bytes of one answer with a content length, which may lie."""
    lines = [
        f"HTTP/1.1 {status} X",
        f"Content-Length: {len(body) if length is None else length}",
        *headers,
    ]
    if not any(line.lower().startswith("content-type") for line in headers):
        lines.append("Content-Type: application/json")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def says(data: bytes) -> Script:
    """Return a script that sends bytes and closes."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return script


async def stalls(writer: asyncio.StreamWriter) -> None:
    """Say nothing for longer than any test waits."""
    await asyncio.sleep(5)


@asynccontextmanager
async def serve(*scripts: Script) -> AsyncIterator[Wire]:
    """Serve the scripts in order, the last one again and again."""
    wire = Wire("")
    left = list(scripts)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                 if line.startswith(b"content-length:")),
                0,
            )  # fmt: skip
            wire.requests.append(head + await reader.readexactly(length))
            script = left.pop(0) if len(left) > 1 else left[0]
            await script(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    wire.url = f"http://127.0.0.1:{port}/api/v1"
    try:
        yield wire
    finally:
        server.close()
