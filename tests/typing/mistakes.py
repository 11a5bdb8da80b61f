"""What must not type-check: each line has the error that a checker finds. Never run."""

from __future__ import annotations

from crm_tools import catalog
from crm_tools.contracts.get_customer_v1 import GetCustomerArguments

from toolcharter_runtime import Failure, Run


async def mistakes(run: Run) -> None:
    arguments = GetCustomerArguments(customer="C-1842")
    await run.call(catalog.address_change.preview, arguments)  # wrong arguments
    await run.call(catalog.get_customer, {"customer": "C-1842"})  # a mapping for a typed tool
    await run.call(catalog.address_change, arguments)  # a write is a preview or a commit
    await run.call(catalog.address_change.commit, arguments)  # a commit takes an id only
    await run.call("get_customer", arguments)  # a model for a named tool
    reply = await run.call(catalog.get_customer, arguments)
    print(reply.result)  # not narrowed
    if isinstance(reply, Failure) and reply.error.code == "APPROVAL_PENDING":  # never of a read
        print("no")
