"""The application's side as design.md, section 5, shows it. Only type checkers read this file; it is never run."""

from __future__ import annotations

from typing import Any, assert_type

from crm_tools import catalog
from crm_tools.contracts.address_change_v1 import (
    AddressChangeArguments,
    AddressChangeDestinationSaved,
    AddressChangeResult,
)
from crm_tools.contracts.get_customer_v1 import GetCustomerArguments, GetCustomerResult
from crm_tools.errors import AddressChangeError, GetCustomerError

from toolcharter_runtime import (
    Boundary,
    Caller,
    Credential,
    ErrorCode,
    Failure,
    Need,
    Proposal,
    Success,
    Upstream,
)
from toolcharter_runtime.surfaces import anthropic, call_anthropic, call_openai, openai


def credential_for(caller: Caller, need: Need) -> Credential:
    return Credential.bearer(f"token of {caller.tenant} for {need.tool}")


boundary = Boundary(
    catalog,
    upstream=Upstream("https://crm.internal/api", auth=credential_for, environment="production"),
    store="sqlite:///boundary.db",
    approvers="approvers.yaml",
    desk_keys=["desk.pub"],
)
caller = Caller(tenant="acme", agent="assistant", person="u17")
change = AddressChangeArguments(
    customer="C-1842",
    reason="moved",
    destination=AddressChangeDestinationSaved(kind="saved", address="A-2002"),
)


async def application(run_id: str, proposal_id: str) -> None:
    async with (
        boundary,
        boundary.run(role="support_agent", caller=caller, purpose="production") as run,
    ):
        by_name = await run.call("get_customer", {"customer": "C-1842"})
        assert_type(by_name, Success[Any] | Failure[ErrorCode])
        as_text = await run.call("get_customer", '{"customer": "C-1842"}')
        assert_type(as_text, Success[Any] | Failure[ErrorCode])

        match await run.call(catalog.get_customer, GetCustomerArguments(customer="C-1842")):
            case Success(result=customer):
                assert_type(customer, GetCustomerResult)
                assert_type(customer.name, str)
            case Failure(error=error):
                assert_type(error.code, GetCustomerError)
                print(error.code, error.next_action)

        proposal = await run.call(catalog.address_change.preview, change)
        assert_type(proposal, Success[Proposal] | Failure[AddressChangeError])
        if isinstance(proposal, Success):
            assert_type(proposal.result.proposal_id, str)
            for argument in (proposal, proposal.result, proposal.result.proposal_id):
                reply = await run.call(catalog.address_change.commit, argument)
                assert_type(reply, Success[AddressChangeResult] | Failure[AddressChangeError])

        tools = openai(run), anthropic(run)
        assert_type(tools[0], list[dict[str, Any]])
        await call_openai(run, {"id": "1", "function": {"name": "x", "arguments": "{}"}})
        await call_anthropic(run, {"id": "1", "name": "x", "input": {}})

    async with boundary.resume(run_id, caller) as run:
        reply = await run.call(catalog.address_change.commit, proposal_id)
        if isinstance(reply, Failure) and reply.error.code == "VERSION_CONFLICT":
            assert_type(reply.error.field, str | None)


def synchronous(run_id: str, proposal_id: str) -> None:
    with boundary.blocking() as edge:
        with edge.run(role="support_agent", caller=caller, purpose="production") as run:
            read = run.call(catalog.get_customer, GetCustomerArguments(customer="C-1842"))
            assert_type(read, Success[GetCustomerResult] | Failure[GetCustomerError])
        with edge.resume(run_id, caller) as run:
            reply = run.call(catalog.address_change.commit, proposal_id)
            assert_type(reply, Success[AddressChangeResult] | Failure[AddressChangeError])
