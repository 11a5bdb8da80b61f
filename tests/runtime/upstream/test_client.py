"""The one door to the network (X2, X4, X5, L5, I6), against a server of raw bytes."""

from __future__ import annotations

import asyncio
import copy
import gzip
import pickle
import socket
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest

from tests.runtime.upstream.contracts import BEARER, OPEN, contract, write
from tests.runtime.upstream.wire import Script, Wire, answer, says, serve, stalls
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.frozen import Auth, Contract, Request, Timeout, View
from toolcharter_runtime.language import ABSENT
from toolcharter_runtime.upstream import (
    Answer,
    BuiltRequest,
    Credential,
    CredentialError,
    CredentialPlace,
    Need,
    NoAnswer,
    NotSent,
    Upstream,
)

CALLER = Caller("t1", "agent", "ada")
GET = BuiltRequest("GET", "/customers/C-1", "", (("Accept", "application/json"),), None)
POST = BuiltRequest(
    "POST", "/customers", "a=1", (("Content-Type", "application/json"),), b'{"name":"Ada"}'
)
SHORT = Timeout(connect=0.3, read=0.15, total=0.4)
READ = contract()
WRITE = write()


def exchange(
    *scripts: Script,
    built: BuiltRequest = GET,
    tool: Contract = READ,
    auth: Any = None,
    timeout: Timeout = SHORT,
) -> tuple[Answer, Wire]:
    async def play() -> tuple[Answer, Wire]:
        async with serve(*scripts) as wire:
            upstream = Upstream(wire.url + "/", auth=auth)
            try:
                got = await upstream.send(built, tool.auth, CALLER, tool, timeout)
            finally:
                await upstream.aclose()
            return got, wire

    return asyncio.run(play())


def test_an_answer_is_read_and_the_base_path_kept() -> None:
    """X2: the URL given replaces all servers of the description."""
    got, wire = exchange(says(answer(200, b'{"id": 1.0}', 'ETag: "7"', "X-A: 1", "X-A: 2")))
    assert (got.status, got.body, got.header("etag"), got.header("X-a")) == (
        200,
        {"id": 1},
        '"7"',
        "1, 2",
    )
    assert wire.requests[0].startswith(b"GET /api/v1/customers/C-1 HTTP/1.1\r\n")
    _, wire = exchange(says(answer()), built=POST, tool=WRITE)
    head, _, body = wire.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /api/v1/customers?a=1 HTTP/1.1\r\n")
    assert body == b'{"name":"Ada"}'
    assert b"cookie" not in head.lower()


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (says(b""), "cut"),
        (says(b"HTTP/1.1 200 OK\r\nContent-Le"), "cut"),
        (says(answer(200, b'{"id"', length=100)), "cut"),
        (says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "cut"),
        (says(b"garbage\r\n\r\n"), "cut"),
        (stalls, "timeout"),
    ],
)
def test_no_whole_answer_is_no_answer(script: Script, kind: str) -> None:
    """I6: cut off or too late, the request may have arrived."""
    with pytest.raises(NoAnswer) as caught:
        exchange(script, built=POST, tool=WRITE)
    assert caught.value.kind == kind
    assert caught.value.__cause__ is None


def test_an_answer_that_drips_ends_with_the_total_timeout() -> None:
    """L5: the total counts, whatever the pauses between bytes."""

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
        )
        for _ in range(99):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    with pytest.raises(NoAnswer) as caught:
        exchange(drip)
    assert caught.value.kind == "timeout"


