"""The synchronous edge, telemetry without values, and what importing costs."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry import trace

from toolcharter_runtime.boundary import BoundaryError
from toolcharter_runtime.envelope import Failure, Success

from .contracts import ROLES, TEXT, MemoryCatalog, closed, contract, field, header, path, view
from .world import CALLER, CITY, World

CANARY = "Canaryville"


def test_synchronous_code_has_the_same_boundary(tmp_path: Path) -> None:
    """D2: run, call, resume without a coroutine in sight."""
    world = World(tmp_path)
    with world.boundary().blocking() as edge:
        with edge.run(role="agent", caller=CALLER) as run:
            reply = run.call("get_customer", {"customer": "C-1001"})
            assert isinstance(reply, Success)
            assert run.tools()
        with edge.resume(run.id, CALLER) as again:
            assert isinstance(again.call("preview_address_change", CITY), Success)
        with pytest.raises(BoundaryError), edge.run(role="nobody", caller=CALLER):
            pass


class Recording(trace.Tracer):
    """A tracer that keeps what it is told."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def start_span(self, *args: Any, **options: Any) -> trace.Span:
        self.said.append((args, options))
        return _Span(self.said)

    def start_as_current_span(self, *args: Any, **options: Any) -> Any:
        assert options["record_exception"] is False
        return trace.use_span(
            self.start_span(*args, **options), record_exception=False, set_status_on_exception=False
        )


class _Span(trace.NonRecordingSpan):
    def __init__(self, said: list[Any]) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self._said = said

    def set_attribute(self, key: str, value: Any) -> None:
        self._said.append((key, value))

    def set_attributes(self, attributes: Any) -> None:
        self._said.append(dict(attributes))

    def record_exception(self, *args: Any, **_: Any) -> None:
        self._said.append(args)


class Said:
    """All that leaves the boundary beside replies: spans, metrics, log lines."""

    def __init__(self, log: pytest.LogCaptureFixture) -> None:
        self.tracer = Recording()
        self.counts: list[Any] = []
        self._log = log

    def add(self, *count: Any) -> None:
        self.counts.append(count)

    def everything(self) -> str:
        assert self.tracer.said
        assert self.counts
        return f"{self.tracer.said} {self.counts} {self._log.text}"


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Said:
    said = Said(caplog)
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr("toolcharter_runtime.telemetry._TRACER", said.tracer)
    monkeypatch.setattr("toolcharter_runtime.telemetry._CALLS", said)
    return said


def test_no_value_is_in_spans_or_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 44, T1, R4: a canary in arguments, results and refusals is in no span, log line or audit row."""
    world = World(tmp_path)
    tracer = Recording()
    monkeypatch.setattr("toolcharter_runtime.telemetry._TRACER", tracer)
    world.crm.customers["C-1001"]["city"] = CANARY

    async def story() -> Sequence[Any]:
        with caplog.at_level(logging.DEBUG):
            async with world.run() as run:
                await run.call("get_customer", {"customer": "C-1001"})
                await run.call("get_customer", {"customer": CANARY, CANARY: CANARY})
                await run.call(CANARY, {})
                world.crm.faults = ["drop_after"]
                proposal_id = await world.approved(run, city=CANARY + "2", customer="C-1001")
                reply = await run.call("commit_address_change", {"proposal_id": proposal_id})
                assert isinstance(reply, Success)
        async with world.store() as store:
            return await store.audit_of("acme", run.id)

    rows = asyncio.run(story())
    assert len(rows) > 5
    assert CANARY not in repr(rows)
    assert CANARY not in caplog.text
    assert CANARY not in repr(tracer.said)
    assert ("toolcharter.tool", "get_customer.v1") in tracer.said
    assert any(
        isinstance(one, dict) and one.get("error.type") == "UNKNOWN_TOOL" for one in tracer.said
    )


LOOK_UP = contract(
    tool="look_up",
    effect="read",
    arguments=closed(
        {"word": TEXT, "tag": {"type": "string", "maxLength": 80}, "segment": TEXT}, "word"
    ),
    request={
        "method": "GET",
        "path": "/words/{segment}",
        "parameters": [
            path("segment", "{segment}"),
            {"location": "query", "name": "word", "value": "{word}", "style": "form"},
            header("X-Tag", "{tag}"),
        ],
    },
    view=view([field("word", "/word", {"type": "string", "maxLength": 4}, required=True)]),
)


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(400, json={"detail": CANARY}, headers={"X-Why": CANARY}),
        httpx2.Response(404, text=CANARY),
        httpx2.Response(429, json=CANARY, headers={"Retry-After": CANARY}),
        httpx2.Response(503, json=[CANARY]),
        httpx2.Response(302, headers={"Location": f"https://elsewhere.test/{CANARY}"}),
        httpx2.Response(200, json={"word": CANARY, CANARY: CANARY}),
        httpx2.Response(200, text=CANARY),
        httpx2.ReadError(CANARY),
    ],
    ids=lambda one: type(one).__name__ + str(getattr(one, "status_code", "")),
)
def test_no_value_is_in_what_is_said_of_a_failure(
    tmp_path: Path, said: Said, answer: httpx2.Response | Exception
) -> None:
    """Case 44, T1, R4: in path, query, header and the upstream's errors; nothing of it in the reply either."""
    world = World(tmp_path)
    roles = ROLES | {"reader": {"reads": ["look_up.v1"], "purposes": []}}
    world.catalog = MemoryCatalog(LOOK_UP, roles=roles)

    def fail() -> httpx2.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def story() -> None:
        async with world.run("reader") as run:
            world.crm.read_faults = [fail]
            given = {"word": CANARY, "tag": CANARY, "segment": CANARY}
            replies = [
                await run.call("look_up", given),
                await run.call("look_up", {**given, "tag": CANARY + "\n"}),
                await run.call("look_up", {**given, "segment": "../" + CANARY}),
                await run.call("look_up", {**given, "word": CANARY * 20}),
                await run.call("look_up", f'{{"word": "{CANARY}", "word": "{CANARY}"}}'),
                await run.call("look_up", f"{{{CANARY}"),
            ]
            assert world.crm.requests == [("GET", f"/words/{CANARY}")]
        for reply in replies:
            assert isinstance(reply, Failure)
            assert CANARY not in str(reply.to_json())
        async with world.store() as store:
            assert CANARY not in repr(await store.audit_of("acme", run.id))

    asyncio.run(story())
    assert CANARY not in said.everything()


