"""A message with a nonce: the key is the short form, and a second message of that nonce is the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from toolcharter_runtime.envelope import Success
from toolcharter_runtime.upstream.credentials import Credential

from .stage import Fake, Stage, json_of

CHANNEL = "155117677105512449"


class Discord(Fake):
    """One guild channel."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[dict[str, Any]] = []

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == f"/channels/{CHANNEL}":
            return httpx2.Response(200, json={"id": CHANNEL, "type": 0, "name": "general"})
        if request.method == "GET":
            return httpx2.Response(200, json=self.messages[: int(request.url.params["limit"])])
        body = json_of(request)
        for known in self.messages:
            if body["enforce_nonce"] and known["nonce"] == body["nonce"]:
                return httpx2.Response(200, json=known)
        number = str(334385199974967042 + len(self.messages))
        message = {"id": number, "content": body["content"], "nonce": body["nonce"]}
        self.messages.insert(0, message)
        return httpx2.Response(200, json=message)


@pytest.mark.parametrize("loses", [0, 1])
def test_posted_once(stage: Callable[..., Stage], loses: int) -> None:
    discord = Discord()
    discord.loses = loses
    office = stage("discord", discord, "announcer", credential=Credential.api_key("Bot t"))

    reply = office.written("post_message", {"channel": CHANNEL, "text": "Hello."})
    assert isinstance(reply, Success), reply
    assert reply.result == {"message": "334385199974967042"}
    (sent,) = discord.writes
    body = json_of(sent)
    assert (len(body["nonce"]), body["nonce"].isalnum()) == (22, True)
    assert body["content"].startswith("Hello.\n-# tc-")
    assert (body["enforce_nonce"], body["allowed_mentions"]) == (True, {"parse": []})
    assert sent.headers["content-type"] == "application/json"