def test_no_connection_is_surely_not_sent() -> None:
    """I11: a transient failure that surely applied nothing."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}", "http://nowhere.invalid"):

        async def play(url: str = url) -> None:
            upstream = Upstream(url)
            try:
                await upstream.send(POST, None, CALLER, WRITE, Timeout(connect=2, read=1, total=5))
            finally:
                await upstream.aclose()

        with pytest.raises(NotSent) as caught:
            asyncio.run(play())
        assert str(port) not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (httpx2.ConnectError("x"), NotSent),
        (httpx2.ConnectTimeout("x"), NotSent),
        (httpx2.PoolTimeout("x"), NotSent),
        (httpx2.ReadTimeout("x"), NoAnswer),
        (httpx2.WriteTimeout("x"), NoAnswer),
        (httpx2.WriteError("x"), NoAnswer),
        (httpx2.ReadError("x"), NoAnswer),
        (httpx2.RemoteProtocolError("x"), NoAnswer),
        (httpx2.LocalProtocolError("x"), NoAnswer),
        (OSError("canary"), NoAnswer),
        (ValueError("canary"), NoAnswer),
    ],
)
def test_a_failure_is_not_sent_only_where_that_is_sure(
    error: Exception, expected: type[Exception]
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise error

    with pytest.raises(expected) as caught:
        mocked(fail)
    assert "canary" not in str(caught.value)


def mocked(
    handler: Callable[[httpx2.Request], httpx2.Response],
    built: BuiltRequest = GET,
    tool: Contract = READ,
    auth: Any = None,
) -> Answer:
    async def play() -> Answer:
        transport = httpx2.MockTransport(handler)
        upstream = Upstream("https://crm.test/api/v1", auth=auth, transport=transport)
        try:
            return await upstream.send(built, tool.auth, CALLER, tool, SHORT)
        finally:
            await upstream.aclose()

    return asyncio.run(play())


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (("Content-Type: application/json",), b'{"a":"' + b"x" * 2000 + b'"}'),
        (("Content-Encoding: gzip",), gzip.compress(b" " * 5_000_000, mtime=0)),
        (("Content-Encoding: deflate",), zlib.compress(b" " * 5_000_000)),
    ],
)
def test_a_body_beyond_its_bound_is_not_read(head: tuple[str, ...], body: bytes) -> None:
    """X5: bound size; what is compressed counts as it unfolds."""
    got, _ = exchange(says(answer(200, body, *head)))
    assert (got.too_large, got.body) == (True, ABSENT)


def test_a_chunked_body_is_bounded_too() -> None:
    chunk = b"3e8\r\n" + b" " * 1000 + b"\r\n"
    got, _ = exchange(
        says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 3 + b"0\r\n\r\n")
    )
    assert got.too_large


def test_a_compressed_body_is_read() -> None:
    body = gzip.compress(b'{"id": "C-1"}', mtime=0)
    got, wire = exchange(says(answer(200, body, "Content-Encoding: gzip")))
    assert got.body == {"id": "C-1"}
    assert b"accept-encoding: gzip\r\n" in wire.requests[0].lower()


@pytest.mark.parametrize("body", [gzip.compress(b'{"id": "C-1"}', mtime=0)[:-9], b"not gzip"])
def test_a_broken_compressed_body_is_cut(body: bytes) -> None:
    with pytest.raises(NoAnswer):
        exchange(says(answer(200, body, "Content-Encoding: gzip")))


@pytest.mark.parametrize(
    ("media", "body", "not_json"),
    [
        ("application/json; charset=utf-8", b'{"a": 1}', False),
        ("application/problem+json", b'{"a": 1}', False),
        ("text/html", b"<p>", True),
        ("text/plain", b'{"a": 1}', True),
        ("application/json", b"{", True),
        ("application/json", b'{"a": 1, "a": 2}', True),
        ("application/json", b"\xff", True),
        ("application/json", b"[" * 5000, True),
        ("text/html", b"", False),
    ],
)
def test_a_body_is_json_by_its_media_type(media: str, body: bytes, not_json: bool) -> None:
    got, _ = exchange(
        says(answer(200, body, f"Content-Type: {media}")),
        tool=contract(view=View(result=OPEN, maximum_bytes=10_000)),
    )
    assert got.not_json is not_json
    assert got.body == (ABSENT if not_json or not body else {"a": 1})


def redirected(
    location: str, built: BuiltRequest = GET, tool: Contract = READ
) -> tuple[Answer, list[str]]:
    seen: list[str] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(str(request.url))
        if len(seen) == 1:
            return httpx2.Response(307, headers={"Location": location})
        return httpx2.Response(200, json={"id": "C-1"})

    return mocked(handle, built, tool), seen


def test_a_write_follows_no_redirect() -> None:
    """X2: no redirect on writes."""
    got, seen = redirected("/api/v1/other", POST, WRITE)
    assert (got.status, len(seen)) == (307, 1)


def test_a_read_follows_within_its_origin() -> None:
    """X2: same origin only on reads."""
    got, seen = redirected("/api/v2/x?y=1")
    assert (got.status, seen[1]) == (200, "https://crm.test/api/v2/x?y=1")
    for location in (
        "https://evil.test/api/v1/x",
        "http://crm.test/api/v1/x",
        "https://crm.test:444/x",
        "//evil.test/x",
        "https://u:p@crm.test/x",
        "file:///etc/passwd",
        "https://[bad",
    ):
        got, seen = redirected(location)
        assert (got.status, len(seen)) == (307, 1), location


def test_redirects_end() -> None:
    calls: list[str] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        calls.append(str(request.url))
        return httpx2.Response(302, headers={"Location": f"/n{len(calls)}"})

    assert mocked(handle).status == 508
    assert len(calls) == 3


def test_no_cookie_is_kept() -> None:
    """One caller's session is never another's."""
    got, _ = exchange(says(answer(200, b"{}", "Set-Cookie: sid=canary")))
    assert "canary" not in repr(got)


@pytest.mark.parametrize(
    "url",
    [
        "crm.test", "ftp://crm.test", "http://", "https://u:p@crm.test", "https://crm.test?x=1", "https://crm.test?",
        "https://crm.test/#f", "https://crm.test/a/../b", "https://crm.test/a//b", "https://crm.test/./a",
        "https://crm.test:port", "https://crm.test\\@evil", "https://crm.test/a b", "https://crm.test/\r\n",
        "https://crm.test/ä", "",
    ],
)  # fmt: skip
def test_a_url_that_is_no_base_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="upstream's URL") as caught:
        Upstream(url)
    assert "u:p" not in str(caught.value)


def test_what_an_upstream_is_called() -> None:
    upstream = Upstream(
        "https://CRM.test:443/api/", environment="staging", auth=Credential.bearer("s3cret")
    )
    assert (upstream.origin, upstream.name) == ("https://crm.test", "crm.test")
    assert repr(upstream) == "<Upstream crm.test (staging)>"
    assert Upstream("http://[::1]:8080").origin == "http://[::1]:8080"


@pytest.mark.parametrize(
    ("auth", "credential", "expected"),
    [
        (BEARER, Credential.bearer("tok"), ("authorization", "Bearer tok")),
        (
            Auth(scheme="o", kind="oauth2"),
            Credential.bearer("tok"),
            ("authorization", "Bearer tok"),
        ),
        (
            Auth(scheme="b", kind="basic"),
            Credential.basic("ada", "pä"),
            ("authorization", "Basic YWRhOnDDpA=="),
        ),
        (Auth(scheme="k", kind="api_key", name="X-Key"), Credential.api_key("k1"), ("x-key", "k1")),
        (
            Auth(scheme="k", kind="api_key", name="sid", location="cookie"),
            Credential.api_key("k1"),
            ("cookie", "sid=k1"),
        ),
    ],
)
def test_a_credential_goes_where_the_contract_says(
    auth: Auth, credential: Credential, expected: tuple[str, str]
) -> None:
    seen: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={})

    mocked(handle, tool=contract(auth=auth), auth=credential)
    assert seen[0].headers[expected[0]] == expected[1]


def test_a_key_in_the_query_and_named_values() -> None:
    """X4: the proposal's digest never sees them, the request that leaves has them."""
    seen: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={})

    places = (
        CredentialPlace("header", "token", "slack"),
        CredentialPlace("query", "t", "slack"),
        CredentialPlace("body", "/auth/pin", "pin"),
    )
    built = BuiltRequest(
        "POST", "/x", "a=1", (("Content-Type", "application/json"),), b'{"b":1}', places
    )
    key = Auth(scheme="k", kind="api_key", name="key", location="query")
    mocked(handle, built, contract(auth=key), Credential.api_key("a&b", slack="xo", pin="9"))
    assert seen[0].url.query == b"a=1&key=a%26b&t=xo"
    assert seen[0].headers["token"] == "xo"
    assert seen[0].content == b'{"b":1,"auth":{"pin":"9"}}'
    form = BuiltRequest(
        "POST", "/x", "", (("Content-Type", "application/x-www-form-urlencoded"),), b"b=1",
        (CredentialPlace("body", "/token", "pin"),),
    )  # fmt: skip
    mocked(handle, form, READ, Credential.named(pin="a b"))
    assert seen[1].content == b"b=1&token=a+b"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_the_callback_is_asked_for_each_call(kind: str) -> None:
    """X4: `auth(caller, tool) -> Credential`, the tool carrying effect and scopes."""
    asked: list[tuple[Caller, Need]] = []

    def answer_now(caller: Caller, need: Need) -> Credential:
        asked.append((caller, need))
        return Credential.bearer("tok")

    async def answer_later(caller: Caller, need: Need) -> Credential:
        return answer_now(caller, need)

    callback: Callable[[Caller, Need], Credential | Awaitable[Credential]]
    callback = answer_now if kind == "sync" else answer_later
    auth = Auth(scheme="o", kind="oauth2", scopes=("read",), acts_as="person")
    mocked(lambda request: httpx2.Response(200, json={}), tool=contract(auth=auth), auth=callback)
    assert asked == [(CALLER, Need("get_customer.v1", "read", "o", ("read",), "person"))]