@pytest.mark.parametrize("fault", ["400", "429", "503", "drop_before", "malformed"])
def test_no_value_is_in_what_is_said_of_a_failed_write(
    tmp_path: Path, said: Said, fault: str
) -> None:
    """Case 44, T1, R4: arguments of a write and its denial's reason are the approver's and the caller's alone."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            arguments = {"customer": "C-1001", "text": CANARY}
            proposal_id = await world.approved(run, "note", **arguments)
            world.crm.faults = [fault]
            reply = await run.call("commit_note", {"proposal_id": proposal_id})
            assert isinstance(reply, Failure)
            assert CANARY not in str(reply.to_json())
        async with world.store() as store:
            assert CANARY not in repr(await store.audit_of("acme", run.id))

    asyncio.run(story())
    assert CANARY not in said.everything()


class _Slow(_Span):
    """A span whose end waits for its exporter, as the simple processors of SDKs do."""

    def __init__(self, said: list[Any], exported: threading.Event) -> None:
        super().__init__(said)
        self._exported = exported

    def is_recording(self) -> bool:
        return True

    def end(self, end_time: int | None = None) -> None:
        self._exported.wait(20)
        self._said.append(("ended", end_time))


def test_slow_exporter_delays_no_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 46, T4: calls end while the exporter still has their first span; afterwards all are there."""
    world = World(tmp_path)
    exported = threading.Event()
    tracer = Recording()
    monkeypatch.setattr("toolcharter_runtime.telemetry._TRACER", tracer)
    monkeypatch.setattr(tracer, "start_span", lambda *args, **options: _Slow(tracer.said, exported))

    async def story() -> None:
        async with world.run() as run:
            for _ in range(3):
                reply = await asyncio.wait_for(run.call("get_customer", {"customer": "C-1001"}), 10)
                assert isinstance(reply, Success)
            assert not [one for one in tracer.said if "ended" in one]
            exported.set()

    asyncio.run(story())
    ends = [one for one in tracer.said if isinstance(one, tuple) and one[0] == "ended"]
    assert len(ends) == 3
    assert all(at is not None for _, at in ends)


def test_refusals_name_no_value(tmp_path: Path) -> None:
    """R4: the reply to a bad argument names declared fields only, whatever stood in it."""
    world = World(tmp_path)

    async def story() -> None:
        async with world.run() as run:
            for arguments in ({"customer": CANARY}, {"customer": [CANARY]}):
                reply = await run.call("get_customer", arguments)
                assert isinstance(reply, Failure)
                assert CANARY not in str(reply.to_json())

    asyncio.run(story())


def test_importing_the_surface_loads_nothing_heavy() -> None:
    """A generated package imports declarations and model bases: no database, no HTTP client, no validator."""
    code = (
        "import sys, toolcharter_runtime;"
        "from toolcharter_runtime import Catalog, ReadTool, WriteTool, ToolArguments, ToolResult, Boundary;"
        "heavy = {'sqlalchemy', 'httpx2', 'jsonschema_rs', 'alembic', 'cryptography', 'opentelemetry'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_there() -> None:
    """`__all__` is what can be had."""
    import toolcharter_runtime

    for name in toolcharter_runtime.__all__:
        assert getattr(toolcharter_runtime, name) is not None
    with pytest.raises(AttributeError):
        toolcharter_runtime.nothing  # noqa: B018
