"""The generated package against a real Kinto server: cursors, creations, full replacements, deletions, the real 412."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from contacts_tools import catalog

from tests.kinto.conftest import Kinto
from tests.people import People
from toolcharter_runtime import Boundary, Caller, Credential, Failure, Success, Upstream
from toolcharter_runtime.blocking import BlockingRun

pytestmark = pytest.mark.xdist_group("kinto")


class Wire(httpx2.AsyncBaseTransport):
    """The network, with something that happens just before or just after a write."""

    def __init__(self) -> None:
        self.inner = httpx2.AsyncHTTPTransport()
        self.before: Callable[[], Any] | None = None
        self.loses_answer = False
        self.writes: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            return await self.inner.handle_async_request(request)
        self.writes.append(request)
        if self.before is not None:
            self.before()
        answer = await self.inner.handle_async_request(request)
        if self.loses_answer:
            await answer.aread()
            raise httpx2.ReadError("cut", request=request)
        return answer

    async def aclose(self) -> None:
        await self.inner.aclose()


class Table:
    """A run of a contact editor, the people who approve, and the server behind it all."""

    def __init__(self, kinto: Kinto, run: BlockingRun, people: People, wire: Wire) -> None:
        self.kinto, self.run, self.people, self.wire = kinto, run, people, wire

    def path(self, contact: str) -> str:
        return f"/buckets/{self.people.tenant}/collections/contacts/records/{contact}"

    def put(self, contact: str, **fields: Any) -> None:
        with self.kinto.client() as client:
            client.put(self.path(contact), json={"data": fields}).raise_for_status()

    def stored(self, contact: str) -> dict[str, Any] | None:
        with self.kinto.client() as client:
            answer = client.get(self.path(contact))
        return answer.json()["data"] if answer.is_success else None

    def approved(self, tool: str, **arguments: Any) -> dict[str, str]:
        reply = self.run.call(f"preview_{tool}", arguments)
        assert isinstance(reply, Success), reply
        self.people.approve(reply.result["proposal_id"], "lena")
        return {"proposal_id": reply.result["proposal_id"]}


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def table(kinto: Kinto, tenant: str, tmp_path: Path, wire: Wire) -> Iterator[Table]:
    people = People(tmp_path, tenant, {"lena": "support_lead"}).open()
    boundary = Boundary(
        catalog,
        upstream=Upstream(
            kinto.url, auth=lambda *_: Credential.basic(kinto.user, kinto.password), transport=wire
        ),
        store=people.store,
        approvers=people.approvers,
        desk_keys=[people.public_key],
    )
    caller = Caller(tenant=tenant, agent="assistant", person="nina")
    with boundary.blocking() as edge, edge.run(role="contact_editor", caller=caller) as run:
        yield Table(kinto, run, people, wire)


def code(reply: Success[Any] | Failure[Any]) -> str:
    return reply.error.code if isinstance(reply, Failure) else reply.status


def test_a_contact_is_read_with_its_address_masked(table: Table) -> None:
    table.put("c1", name="Marta", email="marta@example.org", shoe_size=38)
    reply = table.run.call("get_contact", {"contact": "c1"})
    assert isinstance(reply, Success), reply
    assert reply.result.keys() == {"contact", "name", "email"}
    assert (reply.result["contact"], reply.result["name"]) == ("c1", "Marta")
    assert "marta@" not in reply.result["email"]
    assert code(table.run.call("get_contact", {"contact": "gone"})) == "TARGET_NOT_FOUND"


def test_the_list_is_paged_by_the_servers_own_token(table: Table) -> None:
    for number in range(12):
        table.put(f"c{number:02}", name=f"Name {number}")
    pages: list[list[str]] = []
    more: dict[str, Any] = {}
    while True:
        reply = table.run.call("list_contacts", more)
        assert isinstance(reply, Success), reply
        pages.append([row["contact"] for row in reply.result["contacts"]])
        if reply.result["next_cursor"] is None:
            break
        more = {"cursor": reply.result["next_cursor"]}
    assert [len(page) for page in pages] == [5, 5, 2]
    assert [row for page in pages for row in page] == [
        f"c{number:02}" for number in range(11, -1, -1)
    ]


def test_a_contact_is_created_once(table: Table) -> None:
    """V5, I2: created under an id of our choice with If-None-Match; a second commit replays."""
    proposal = table.approved(
        "create_contact", contact="new", name="Jonas", email="jonas@example.org"
    )
    first = table.run.call("commit_create_contact", proposal)
    again = table.run.call("commit_create_contact", proposal)
    assert isinstance(first, Success), first
    assert isinstance(again, Success), again
    assert [again.evidence.replayed, len(table.wire.writes)] == [True, 1]
    assert table.wire.writes[0].headers["if-none-match"] == "*"
    stored = table.stored("new")
    assert stored is not None
    assert (stored["name"], stored["email"]) == ("Jonas", "jonas@example.org")
    assert first.evidence.new_version == f'"{stored["last_modified"]}"'
    assert first.evidence.version_check == "atomic"


def test_a_contact_that_is_there_cannot_be_created(table: Table) -> None:
    """P1: a target that must be absent is there."""
    table.put("old", name="Marta")
    arguments = {"contact": "old", "name": "Jonas", "email": "jonas@example.org"}
    assert code(table.run.call("preview_create_contact", arguments)) == "PRECONDITION_FAILED"


def test_creation_that_lost_a_race_is_the_servers_own_412(table: Table) -> None:
    """V4, P12: somebody was faster between the boundary's last look and the request."""
    proposal = table.approved(
        "create_contact", contact="new", name="Jonas", email="jonas@example.org"
    )
    table.wire.before = lambda: table.put("new", name="Faster")
    reply = table.run.call("commit_create_contact", proposal)
    assert code(reply) == "VERSION_CONFLICT"
    assert len(table.wire.writes) == 1
    assert (table.stored("new") or {})["name"] == "Faster"