def _raise(caller: Caller, need: Need) -> Credential:
    raise RuntimeError("canary")


async def _too_slow(caller: Caller, need: Need) -> Credential:
    await asyncio.sleep(5)
    return Credential.bearer("x")


@pytest.mark.parametrize(
    "auth",
    [
        None,
        _raise,
        _too_slow,
        lambda caller, need: "canary",
        Credential.api_key("canary"),
        Credential.bearer("canary\r\n"),
        Credential.bearer(""),
    ],
)
def test_without_a_fitting_credential_nothing_is_sent(auth: Any) -> None:
    """X4: credentials are in no error."""
    sent: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200)

    with pytest.raises(NotSent) as caught:
        mocked(handle, tool=contract(auth=BEARER), auth=auth)
    assert sent == []
    assert "canary" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_credential_shows_and_stores_nothing() -> None:
    credential = Credential.basic("ada", "canary", other="canary")
    assert repr(credential) == "<Credential basic>"
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            attempt(credential)
    with pytest.raises(CredentialError):
        Credential.named(a="1").value("b")


def test_each_loop_has_its_own_connections() -> None:
    """Sync and async code may share an upstream."""

    async def play(upstream: Upstream, wire_url: str) -> Answer:
        got = await upstream.send(GET, None, CALLER, READ, SHORT)
        await upstream.aclose()
        return got

    async def both() -> None:
        async with serve(says(answer(200, b'{"id":"1"}'))) as wire:
            upstream = Upstream(wire.url)
            first = await play(upstream, wire.url)
            second = await asyncio.to_thread(asyncio.run, play(upstream, wire.url))
            assert first.body == second.body == {"id": "1"}

    asyncio.run(both())


def test_a_method_without_a_body_says_so() -> None:
    request = Request(method="POST", path="/x")
    assert request.body is None
    _, wire = exchange(says(answer()), built=BuiltRequest("POST", "/x", "", (), None), tool=WRITE)
    assert b"content-length: 0\r\n" in wire.requests[0].lower()
