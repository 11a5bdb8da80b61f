"""A stage for a generated package: a boundary over a fake upstream, and people who decide."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx2

from toolcharter_runtime.approvers import Person
from toolcharter_runtime.boundary import Boundary
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.records import Cause, DecisionRow, mint_id
from toolcharter_runtime.run import Run
from toolcharter_runtime.signing import DeskKey
from toolcharter_runtime.store import Store
from toolcharter_runtime.upstream.client import Upstream
from toolcharter_runtime.upstream.credentials import Credential

__all__ = ["CALLER", "Fake", "Stage", "code_of"]

CALLER = Caller(tenant="acme", agent="assistant", person="u17")
GROUPS = frozenset(
    {"support_lead", "finance", "triage", "release_managers", "operations", "moderators"}
)


class Fake:
    """An upstream: `answer` is its behaviour; `loses` answers of writes are lost on their way back."""

    def __init__(self) -> None:
        self.requests: list[httpx2.Request] = []
        self.loses = 0
        self.broken: list[Exception] = []
        """What went wrong in the fake itself, which the boundary takes for a cut connection."""

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        """Return what the API would; each fake says it."""
        raise NotImplementedError

    def is_write(self, request: httpx2.Request) -> bool:
        """Say whether the request changes something; some APIs read with POST."""
        return request.method != "GET"

    @property
    def writes(self) -> list[httpx2.Request]:
        return [request for request in self.requests if self.is_write(request)]

    def transport(self) -> httpx2.MockTransport:
        return httpx2.MockTransport(self._handle)

    async def _handle(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.requests.append(request)
        try:
            answer = self.answer(request)
        except Exception as error:
            self.broken.append(error)
            raise
        if self.loses and self.is_write(request):
            self.loses -= 1
            raise httpx2.ReadError("cut", request=request)
        return answer


def form_of(request: httpx2.Request) -> dict[str, str]:
    """Return a form's pairs."""
    return dict(parse_qsl(request.content.decode("ascii"), keep_blank_values=True))


def json_of(request: httpx2.Request) -> Any:
    """Return a JSON body."""
    return json.loads(request.content)


class _Everybody:
    def person(self, name: str) -> Person | None:
        return Person(name, GROUPS) if name in ("ann", "ben") else None


@dataclass
class Stage:
    """Everything that one story needs."""

    folder: Path
    catalog: Any
    fake: Fake
    role: str
    context: dict[str, Any] = field(default_factory=dict)
    credential: Credential | None = None

    def __post_init__(self) -> None:
        self.key = DeskKey.create(self.folder / "desk.key", self.folder / "desk.pub")
        self.url = f"sqlite:///{self.folder / 'boundary.db'}"

    def boundary(self) -> Boundary:
        """Return a boundary, as any process would open it."""
        return Boundary(
            self.catalog,
            upstream=Upstream(
                "https://api.test",
                transport=self.fake.transport(),
                auth=self.credential,
                name="api",
            ),
            store=self.url,
            approvers=_Everybody(),
            desk_keys=[self.folder / "desk.pub"],
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[Run]:
        """Open a run of the role."""
        async with (
            self.boundary() as boundary,
            boundary.run(
                role=self.role, caller=CALLER, purpose="production", context=self.context
            ) as run,
        ):
            yield run
        assert self.fake.broken == []

    @asynccontextmanager
    async def again(self, run: Run) -> AsyncIterator[Run]:
        """Open the run in another process, which has polled nothing yet."""
        async with self.boundary() as boundary, boundary.resume(run.id, CALLER) as other:
            yield other

    async def approve(self, proposal_id: str) -> None:
        """Let as many people approve as any policy here asks for."""
        store = await Store.open(self.url)
        for name in ("ann", "ben"):
            row = await store.load_proposal(CALLER.tenant, proposal_id)
            assert row is not None
            decision = DecisionRow(
                decision_id=mint_id("dec"),
                tenant=CALLER.tenant,
                proposal_id=proposal_id,
                sha256=row.sha256,
                outcome="approved",
                principal=name,
                method="password",
                session="test",
                decided_at=store.now(),
                until=row.proposal.expires_at,
            )
            cause = Cause(tenant=CALLER.tenant, request_id=mint_id("rq"), actor=f"person:{name}")
            await store.decide(self.key.sign_decision(decision), cause)
        await store.close()

    async def end_of(self, run: Run, operation_id: str | None) -> Success[Any] | Failure[Any]:
        """Ask, in another process, what became of an operation that has ended."""
        async with self.again(run) as other:
            for _ in range(200):  # the other process's first sweep may be about to record it
                reply = await other.call("get_operation", {"operation_id": operation_id})
                if not isinstance(reply, Success) or reply.result["state"] != "running":
                    break
                await asyncio.sleep(0.02)
        return reply

    async def shown(self, proposal: dict[str, Any]) -> dict[str, Any]:
        """Return what the approver's page shows of a proposal."""
        store = await Store.open(self.url)
        row = await store.load_proposal(CALLER.tenant, proposal["proposal_id"])
        await store.close()
        assert row is not None
        return dict(row.proposal.difference)

    async def proposed(self, run: Run, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Preview and approve; return what the preview said."""
        reply = await run.call(f"preview_{tool}", arguments)
        assert isinstance(reply, Success), reply
        await self.approve(reply.result["proposal_id"])
        return dict(reply.result)

    async def write(
        self, run: Run, tool: str, arguments: dict[str, Any], meanwhile: Callable[[], Any] = dict
    ) -> Success[Any] | Failure[Any]:
        """Preview, approve and commit; `meanwhile` happens between approval and commit."""
        proposal = await self.proposed(run, tool, **arguments)
        meanwhile()
        return await self.commit(run, tool, proposal)

    def written(
        self, tool: str, arguments: dict[str, Any], meanwhile: Callable[[], Any] = dict
    ) -> Success[Any] | Failure[Any]:
        """Write in a run of its own."""

        async def story() -> Success[Any] | Failure[Any]:
            async with self.run() as run:
                return await self.write(run, tool, arguments, meanwhile)

        return asyncio.run(story())

    async def commit(
        self, run: Run, tool: str, proposal: dict[str, Any]
    ) -> Success[Any] | Failure[Any]:
        """Commit what was proposed."""
        return await run.call(f"commit_{tool}", {"proposal_id": proposal["proposal_id"]})


def code_of(reply: Success[Any] | Failure[Any]) -> str:
    """Return the code of a failure."""
    assert isinstance(reply, Failure), reply
    return str(reply.error.code)
