"""The one door to the network: a base URL that nothing widens, and bounds on all that comes back (X2, X5, L5)."""

from __future__ import annotations

import asyncio
import math
import weakref
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from toolcharter_runtime import frozen
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.language import LanguageError
from toolcharter_runtime.upstream.answer import Answer, parse_answer, texts_of
from toolcharter_runtime.upstream.credentials import AuthCallback, Credential, ask, with_credential
from toolcharter_runtime.upstream.errors import NoAnswer, NotSent
from toolcharter_runtime.upstream.quiet import Quiet, hold_back
from toolcharter_runtime.upstream.receiving import receive
from toolcharter_runtime.upstream.request import BuiltRequest

if TYPE_CHECKING:
    from httpx2 import URL, AsyncBaseTransport, Request, Response

__all__ = ["Upstream"]

_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_MAX_REDIRECTS: Final = 3
_OWN_HEADERS: Final = (("User-Agent", "toolcharter"), ("Accept-Encoding", "gzip"))
_WITH_BODY: Final = frozenset(("PATCH", "POST", "PUT", "QUERY"))
"""Methods that say a length even where there is no body."""


class Upstream:
    """An HTTP API at one base URL; it replaces all `servers` of the description.

    `auth` is a `Credential` or a callback `auth(caller, need)`, sync or async. `environment` is what policies see as
    `{$environment}`. `transport` is an httpx2 transport, for tests and for proxies: those that the process's environment
    names are not used, so that nothing but this code says where requests go.
    """

    def __init__(
        self,
        url: str,
        *,
        auth: AuthCallback | Credential | None = None,
        environment: str = "production",
        name: str | None = None,
        transport: AsyncBaseTransport | None = None,
    ) -> None:
        base = _checked(url)
        self.origin = _origin_of(base)
        self._host = base.netloc.decode("ascii")
        self._prefix = base.raw_path.decode("ascii").rstrip("/")
        self.environment = environment
        self.name = name or self.origin.partition("://")[2]
        self._auth = auth
        self._given = transport
        self._opened: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncBaseTransport] = (
            weakref.WeakKeyDictionary()
        )

    def __repr__(self) -> str:
        return f"<Upstream {self.name} ({self.environment})>"

    async def send(
        self,
        built: BuiltRequest,
        auth: frozen.Auth | None,
        caller: Caller,
        tool: frozen.Contract,
        timeout: frozen.Timeout,
        left: float = math.inf,
    ) -> Answer:
        """Send a request once and return the answer; raise `NotSent` or `NoAnswer`.

        `left` are the seconds that the call has left, if that is less than the timeout's total. A read follows at most three redirects within the origin; a write none. The body is read up to the bound of the
        tool's view, decoded bytes counted.
        """
        leaving = False
        total = min(timeout.total, left)
        try:
            async with asyncio.timeout(total):
                query, headers, body = built.query, [*built.headers], built.body
                if auth is not None or built.credentials:
                    credential = await ask(self._auth, caller, tool)
                    query, headers, body = with_credential(built, auth, credential)
                waits = _waits(timeout, total)
                request = self._request(built, query, headers, body, waits)
                leaving = True
                with Quiet():
                    return await self._exchange(request, tool)
        except TimeoutError:
            if not leaving:
                raise NotSent("no time was left for the request") from None
            raise NoAnswer("timeout") from None

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        transport = self._opened.pop(asyncio.get_running_loop(), None)
        if transport is not None:
            await transport.aclose()

    def _request(
        self,
        built: BuiltRequest,
        query: str,
        headers: list[tuple[str, str]],
        body: bytes | None,
        waits: dict[str, float],
    ) -> Request:
        import httpx2

        sized: list[tuple[str, str]] = []
        if body or built.method in _WITH_BODY:
            sized.append(("Content-Length", str(len(body or b""))))
        target = f"{self._prefix}{built.path}?{query}" if query else self._prefix + built.path
        request = httpx2.Request(
            built.method,
            self.origin + target,
            headers=[("Host", self._host), *headers, *_OWN_HEADERS, *sized],
            stream=httpx2.ByteStream(body or b""),
            extensions={"timeout": waits},
        )
        if _origin_of(request.url) != self.origin or request.url.raw_path != target.encode("ascii"):
            raise LanguageError("the request's URL is not the one that was built")
        return request

    async def _exchange(self, request: Request, tool: frozen.Contract) -> Answer:
        try:
            for _ in range(_MAX_REDIRECTS):
                response = await self._transport().handle_async_request(request)
                try:
                    following = self._redirect(request, response, tool)
                    if following is None:
                        return await _read(response, tool)
                finally:
                    await response.aclose()
                request = following
            return Answer(508, {})
        except (TimeoutError, NoAnswer):
            raise
        except Exception as error:
            raise _meaning(error) from None

    def _redirect(
        self, request: Request, response: Response, tool: frozen.Contract
    ) -> Request | None:
        """Return the request to the place that a read is sent to, if it is of the same origin."""
        if response.status_code not in _REDIRECTS or tool.effect != "read":
            return None
        location = response.headers.get("location")
        if location is None or request.method not in ("GET", "HEAD"):
            return None
        import httpx2

        try:
            url = request.url.join(location)
        except httpx2.InvalidURL:
            return None
        if _origin_of(url) != self.origin or url.userinfo:
            return None
        headers = [item for item in request.headers.multi_items() if item[0] != "host"]
        return httpx2.Request(request.method, url, headers=headers, extensions=request.extensions)

    def _transport(self) -> AsyncBaseTransport:
        loop = asyncio.get_running_loop()
        transport = self._opened.get(loop)
        if transport is None:
            transport = self._given if self._given is not None else _open()
            self._opened[loop] = transport
            hold_back()
        return transport


