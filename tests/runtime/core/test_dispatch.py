"""Dispatch and runs (D1 to D4), and one refusal for whatever is not there (case 41)."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from pathlib import Path

import pytest

from toolcharter_runtime.boundary import BoundaryError
from toolcharter_runtime.caller import Caller
from toolcharter_runtime.catalog import CatalogError, snapshot_of
from toolcharter_runtime.envelope import Failure, Success

from .contracts import ADDRESS_CHANGE, GET_CUSTOMER, ROLES, MemoryCatalog, closed
from .world import CALLER, CITY, World, code_of


def test_everything_outside_the_set_is_one_refusal(tmp_path: Path) -> None:
    """Case 41, D3: unregistered, hidden, another version, another spelling, a write of another role: one text."""
    world = World(tmp_path)
    names = (
        "nothing",
        "find_operation",
        "find_operation.v1",
        "get_customer.v2",
        "Get_Customer",
        "__class__",
        "preview_address_change",
        "commit_address_change.v1",
        "address_change",
        "get_operation",
        "",
    )

    async def story() -> None:
        async with world.run("explorer", purpose="qa") as run:
            replies = [await run.call(name, {}) for name in names]
            problems = [one.error for one in replies if isinstance(one, Failure)]
            assert len(problems) == len(names)
            assert {one.code for one in problems} == {"UNKNOWN_TOOL"}
            assert len(set(problems)) == 1
        async with world.store() as store:
            rows = await store.audit_of("acme", replies[0].request_id)
            assert [row.note for row in rows] == ["not in the run's capability set"]
        assert world.crm.requests == []

    asyncio.run(story())


def test_tools_of_a_role(tmp_path: Path) -> None:
    """D2, D3: a run lists what it may call and nothing else; a catalog with a long operation has two tools more."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run("explorer", purpose="qa") as run:
            assert [tool.name for tool in run.tools()] == ["get_customer", "search_customers"]
        async with world.run() as run:
            names = [tool.name for tool in run.tools()]
            assert names == sorted(names)
            assert {"get_operation", "cancel_operation", "preview_refund", "commit_refund"} <= set(
                names
            )
            assert "find_operation" not in names

    asyncio.run(story())


def test_registry_id_is_taken_too(tmp_path: Path) -> None:
    """D2: `run.call` takes the id with its version."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call("get_customer.v1", {"customer": "C-1001"})
            assert isinstance(reply, Success)
            assert isinstance(await run.call("preview_address_change.v1", CITY), Success)

    asyncio.run(story())


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "/customer"),
        ({"customer": 7}, "/customer"),
        ({"customer": "C-1001", "more": 1}, "/<unknown>"),
        ('{"customer": "C-1001", "customer": "C-1002"}', "/customer"),
        ('{"customer": NaN}', "/customer"),
        ('{"customer": "C-1001"', ""),
        ("[]", ""),
        ([], ""),
        (7, ""),
        (None, ""),
        (b"\xff", ""),
        ("{" * 3000, ""),
    ],
)
def test_bad_arguments_have_their_place(tmp_path: Path, arguments: object, field: str) -> None:
    """D1, C1, R4: INVALID_ARGUMENT with the fault's own place, before anything is sent."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            reply = await run.call("get_customer", arguments)  # type: ignore[call-overload]
            assert isinstance(reply, Failure)
            assert reply.error.code == "INVALID_ARGUMENT"
            if field:
                assert reply.error.field == field
            assert world.crm.requests == []

    asyncio.run(story())


def test_key_cannot_be_supplied(tmp_path: Path) -> None:
    """Case 30, I1: no schema shows the key, and supplying one is INVALID_ARGUMENT."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            for tool in run.tools():
                assert "key" not in str(tool.parameters)
            for name in ("idempotency_key", "If-Match", "Idempotency-Key"):
                reply = await run.call("preview_address_change", {**CITY, name: "mine"})
                assert code_of(reply) == "INVALID_ARGUMENT"

    asyncio.run(story())


def test_every_reply_has_a_request_of_its_own(tmp_path: Path) -> None:
    """D4: the commit's rows keep the preview's request, so that one id leads to the whole sequence."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            proposal = await run.call("preview_address_change", CITY)
            assert isinstance(proposal, Success)
            await world.decide(proposal.result["proposal_id"])
            reply = await run.call(
                "commit_address_change", {"proposal_id": proposal.result["proposal_id"]}
            )
            assert reply.request_id != proposal.request_id
        async with world.store() as store:
            kinds = [row.kind for row in await store.audit_of("acme", proposal.request_id)]
            assert {"proposal.created", "execution.sent", "execution.succeeded"} <= set(kinds)

    asyncio.run(story())


