"""`make lab`: the lab's calls through a generated package; prints one line and exits with 1 if a bar is missed."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.lab.upstream import Upstream
from toolcharter_runtime import Boundary, Caller, Credential, Failure, Run, Success
from toolcharter_runtime import Upstream as Address
from toolcharter_runtime.signing import DeskKey

HERE = Path(__file__).resolve().parent
TOOLS = {
    "getCustomer": "get_customer",
    "searchCustomers": "search_customers",
    "getOperation": "get_operation_status",
    "readMessage": "preview_message_reading",
    "changeAddress": "preview_address_change",
}
PLACES: Mapping[str, frozenset[str]] = {
    "path pattern": frozenset({"/customer_id", "/message_id"}),
    "path traversal": frozenset({"/customer_id"}),
    "unknown argument": frozenset({"/<unknown>"}),
    "format uuid": frozenset({"/operation_id"}),
    "missing required body field": frozenset({"/reason"}),
    "enum": frozenset({"/reason"}),
    "unknown body field": frozenset({"/<unknown>"}),
    "unknown nested field": frozenset({"/<unknown>"}),
    "nested enum": frozenset({"/country"}),
    "maxLength": frozenset({"/line1"}),
    "format date": frozenset({"/effective_on"}),
    "header minLength": frozenset({"/<unknown>"}),
    "missing Idempotency-Key": frozenset({"/<unknown>"}),
    "missing If-Match": frozenset({"/<unknown>"}),
    "union variant mismatch": frozenset({"/filter/phone", "/filter/email"}),
    "minimum": frozenset({"/limit"}),
    "integer": frozenset({"/limit"}),
}
"""Why a call is invalid → where the fault itself is, in the tool's arguments."""
CALLER = Caller(tenant="lab", agent="lab", person="lab")
HEADER_FAULTS = frozenset({"header minLength", "missing Idempotency-Key", "missing If-Match"})


@dataclass
class Tally:
    """What the lab counts."""

    leaked: int = 0
    refused: int = 0
    placed: int = 0


