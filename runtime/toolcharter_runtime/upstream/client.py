"""The one door to the network: a base URL that nothing widens, and bounds on all that comes back (X2, X5, L5)."""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from toolcharter_runtime import frozen
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.language import LanguageError
from toolcharter_runtime.upstream.answer import Answer, parse_answer
from toolcharter_runtime.upstream.credentials import AuthCallback, Credential, ask, with_credential
from toolcharter_runtime.upstream.errors import NoAnswer, NotSent
from toolcharter_runtime.upstream.receiving import receive
from toolcharter_runtime.upstream.request import BuiltRequest

if TYPE_CHECKING:
    from httpx2 import URL, AsyncBaseTransport, Request, Response

__all__ = ["Upstream"]

_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_MAX_REDIRECTS: Final = 3
_AGENT: Final = ("User-Agent", "toolcharter")


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
        self._base, self.origin = _checked(url)
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
    ) -> Answer:
        """Send a request once and return the answer; raise `NotSent` or `NoAnswer`.

        A read follows at most three redirects within the origin; a write none. The body is read up to the bound of the
        tool's view, decoded bytes counted.
        """
        leaving = False
        try:
            async with asyncio.timeout(timeout.total):
                query, headers, body = built.query, [*built.headers], built.body
                if auth is not None or built.credentials:
                    credential = await ask(self._auth, caller, tool)
                    query, headers, body = with_credential(built, auth, credential)
                request = self._request(built, query, headers, body, timeout)
                leaving = True
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
        timeout: frozen.Timeout,
    ) -> Request:
        import httpx2

        connect = min(timeout.connect, timeout.total * 0.9)
        read = min(timeout.read, timeout.total)
        target = built.path + (f"?{query}" if query else "")
        request = httpx2.Request(
            built.method,
            self._base + target,
            headers=[*headers, _AGENT, ("Accept-Encoding", "gzip")],
            content=body,
            extensions={
                "timeout": {"connect": connect, "pool": connect, "read": read, "write": read}
            },
        )
        prefix = urlsplit(self._base).path
        if _origin_of(request.url) != self.origin or request.url.raw_path != (
            prefix + target
        ).encode("ascii"):
            raise LanguageError("the request's URL is not the one that was built")
        return request

    async def _exchange(self, request: Request, tool: frozen.Contract) -> Answer:
        from httpx2 import ConnectError, ConnectTimeout, PoolTimeout, TimeoutException

        try:
            for _ in range(_MAX_REDIRECTS):
                response = await self._transport().handle_async_request(request)
                try:
                    following = self._redirect(request, response, tool)
                    if following is None:
                        return await _read(response, tool.view.maximum_bytes)
                finally:
                    await response.aclose()
                request = following
            return Answer(508, {})
        except (ConnectError, ConnectTimeout, PoolTimeout):
            raise NotSent("no connection to the upstream") from None
        except TimeoutException:
            raise NoAnswer("timeout") from None
        except (TimeoutError, NoAnswer):
            raise
        except Exception:  # whatever else a transport raises: the request may have arrived
            raise NoAnswer("cut") from None

    def _redirect(
        self, request: Request, response: Response, tool: frozen.Contract
    ) -> Request | None:
        """Return the request to the place that a read is sent to, if it is of the same origin."""
        location = response.headers.get("location")
        if tool.effect != "read" or response.status_code not in _REDIRECTS or location is None:
            return None
        if request.method not in ("GET", "HEAD"):
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
        return transport


def _open() -> AsyncBaseTransport:
    import httpx2

    return httpx2.AsyncHTTPTransport(retries=0, limits=httpx2.Limits(max_connections=100))


async def _read(response: Response, maximum: int) -> Answer:
    headers: dict[str, str] = {}
    for name, value in response.headers.multi_items():
        lower = name.lower()
        if lower != "set-cookie":
            headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
    raw = await receive(response, headers.get("content-encoding", ""), maximum)
    return parse_answer(response.status_code, headers, raw)


def _checked(url: str) -> tuple[str, str]:
    """Return the base without its last slash, and the origin; raise `ValueError` for what is no base URL."""
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

    base = httpx2.URL(url)
    return _origin_of(base) + base.raw_path.decode("ascii").rstrip("/"), _origin_of(base)


def _origin_of(url: URL) -> str:
    host = url.raw_host.decode("ascii")
    shown = f"[{host}]" if ":" in host else host
    return f"{url.scheme}://{shown}" + (f":{url.port}" if url.port is not None else "")