def test_run_outlives_its_block(tmp_path: Path) -> None:
    """D2: another process resumes it by id; another person, agent or tenant does not."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            name = run.id
        async with world.boundary() as boundary:
            async with boundary.resume(name, CALLER) as again:
                assert again.id == name
                assert isinstance(await again.call("get_customer", {"customer": "C-1001"}), Success)
            for other in (
                Caller("acme", "assistant", "u18"),
                Caller("acme", "other", "u17"),
                Caller("else", "assistant", "u17"),
            ):
                with pytest.raises(BoundaryError):
                    async with boundary.resume(name, other):
                        pass

    asyncio.run(story())


def test_versions_of_a_run(tmp_path: Path) -> None:
    """D2, D3: the newest that the role has, or the pinned one; the other is UNKNOWN_TOOL; a resumed run keeps its own."""
    world = World(tmp_path)
    second = GET_CUSTOMER.model_copy(
        update={"version": 2, "arguments": closed({"customer": {"type": "string", "maxLength": 9}})}
    )
    reads = ["get_customer.v1", "get_customer.v2"]
    world.catalog = MemoryCatalog(second, roles=ROLES | {"both": {"reads": reads, "purposes": []}})

    async def story() -> None:
        async with world.boundary() as boundary:
            async with boundary.run(role="both", caller=CALLER) as run:
                assert [tool.id for tool in run.tools()] == ["get_customer.v2"]
                assert code_of(await run.call("get_customer.v1", {"customer": "C-1001"})) == (
                    "UNKNOWN_TOOL"
                )
            pins = {"get_customer": 1}
            async with boundary.run(role="both", caller=CALLER, versions=pins) as run:
                assert [tool.id for tool in run.tools()] == ["get_customer.v1"]
            async with boundary.resume(run.id, CALLER) as run:
                assert [tool.id for tool in run.tools()] == ["get_customer.v1"]
            with pytest.raises(BoundaryError, match="no version 3"):
                async with boundary.run(role="both", caller=CALLER, versions={"get_customer": 3}):
                    pass

    asyncio.run(story())


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    """D2: an unknown role, a purpose that the role does not serve, one that is not stated, a context that is not typed."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.boundary() as boundary:
            for options in (
                {"role": "nobody"},
                {"role": "agent", "purpose": "qa"},
                {"role": "explorer"},
                {"role": "agent", "context": {"x": 1}},
            ):
                with pytest.raises(BoundaryError):
                    async with boundary.run(caller=CALLER, **options):  # type: ignore[arg-type]
                        pass
        with pytest.raises(BoundaryError, match="not open"):
            async with boundary.run(role="agent", caller=CALLER):
                pass

    asyncio.run(story())


def test_purpose_is_a_capability(tmp_path: Path) -> None:
    """D3: a tool that serves another purpose is not there."""
    world = World(tmp_path)
    world.catalog = MemoryCatalog(GET_CUSTOMER.model_copy(update={"purposes": ("qa",)}))

    async def story() -> None:
        async with world.run("explorer", purpose="production") as run:
            assert code_of(await run.call("get_customer", {"customer": "C-1001"})) == "UNKNOWN_TOOL"
        async with world.run("explorer", purpose="qa") as run:
            assert isinstance(await run.call("get_customer", {"customer": "C-1001"}), Success)

    asyncio.run(story())


def test_deadline_of_a_run(tmp_path: Path) -> None:
    """D2, L5: after the run's deadline nothing more is done."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run(deadline=world.now + timedelta(minutes=1)) as run:
            assert isinstance(await run.call("get_customer", {"customer": "C-1001"}), Success)
            world.later(minutes=1)
            assert code_of(await run.call("get_customer", {"customer": "C-1001"})) == (
                "RUN_BUDGET_EXHAUSTED"
            )

    asyncio.run(story())


def test_unmapped_exception_has_no_inner_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """R1, R4: INTERNAL with the request as reference; the text of the exception is nowhere, its line is logged."""
    world = World(tmp_path)

    async def explode(*_: object) -> None:
        raise RuntimeError("canary")

    monkeypatch.setattr("toolcharter_runtime.calls.dispatch.read", explode)

    async def story() -> None:
        with caplog.at_level(logging.DEBUG):
            async with world.run() as run:
                reply = await run.call("get_customer", {"customer": "C-1001"})
                assert isinstance(reply, Failure)
                assert (reply.error.code, reply.error.next_action) == ("INTERNAL", "stop")
                assert "canary" not in str(reply.to_json())
                assert "canary" not in caplog.text
                assert f"{reply.request_id}: RuntimeError at test_dispatch.py:" in caplog.text

    asyncio.run(story())


def test_boundary_refuses_a_package_that_was_changed(tmp_path: Path) -> None:
    """X6: a frozen contract whose bytes are not those of the snapshot does not open."""
    world = World(tmp_path)
    snapshot = snapshot_of(world.catalog)
    changed = ADDRESS_CHANGE.model_copy(update={"description": "Something else."})
    snapshot._files["address_change.v1.json"] = changed.model_dump_json(exclude_defaults=True)  # type: ignore[attr-defined]

    async def story() -> None:
        with pytest.raises(CatalogError, match=r"address_change\.v1"):
            async with world.boundary():
                pass

    asyncio.run(story())
