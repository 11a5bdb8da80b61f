"""What comes back is bounded on the wire too, and leaves no line in a log (X5, T1)."""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections.abc import Awaitable, Callable

import pytest

from tests.runtime.upstream.contracts import BEARER, contract
from tests.runtime.upstream.wire import answer, says, serve
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.frozen import Contract, Timeout
from toolcharter_runtime.language import ABSENT
from toolcharter_runtime.upstream import Answer, BuiltRequest, Credential, Upstream

GET = BuiltRequest("GET", "/customers/C-1", "q=Canary", (("X-Own", "Canary"),), None)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n"
EMPTY_GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
EMPTY_BLOCK = b"\0\0\0\xff\xff"


def send(
    script: Callable[[asyncio.StreamWriter], Awaitable[None]], tool: Contract | None = None
) -> Answer:
    called = tool or contract()

    async def play() -> Answer:
        async with serve(script) as wire:
            upstream = Upstream(wire.url, auth=Credential.bearer("Canary"))
            try:
                timeout = Timeout(connect=1, read=1, total=3)
                return await upstream.send(GET, called.auth, Caller("t", "a"), called, timeout)
            finally:
                await upstream.aclose()

    return asyncio.run(play())


def endless(head: bytes, block: bytes) -> Callable[[asyncio.StreamWriter], Awaitable[None]]:
    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(block)
            await writer.drain()

    return script


def test_nothing_is_read_after_a_compressed_body_has_ended() -> None:
    """X5, L5: what follows the end is no part of the body: neither memory nor time is spent on it."""
    body = gzip.compress(b'{"id": "C-1"}', mtime=0)
    assert send(endless(HEAD + body, b"\0" * 65_536)).body == {"id": "C-1"}


def test_a_body_that_unfolds_to_nothing_is_bounded() -> None:
    """X5: bytes count as they arrive too, so that an endless stream of empty blocks ends."""
    got = send(endless(HEAD + EMPTY_GZIP, EMPTY_BLOCK * 13_000))
    assert (got.too_large, got.body) == (True, ABSENT)


@pytest.mark.parametrize("name", ["httpcore2", "httpcore2.http11", None])
def test_an_exchange_leaves_no_line_in_a_log(
    caplog: pytest.LogCaptureFixture, name: str | None
) -> None:
    """T1, R4: at DEBUG the transport would log an answer's headers; of other clients it still does."""
    said = says(answer(200, b'{"id": "C-1"}', "X-Secret: Canary", "Set-Cookie: a=Canary"))
    with caplog.at_level(logging.DEBUG, logger=name):
        assert send(said, contract(auth=BEARER)).body == {"id": "C-1"}
        logging.getLogger("httpcore2.http11").debug("of another client")
    assert "Canary" not in caplog.text
    lines = [one.getMessage() for one in caplog.records if one.name.startswith("httpcore2")]
    assert lines == ["of another client"]
