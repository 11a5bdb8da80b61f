"""Contracts for the tests of the HTTP ring, as small as the question needs."""

from __future__ import annotations

from typing import Any

from toolcharter_runtime.frozen import (
    AnswerRule,
    ApprovalRow,
    Auth,
    Compensation,
    Contract,
    Evidence,
    Follow,
    Idempotency,
    Page,
    Policy,
    Read,
    Request,
    Success,
    Target,
    View,
    ViewField,
    WriteTerms,
)

OPEN: dict[str, Any] = {"type": "object"}


def contract(**given: Any) -> Contract:
    """Return a read of one field, with what is given in place of its parts."""
    parts: dict[str, Any] = {
        "tool": "get_customer",
        "version": 1,
        "effect": "read",
        "description": "One customer.",
        "operation": "GET /customers/{id} (getCustomer)",
        "arguments": OPEN,
        "request": Request(method="GET", path="/customers"),
        "successes": (Success(status="200", media="application/json"),),
        "view": View(
            fields=(ViewField(name="customer", at="/id", accepts={"type": "string"}),),
            result=OPEN,
            maximum_bytes=1000,
        ),
    }
    return Contract(**{**parts, **given})


def write(*rules: AnswerRule, follow: bool = False, **given: Any) -> Contract:
    """Return a write with these answer rules."""
    read = Read(tool="get_operation.v1")
    terms = WriteTerms(
        summary="Change it",
        target=Target(type="customer", id="{customer}"),
        approval=(ApprovalRow(policy=Policy(name="p", none="test")),),
        idempotency=Idempotency(by="key"),
        version_check="atomic",
        follow=Follow(read=read, states=(), every=1, deadline=60) if follow else None,
        evidence=Evidence(),
        compensation=Compensation(none="test"),
    )
    request = Request(method="POST", path="/customers")
    return contract(effect="write", answers=rules, write=terms, request=request, **given)


def listing(*, result: Any = None, **page: Any) -> Contract:
    """Return a list read with a page of the given kind."""
    item = (ViewField(name="id", at="/id", accepts={"type": "integer"}),)
    view = View(
        fields=(ViewField(name="things", at="/items", each=item, accepts={"type": "array"}),),
        result=result or OPEN,
        maximum_bytes=10_000,
    )
    return contract(view=view, page=Page(items="things", **{"size": 2, **page}))


BEARER = Auth(scheme="bearer", kind="bearer")