def arguments_of(call: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten one of the lab's calls to a tool's arguments; headers only where the fault is one."""
    body = dict(call["body"] or {})
    address = body.pop("new_address", {})
    headers = call["headers"] if call["why"] in HEADER_FAULTS else {}
    return {**call["arguments"], **body, **address, **headers}


async def commit_of(run: Run, preview: str, reply: Any) -> Any:
    """Carry out what a preview proposed."""
    name = preview.replace("preview_", "commit_")
    return await run.call(name, {"proposal_id": reply.result["proposal_id"]})


def is_intact(call: Mapping[str, Any], upstream: Upstream) -> bool:
    """Say whether the last request to the call's operation carries what the call said, and both headers are there."""
    for seen in reversed(upstream.reached):
        wanted = call["body"]
        if seen.body != wanted or not all(str(v) in seen.path for v in call["arguments"].values()):
            continue
        if call["operation"] == "changeAddress":
            return len(seen.headers["idempotency-key"]) >= 16 and seen.headers["if-match"] == '"7"'
        return True
    return False


def arrange_desk(folder: Path) -> None:
    """Make a desk's key and an empty list of approvers: a boundary says so where it has none."""
    DeskKey.create(folder / "desk.key", folder / "desk.pub")
    (folder / "approvers.yaml").write_text("people: {}\n", "utf-8")


def open_boundary(
    catalog: Any, upstream: Callable[[httpx2.Request], httpx2.Response], folder: Path
) -> Boundary:
    """Return a boundary of its own store before an upstream in memory."""
    return Boundary(
        catalog,
        upstream=Address(
            "https://crm.example.test/api",
            auth=lambda caller, tool: Credential.bearer("lab"),
            transport=httpx2.MockTransport(upstream),
        ),
        store=f"sqlite:///{folder / 'lab.db'}",
        approvers=folder / "approvers.yaml",
        desk_keys=[folder / "desk.pub"],
    )


async def refuse(catalog: Any, calls: list[Any], folder: Path) -> Tally:
    """Make the invalid calls: what reached the upstream, what was refused, and whether at the fault's own place."""
    tally, upstream = Tally(), Upstream()
    boundary = open_boundary(catalog, upstream, folder)
    async with boundary, boundary.run(role="agent", caller=CALLER) as run:
        for call in calls:
            reply = await run.call(TOOLS[call["operation"]], arguments_of(call))
            tally.leaked += bool(upstream.reached)
            upstream.reached.clear()
            tally.refused += isinstance(reply, Failure)
            tally.placed += isinstance(reply, Failure) and reply.error.field in PLACES[call["why"]]
    return tally


async def deliver(catalog: Any, calls: list[Any], folder: Path) -> int:
    """Make the valid calls; return how many arrived intact."""
    intact = 0
    for call in calls:
        upstream = Upstream()
        boundary = open_boundary(catalog, upstream, folder)
        async with boundary, boundary.run(role="agent", caller=CALLER) as run:
            tool = TOOLS[call["operation"]]
            reply = await run.call(tool, arguments_of(call))
            if tool.startswith("preview_"):
                reply = await commit_of(run, tool, reply)
            intact += isinstance(reply, Success) and is_intact(call, upstream)
    return intact


async def lose(catalog: Any, call: Any, folder: Path) -> int:
    """Make one address change whose answer is lost, commit it thrice; return the effects."""
    upstream = Upstream(hangs=True)
    boundary = open_boundary(catalog, upstream, folder)
    async with boundary, boundary.run(role="agent", caller=CALLER) as run:
        proposed = await run.call("preview_address_change", arguments_of(call))
        for _ in range(3):
            await commit_of(run, "preview_address_change", proposed)
    return sum(upstream.effects.values())


def effects_demanded(folder: Path) -> int:
    """Take `effect` out of each tool in turn; return how many generations fail for just that (TC503)."""
    text = (HERE / "charter.yaml").read_text("utf-8")
    lines = text.splitlines(keepends=True)
    demanded = 0
    for number, line in enumerate(lines):
        if line.strip() in ("effect: read", "effect: write"):
            charter = folder / "charter.yaml"
            charter.write_text("".join(lines[:number] + lines[number + 1 :]), "utf-8")
            done = generate(charter, folder / "none")
            demanded += done.returncode == 1 and "TC503" in done.stdout + done.stderr
    return demanded


def generate(charter: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Run `toolcharter generate` on a charter whose description lies beside it."""
    if charter.parent != HERE:
        (charter.parent / "openapi.yaml").write_bytes((HERE / "openapi.yaml").read_bytes())
    command = [
        str(Path(sys.executable).with_name("toolcharter")),
        "generate",
        str(charter),
        "--out",
        str(out),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> int:
    """Print the line; return 1 if a bar is missed."""
    calls = json.loads((HERE / "calls.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arrange_desk(folder)
        done = generate(HERE / "charter.yaml", folder / "generated")
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        sys.path.insert(0, str(folder / "generated" / "lab_tools"))
        catalog = importlib.import_module("lab_tools").catalog
        tally = asyncio.run(refuse(catalog, calls["invalid"], folder))
        intact = asyncio.run(deliver(catalog, calls["valid"], folder))
        change = next(call for call in calls["valid"] if call["operation"] == "changeAddress")
        effects = asyncio.run(lose(catalog, change, folder))
        demanded = effects_demanded(folder)
    invalid, valid = len(calls["invalid"]), len(calls["valid"])
    print(
        f"lab: {invalid} invalid calls: {tally.leaked} reached the upstream, {tally.refused} refused, "
        f"{tally.placed} at the fault's own place; {valid} valid calls: {intact} intact; "
        f"6 operations: {demanded} fail without an effect; {effects} effect for one intent with a lost answer"
    )
    held = (tally.leaked, tally.refused, tally.placed, intact, demanded, effects)
    return 0 if held == (0, invalid, invalid, valid, 6, 1) else 1


if __name__ == "__main__":
    sys.exit(main())
