"""The application: one route per operation of the description, and the control routes beside them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from upstreams.crm import exports, reads, writes
from upstreams.crm.database import Database
from upstreams.crm.description import Operation, operations
from upstreams.crm.keys import Stored, fingerprint, store_answer, stored_answer
from upstreams.crm.problems import Problem
from upstreams.crm.seed import seed
from upstreams.faults import Fault, Faults
from upstreams.serving import CutResponse

__all__ = ["Crm", "application"]

Act = Callable[[Database, reads.Sent], dict[str, Any]]

_READS: Final[dict[str, Act]] = {
    "getCustomer": reads.get_customer,
    "searchCustomers": reads.search_customers,
    "listAddresses": reads.list_addresses,
    "getAddress": reads.get_address,
    "getEnvelope": reads.get_envelope,
    "getPayment": reads.get_payment,
    "getExport": reads.get_export,
    "getOperation": reads.get_operation,
    "getOperationByKey": reads.find_operation,
}
_WRITES: Final[dict[str, tuple[int, Act]]] = {
    "changeAddress": (202, writes.change_address),
    "readMessage": (200, writes.read_message),
    "createRefund": (201, writes.create_refund),
    "sendEmail": (201, writes.send_email),
    "startExport": (202, writes.start_export),
    "cancelOperation": (200, writes.cancel_operation),
}


@dataclass(slots=True)
class Crm:
    """The service's state: its rows, the faults to come, the requests that arrived and how exports move on."""

    database: Database
    token: str
    faults: Faults = field(default_factory=Faults)
    requests: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=10_000))
    export_seconds: float | None = 0.5
    """Seconds in each state; none: exports move only when stepped."""
    under_way: set[str] = field(default_factory=set[str])

    def reset(self) -> None:
        """Go back to the seed: no fault, no effect, no request."""
        self.faults.clear()
        self.requests.clear()
        self.database.empty()
        seed(self.database)


class _CutError(Exception):
    """The connection is to be reset without an answer."""


async def _answer(crm: Crm, operation: Operation, request: Request) -> Response:
    path = request.url.path
    fault = crm.faults.take(operation.name, path)
    raw = await request.body()
    seen: dict[str, Any] = {
        "operation": operation.name,
        "path": path,
        "key": request.headers.get("Idempotency-Key"),
        "status": None,
    }
    seen["fault"] = fault.kind if fault else None
    crm.requests.append(seen)
    try:
        await _fail_before(fault)
        response = await _apply(crm, operation, request, raw, fault)
        seen["status"] = response.status_code
    except Problem as problem:
        headers = (
            {"Retry-After": fault.retry_after()}
            if fault and problem.code == "rate_limited"
            else None
        )
        response = problem.response(headers)
        seen["status"] = problem.status
    return response


async def _fail_before(fault: Fault | None) -> None:
    match fault.kind if fault else None:
        case "drop":
            raise _CutError
        case "unavailable":
            raise Problem("unavailable")
        case "rate_limited":
            raise Problem("rate_limited")
        case "delay" if fault:
            await asyncio.sleep(fault.seconds)
        case _:
            pass


async def _apply(
    crm: Crm, operation: Operation, request: Request, raw: bytes, fault: Fault | None
) -> Response:
    if request.headers.get("Authorization") != f"Bearer {crm.token}":
        raise Problem("unauthorized")
    found = {
        "path": {name: str(value) for name, value in request.path_params.items()},
        "query": dict(request.query_params),
        "header": {
            name: request.headers[name]
            for _, name, *_ in operation.parameters
            if name in request.headers
        },
    }
    sent: reads.Sent = {**operation.read_parameters(found), "body": operation.read_body(raw)}
    if operation.name in _READS:
        if crm.export_seconds is not None:
            exports.advance_by_time(crm.database, crm.export_seconds)
        answer = Stored(200, _READS[operation.name](crm.database, sent))
        return await _fail_after(answer, operation, fault)
    key = sent.get("Idempotency-Key")
    if key is not None and key in crm.under_way:
        raise Problem("in_flight")
    if key is None:
        return await _fail_after(_write(crm, operation, sent, fault), operation, fault)
    crm.under_way.add(key)
    try:
        return await _fail_after(_write(crm, operation, sent, fault), operation, fault)
    finally:
        crm.under_way.discard(key)


def _write(crm: Crm, operation: Operation, sent: reads.Sent, fault: Fault | None) -> Stored:
    status, act = _WRITES[operation.name]
    key, request = sent.get("Idempotency-Key"), fingerprint(operation.name, sent)
    with crm.database.writing():
        if key is not None and not (fault and fault.kind == "key_ignored"):
            stored = stored_answer(crm.database, key, request)
            if stored is not None:
                return stored
        answer = Stored(status, act(crm.database, sent))
        if key is not None:
            store_answer(crm.database, key, request, answer)
    return answer


async def _fail_after(answer: Stored, operation: Operation, fault: Fault | None) -> Response:
    match fault.kind if fault else None:
        case "apply_then_drop":
            raise _CutError
        case "apply_then_500":
            raise Problem("internal")
        case "apply_then_delay" if fault:
            await asyncio.sleep(fault.seconds)
        case "malformed_success" if fault:
            body = '{"id": 17, "unexpected": true}' if fault.body is None else fault.body
            return Response(body, answer.status, media_type="application/json")
        case _:
            pass
    headers = {"ETag": f'"{answer.body["version"]}"'} if operation.name == "getCustomer" else None
    return JSONResponse(answer.body, answer.status, headers=headers)


def _route(crm: Crm, operation: Operation) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            return await _answer(crm, operation, request)
        except _CutError:
            return CutResponse()

    return Route(operation.path, endpoint, methods=[operation.method], name=operation.name)


def application(crm: Crm, control: list[Route]) -> Starlette:
    """Return the ASGI application over a state."""

    async def missing(request: Request, error: Exception) -> Response:
        return Problem("not_found").response()

    handlers: dict[Any, Callable[[Request, Exception], Awaitable[Response]]] = {
        404: missing,
        405: missing,
    }
    routes = [*control, *(_route(crm, operation) for operation in operations())]
    return Starlette(routes=routes, exception_handlers=handlers)