def _open() -> AsyncBaseTransport:
    import httpx2

    return httpx2.AsyncHTTPTransport(retries=0, limits=httpx2.Limits(max_connections=100))


def _waits(timeout: frozen.Timeout, total: float) -> dict[str, float]:
    """Return what the transport may wait for; less than the total to connect, so that a failure to is known as one."""
    connect, read = min(timeout.connect, total * 0.9), min(timeout.read, total)
    return {"connect": connect, "pool": connect, "read": read, "write": read}


def _meaning(error: Exception) -> NotSent | NoAnswer:
    """Return what a transport's failure means: only without a connection nothing was sent."""
    from httpx2 import ConnectError, ConnectTimeout, PoolTimeout, TimeoutException

    if isinstance(error, ConnectError | ConnectTimeout | PoolTimeout):
        return NotSent("no connection to the upstream")
    return NoAnswer("timeout" if isinstance(error, TimeoutException) else "cut")


async def _read(response: Response, tool: frozen.Contract) -> Answer:
    headers: dict[str, str] = {}
    for name, value in response.headers.multi_items():
        lower = name.lower()
        if lower != "set-cookie":
            headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
    raw = await receive(response, headers, tool.view.maximum_bytes)
    return parse_answer(response.status_code, headers, raw, texts_of(tool, response.status_code))


def _checked(url: str) -> URL:
    """Return the base; raise `ValueError` for what is no base URL."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ValueError("the upstream's URL cannot be read") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the upstream's URL must be absolute, with http or https")
    if parts.username is not None or parts.password is not None:
        raise ValueError("the upstream's URL holds a user: give credentials through `auth`")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ValueError("the upstream's URL must have neither query nor fragment")
    if any(not char.isprintable() or char in " \\" for char in url):
        raise ValueError("the upstream's URL holds a space, a backslash or a control character")
    path = parts.path.rstrip("/")
    if any(segment in ("", ".", "..") for segment in path.split("/")[1:]) or not path.isascii():
        raise ValueError("the path of the upstream's URL holds an empty or dotted segment")
    import httpx2

    return httpx2.URL(url)


def _origin_of(url: URL) -> str:
    host = url.raw_host.decode("ascii")
    shown = f"[{host}]" if ":" in host else host
    return f"{url.scheme}://{shown}" + (f":{url.port}" if url.port is not None else "")
