"""A boundary over the fake upstream, with a desk that decides as the command line does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from toolcharter_runtime.approvers import Person
from toolcharter_runtime.boundary import Boundary
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.envelope import Failure, Success
from toolcharter_runtime.records import Cause, DecisionRow, Refused, Settlement, mint_id
from toolcharter_runtime.run import Run
from toolcharter_runtime.signing import DeskKey
from toolcharter_runtime.store import Store
from toolcharter_runtime.upstream.client import Upstream

from .contracts import MemoryCatalog
from .upstream import FakeCrm

CALLER = Caller(tenant="acme", agent="assistant", person="u17")
CITY = {"customer": "C-1001", "city": "Bruges"}


class People:
    """A directory that a test can change."""

    def __init__(self) -> None:
        self.by_name = {
            "ann": Person("ann", frozenset({"leads"})),
            "ben": Person("ben", frozenset({"leads"})),
            "joe": Person("joe", frozenset({"leads", "operators"}), subject="u17"),
            "olga": Person("olga", frozenset({"operators"})),
        }

    def person(self, name: str) -> Person | None:
        return self.by_name.get(name)


@dataclass
class World:
    """Everything that one test needs; `now` is the store's clock."""

    folder: Path
    crm: FakeCrm = field(default_factory=FakeCrm)
    people: People = field(default_factory=People)
    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    now: datetime = datetime(2026, 8, 14, 16, 0, tzinfo=UTC)

    def __post_init__(self) -> None:
        self.key = DeskKey.create(self.folder / "desk.key", self.folder / "desk.pub")
        self.url = f"sqlite:///{self.folder / 'boundary.db'}"

    def clock(self) -> datetime:
        return self.now

    def later(self, **span: float) -> None:
        self.now += timedelta(**span)

    def boundary(self, **changed: Any) -> Boundary:
        given: dict[str, Any] = {
            "upstream": Upstream("https://crm.test/api", transport=_Under(self.crm), name="crm"),
            "store": self.url,
            "approvers": self.people,
            "desk_keys": [self.folder / "desk.pub"],
            "clock": self.clock,
        }
        catalog = changed.pop("catalog", self.catalog)
        return Boundary(catalog, **given | changed)

    @asynccontextmanager
    async def run(
        self, role: str = "agent", caller: Caller = CALLER, **options: Any
    ) -> AsyncIterator[Run]:
        async with (
            self.boundary() as boundary,
            boundary.run(role=role, caller=caller, **options) as run,
        ):
            yield run

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        store = await Store.open(self.url, clock=self.clock)
        try:
            yield store
        finally:
            await store.close()

    async def decide(
        self, proposal_id: str, by: str = "ann", outcome: Any = "approved", **more: Any
    ) -> Any:
        """Decide as the desk does: signed, over the digest that is stored."""
        async with self.store() as store:
            row = await store.load_proposal("acme", proposal_id)
            assert row is not None
            person = self.people.person(by)
            decision = DecisionRow(
                decision_id=mint_id("dec"),
                tenant="acme",
                proposal_id=proposal_id,
                sha256=row.sha256,
                outcome=outcome,
                principal=by,
                subject=person.subject if person else None,
                method="password",
                session="test",
                decided_at=self.now,
                until=row.proposal.expires_at,
                **more,
            )
            cause = Cause(tenant="acme", request_id=mint_id("rq"), actor=f"person:{by}")
            act = store.withdraw if outcome == "withdrawn" else store.decide
            return await act(self.key.sign_decision(decision), cause)

    async def settle(self, execution_id: str, outcome: Any, by: str = "olga") -> None:
        async with self.store() as store:
            item = await store.unknown_item("acme", execution_id)
            assert item is not None
            settlement = self.key.sign_settlement(
                Settlement(
                    tenant="acme",
                    execution_id=execution_id,
                    proposal_id=item.row.proposal.proposal_id,
                    sha256=item.row.sha256,
                    outcome=outcome,
                    principal=by,
                    method="password",
                    session="test",
                    settled_at=self.now,
                    reason="looked it up",
                    key_id=self.key.key_id,
                    signature=b"",
                )
            )
            cause = Cause(tenant="acme", request_id=mint_id("rq"), actor=f"person:{by}")
            evidence = {**item.execution.evidence, "resolved_by": f"operator:{by}"}
            settled = await store.settle(settlement, cause, evidence=evidence)
            assert not isinstance(settled, Refused)

    async def approved(self, run: Run, tool: str = "address_change", **arguments: Any) -> str:
        """Preview and approve; return the proposal's id."""
        reply = await run.call(f"preview_{tool}", arguments or CITY)
        assert isinstance(reply, Success), reply
        await self.decide(reply.result["proposal_id"])
        return str(reply.result["proposal_id"])


class _Under:
    """The fake below its base path; the boundary's own transport keeps the path."""

    def __init__(self, crm: FakeCrm) -> None:
        self._crm = crm

    async def handle_async_request(self, request: Any) -> Any:
        import httpx2

        url = request.url.copy_with(path=request.url.path.removeprefix("/api"))
        inner = httpx2.Request(
            request.method, url, headers=request.headers, content=await request.aread()
        )
        return await self._crm.transport.handle_async_request(inner)

    async def aclose(self) -> None:
        return None


def code_of(reply: Success[Any] | Failure[Any]) -> str:
    assert isinstance(reply, Failure), reply
    return str(reply.error.code)


def play(story: Callable[[], Awaitable[None]]) -> None:
    """Run one asynchronous story to its end."""
    asyncio.run(story())  # type: ignore[arg-type]