def test_a_change_keeps_what_the_charter_does_not_know(table: Table) -> None:
    """The PUT sends the record's own object back with the inputs laid over it."""
    table.put("c1", name="Marta", email="marta@example.org", shoe_size=38, tags=["a"])
    before = table.stored("c1")
    assert before is not None
    reply = table.run.call(
        "commit_update_contact", table.approved("update_contact", contact="c1", name="Marta O.")
    )
    assert isinstance(reply, Success), reply
    after = table.stored("c1")
    assert after is not None
    kept = {"email": "marta@example.org", "shoe_size": 38, "tags": ["a"], "id": "c1"}
    assert {name: after[name] for name in kept} == kept
    assert after["name"] == "Marta O."
    assert table.wire.writes[0].headers["if-match"] == f'"{before["last_modified"]}"'
    assert reply.evidence.previous_version == f'"{before["last_modified"]}"'
    assert reply.evidence.new_version == f'"{after["last_modified"]}"'


def test_a_stale_change_is_found_before_it_is_sent(table: Table) -> None:
    """P12 (c): the version moved between approval and commit."""
    table.put("c1", name="Marta")
    proposal = table.approved("update_contact", contact="c1", name="Marta O.")
    table.put("c1", name="Somebody else")
    assert code(table.run.call("commit_update_contact", proposal)) == "VERSION_CONFLICT"
    assert table.wire.writes == []


@pytest.mark.parametrize("tool", ["update_contact", "delete_contact"])
def test_a_write_that_lost_a_race_is_the_servers_own_412(table: Table, tool: str) -> None:
    """V4: 412 on the first send is a conflict; the proposal can never be committed again (P13)."""
    table.put("c1", name="Marta")
    extra = {"name": "Marta O."} if tool == "update_contact" else {}
    proposal = table.approved(tool, contact="c1", **extra)
    table.wire.before = lambda: table.put("c1", name="Faster")
    assert code(table.run.call(f"commit_{tool}", proposal)) == "VERSION_CONFLICT"
    table.wire.before = None
    assert code(table.run.call(f"commit_{tool}", proposal)) == "VERSION_CONFLICT"
    assert len(table.wire.writes) == 1
    assert (table.stored("c1") or {})["name"] == "Faster"


def test_a_contact_is_deleted_with_proof(table: Table) -> None:
    table.put("c1", name="Marta")
    reply = table.run.call("commit_delete_contact", table.approved("delete_contact", contact="c1"))
    assert isinstance(reply, Success), reply
    assert reply.result == {"contact": "c1", "deleted": True}
    assert table.stored("c1") is None
    assert code(table.run.call("get_contact", {"contact": "c1"})) == "TARGET_NOT_FOUND"


@pytest.mark.parametrize(
    ("tool", "extra", "proof"),
    [
        ("create_contact", {"name": "Jonas", "email": "jonas@example.org"}, "effect"),
        ("update_contact", {"name": "Jonas"}, "effect"),
        ("delete_contact", {}, "state"),
    ],
)
def test_a_lost_answer_is_asked_after(
    table: Table, tool: str, extra: dict[str, str], proof: str
) -> None:
    """I6: found by the marker in the record, which proves the effect; absence proves only the state."""
    if tool != "create_contact":
        table.put("c1", name="Marta")
    proposal = table.approved(tool, contact="c1", **extra)
    table.wire.loses_answer = True
    reply = table.run.call(f"commit_{tool}", proposal)
    assert isinstance(reply, Success), reply
    assert (reply.evidence.proof, reply.evidence.attempts, len(table.wire.writes)) == (proof, 1, 1)
