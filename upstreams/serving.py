"""Serve an ASGI application on a thread, with a way to cut a connection as a broken network does."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from types import TracebackType
from typing import ClassVar, Self, cast

import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["CutResponse", "Listener", "server_of"]

_STARTING_SECONDS = 20.0


class _Cuttable(H11Protocol):
    """HTTP/1.1 that remembers each connection by the client's address, so that a cut can find it."""

    open_by_client: ClassVar[dict[tuple[str, int], asyncio.Transport]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it too
        super().connection_made(transport)
        if self.client is not None:
            self.open_by_client[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self.client is not None:
            self.open_by_client.pop(self.client, None)
        super().connection_lost(exc)


async def _cut(scope: Scope, receive: Receive) -> None:
    """Reset the request's TCP connection without an answer; returns when it is gone."""
    host, port = scope["client"]
    transport = _Cuttable.open_by_client[(host, port)]
    sock = cast("socket.socket", transport.get_extra_info("socket"))
    # Lingering for zero seconds makes the close a reset: the client sees a broken connection, never an empty answer.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
    while (await receive())["type"] != "http.disconnect":
        pass


class CutResponse(Response):
    """No answer: the connection is reset."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reset it."""
        await _cut(scope, receive)


def server_of(app: ASGIApp) -> uvicorn.Server:
    """Return an unstarted server of the application, whose connections a cut can find."""
    config = uvicorn.Config(
        app,
        http=_Cuttable,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        loop="asyncio",
    )
    return uvicorn.Server(config)


class Listener:
    """An application listening on the loopback interface, on a thread of its own, while the block lasts."""

    def __init__(self, app: ASGIApp, *, port: int = 0) -> None:
        self._server = server_of(app)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._thread = threading.Thread(target=self._serve, name="upstream", daemon=True)

    @property
    def url(self) -> str:
        """The base URL, e.g. `http://127.0.0.1:40123`."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def __enter__(self) -> Self:
        self._thread.start()
        waited = threading.Event()
        for _ in range(int(_STARTING_SECONDS / 0.01)):
            if self._server.started:
                return self
            waited.wait(0.01)
        raise TimeoutError("the upstream did not start")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(_STARTING_SECONDS)
        self._socket.close()
