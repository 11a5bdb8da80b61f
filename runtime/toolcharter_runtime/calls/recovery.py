"""What a crash left: executions whose owner is gone are asked after, and never sent again (I6, S5)."""

from __future__ import annotations

import logging
from typing import Final

from toolcharter_runtime.caller import Caller
from toolcharter_runtime.records import ExecutionRow
from toolcharter_runtime.unmapped import told

from .call import Call, Parts, deadline_after
from .committing import recover
from .following import poll

__all__ = ["recover_unfinished"]

_log: Final = logging.getLogger("toolcharter_runtime")


async def recover_unfinished(parts: Parts) -> None:
    """Find out what became of every execution that is open and held by nobody."""
    for execution in await parts.store.unfinished():
        try:
            await _recover_one(parts, execution)
        except Exception as error:  # one that fails must not keep the others
            _log.warning("recovery of %s failed: %s", execution.execution_id, told(error))


async def _recover_one(parts: Parts, execution: ExecutionRow) -> None:
    if execution.tool not in parts.snapshot.ids:
        return
    run = await parts.store.load_run(execution.tenant, execution.run_id)
    row = await parts.store.load_proposal(execution.tenant, execution.proposal_id)
    if run is None or row is None or row.proposal.upstream != parts.upstream_name():
        return
    contract = parts.snapshot.contract(execution.tool)
    call = Call(
        parts=parts,
        run=run,
        caller=Caller(run.tenant, run.agent, run.person),
        contract=contract,
        root_request_id=execution.root_request_id,
        until=deadline_after(contract.timeout.total, parts.now()),
    )
    if execution.state == "accepted":
        await poll(call, row, execution)
    else:
        await recover(call, row, execution)
