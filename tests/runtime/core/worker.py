"""A process of its own over the generated CRM catalog: commits as it is told and prints what came of it, as JSON.

`python -m tests.runtime.core.worker '{"url": …, "folder": …, "commits": [[run, tool, proposal, times], …]}'`
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from crm_tools import catalog

from toolcharter_runtime import Boundary, Caller, Credential, Run, Success, Upstream
from toolcharter_runtime.store import Store

CALLER = Caller(tenant="acme", agent="assistant", person="u17")


def boundary(order: dict[str, Any]) -> Boundary:
    token = Credential.bearer(order["token"])

    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=order.get("later", 0))

    return Boundary(
        catalog,
        upstream=Upstream(order["url"], auth=token),
        store=f"sqlite:///{order['folder']}/boundary.db",
        approvers=f"{order['folder']}/approvers.yaml",
        desk_keys=[f"{order['folder']}/desk.pub"],
        clock=clock,
    )


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arrange_crash(point: str | None) -> None:
    """Die at one of the points that a commit passes."""
    from toolcharter_runtime.calls import committing, sending

    if point == "after the claim":
        committing._check_time_to_send = die
    elif point == "after consuming":
        sending._send = die  # type: ignore[assignment]
    elif point == "after the answer":
        sending.record = die  # type: ignore[assignment]
    elif point == "after recording":
        recorded = Store.record_outcome

        async def record_and_die(*args: Any, **options: Any) -> bool:
            await recorded(*args, **options)
            die()
            return True

        Store.record_outcome = record_and_die  # type: ignore[method-assign]


async def commit(run: Run, tool: str, proposal_id: str, patience: float) -> Any:
    """Commit; with patience, until nobody else is finding out what became of it."""
    while True:
        reply = await run.call(tool, {"proposal_id": proposal_id})
        if isinstance(reply, Success) or reply.error.code != "OPERATION_IN_PROGRESS":
            return reply
        if not patience:
            return reply
        await asyncio.sleep(0.2)


async def work(order: dict[str, Any]) -> list[dict[str, Any]]:
    replies: list[dict[str, Any]] = []
    async with boundary(order) as opened:
        for run_id, tool, proposal_id, times in order["commits"]:
            async with opened.resume(run_id, CALLER) as run:
                answered = await asyncio.gather(
                    *(commit(run, tool, proposal_id, order.get("later", 0)) for _ in range(times))
                )
                replies += [
                    {"result": reply.result, "operation": reply.operation_id}
                    if isinstance(reply, Success)
                    else {"code": reply.error.code}
                    for reply in answered
                ]
    return replies


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    arrange_crash(told.get("crash"))
    print(json.dumps(asyncio.run(work(told))))
