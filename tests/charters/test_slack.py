"""Messages: refusals are HTTP 200 with `ok: false`, which no success schema allows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.upstream.credentials import Credential

from .stage import Fake, Stage, code_of, form_of

CHANNEL = "C012AB3CD"
HELLO = {"channel": CHANNEL, "text": "Hello, world."}


class Slack(Fake):
    """One channel; `refuses` is the error that a post is answered with."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[dict[str, Any]] = []
        self.refuses: str | None = None
        self.is_archived = False

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        method = request.url.path.removeprefix("/")
        if method == "conversations.info":
            channel = {"id": CHANNEL, "name": "general", "is_archived": self.is_archived}
            return httpx2.Response(200, json={"ok": True, "channel": channel})
        if method == "conversations.history":
            return self._history(request)
        assert request.headers["token"] == "xoxb-1"
        if self.refuses is not None:
            body = {"ok": False, "error": self.refuses, "needed": "secret scope"}
            return httpx2.Response(200, json=body)
        form = form_of(request)
        ts = f"1503435956.{len(self.messages):06}"
        self.messages.insert(0, {"ts": ts, "type": "message", "text": form["text"]})
        answer = {"ok": True, "channel": CHANNEL, "ts": ts, "message": self.messages[0]}
        return httpx2.Response(200, json=answer)

    def _history(self, request: httpx2.Request) -> httpx2.Response:
        start = int(request.url.params.get("cursor", 0))
        page = self.messages[start : start + 100]
        more = start + 100 < len(self.messages)
        body = {
            "ok": True,
            "messages": page,
            "has_more": more,
            "response_metadata": {"next_cursor": str(start + 100) if more else ""},
        }
        return httpx2.Response(200, json=body)


@pytest.fixture
def slack() -> Slack:
    return Slack()


@pytest.fixture
def office(stage: Callable[..., Stage], slack: Slack) -> Stage:
    return stage("slack", slack, "announcer", credential=Credential.bearer("xoxb-1"))


def posted(office: Stage) -> Success[Any] | Failure[Any]:
    return office.written("post_message", HELLO)


def test_posted(office: Stage, slack: Slack) -> None:
    reply = posted(office)
    assert isinstance(reply, Success), reply
    assert reply.result == {"message": "1503435956.000000", "channel": CHANNEL}
    form = form_of(slack.writes[0])
    assert form["text"].startswith("Hello, world.\n_tc-")
    assert {name: form[name] for name in ("link_names", "parse", "unfurl_links")} == {
        "link_names": "false",
        "parse": "none",
        "unfurl_links": "false",
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("ratelimited", "RATE_LIMITED"),
        ("not_in_channel", "UPSTREAM_REJECTED"),
        ("an_error_of_tomorrow", "UPSTREAM_REJECTED"),
        ("fatal_error", "UNKNOWN_OUTCOME"),
    ],
)
def test_refusals_come_with_200(office: Stage, slack: Slack, error: str, code: str) -> None:
    slack.refuses = error
    reply = posted(office)
    assert code_of(reply) == code
    assert "secret" not in repr(reply)


def test_a_lost_answer_is_found_by_its_marker(office: Stage, slack: Slack) -> None:
    slack.loses = 1
    reply = posted(office)
    assert isinstance(reply, Success), reply
    assert reply.result["message"] == "1503435956.000000"
    assert reply.evidence is not None
    assert (reply.evidence.proof, len(slack.writes)) == ("effect", 1)


def test_archived_channel_fails_before_anything_is_sent(office: Stage, slack: Slack) -> None:
    slack.is_archived = True

    async def story() -> None:
        async with office.run() as run:
            reply = await run.call("preview_post_message", HELLO)
            assert code_of(reply) == "PRECONDITION_FAILED"

    asyncio.run(story())


def test_an_empty_channel_reads_as_an_empty_page(office: Stage) -> None:
    """The description wants one message at least; a read checks the fields of its view alone."""

    async def story() -> None:
        async with office.run() as run:
            reply = await run.call("list_messages", {"channel": CHANNEL})
            assert isinstance(reply, Success), reply
            assert reply.result == {"messages": [], "next_cursor": None}

    asyncio.run(story())


def test_pages_end_with_an_empty_cursor(office: Stage, slack: Slack) -> None:
    slack.messages = [
        {"ts": f"1503435956.{n:06}", "type": "message", "text": str(n)} for n in range(130)
    ]

    async def story() -> None:
        async with office.run() as run:
            first = await run.call("list_messages", {"channel": CHANNEL})
            assert isinstance(first, Success)
            cursor = first.result["next_cursor"]
            second = await run.call("list_messages", {"channel": CHANNEL, "cursor": cursor})
            assert isinstance(second, Success)
            assert [len(first.result["messages"]), len(second.result["messages"])] == [100, 30]
            assert second.result["next_cursor"] is None

    asyncio.run(story())
