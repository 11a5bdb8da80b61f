"""The routes under `/_…` that are no part of the API, and a client for them.

`GET /_ledger` says what really happened, `GET /_requests` what arrived, `POST /_faults` asks for a fault,
`POST /_reset` goes back to the seed, `POST /_exports` sets how exports move on, `POST /_step` moves one.
"""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from upstreams.crm import exports
from upstreams.crm.app import Crm
from upstreams.crm.problems import Problem

__all__ = ["Control", "Effect", "control_routes"]


def control_routes(crm: Crm) -> list[Route]:
    """Return the control routes over a state."""

    async def ledger(request: Request) -> Response:
        return JSONResponse({"effects": crm.database.ledger()})

    async def requests(request: Request) -> Response:
        return JSONResponse({"requests": list(crm.requests)})

    async def faults(request: Request) -> Response:
        if request.method == "POST":
            try:
                crm.faults.add(await request.json())
            except (TypeError, ValueError) as error:
                return Problem("unprocessable", str(error)).response()
        elif request.method == "DELETE":
            crm.faults.clear()
        return JSONResponse({"faults": crm.faults.to_json()})

    async def reset(request: Request) -> Response:
        crm.reset()
        return JSONResponse({})

    async def moving(request: Request) -> Response:
        crm.export_seconds = (await request.json())["seconds"]
        return JSONResponse({"seconds": crm.export_seconds})

    async def step(request: Request) -> Response:
        wanted = await request.json()
        try:
            state = exports.step(
                crm.database, wanted["operation_id"], wanted.get("state"), wanted.get("reason")
            )
        except Problem as problem:
            return problem.response()
        return JSONResponse({"state": state})

    async def touch(request: Request) -> Response:
        with crm.database.writing():
            crm.database.run(
                "UPDATE customers SET version = version + 1 WHERE id = ?",
                (await request.json())["customer_id"],
            )
        return JSONResponse({})

    return [
        Route("/_ledger", ledger),
        Route("/_requests", requests),
        Route("/_faults", faults, methods=["GET", "POST", "DELETE"]),
        Route("/_reset", reset, methods=["POST"]),
        Route("/_exports", moving, methods=["POST"]),
        Route("/_step", step, methods=["POST"]),
        Route("/_touch", touch, methods=["POST"]),
    ]


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that really happened."""

    number: int
    at: str
    operation: str
    target: str
    key: str | None
    effect: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Control:
    """Speaks to the control routes of a running service."""

    url: str

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        raw = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.url + path, data=raw, method=method)
        with urllib.request.urlopen(asked, timeout=10) as answer:
            parsed: dict[str, Any] = json.load(answer)
        return parsed

    def ledger(self, *, operation: str | None = None, target: str | None = None) -> list[Effect]:
        """Return the effects so far, oldest first, of one operation or target if named."""
        found = [Effect(**entry) for entry in self._ask("GET", "/_ledger")["effects"]]
        return [
            effect
            for effect in found
            if operation in {None, effect.operation} and target in {None, effect.target}
        ]

    def requests(self) -> list[dict[str, Any]]:
        """Return what arrived: operation, path, key, fault and status of each request, oldest first."""
        arrived: list[dict[str, Any]] = self._ask("GET", "/_requests")["requests"]
        return arrived

    def fault(self, operation: str, kind: str, **options: Any) -> None:
        """Ask for a fault of the next request of an operation (`upstreams.faults.Fault`)."""
        self._ask("POST", "/_faults", {"operation": operation, "kind": kind, **options})

    def faults(self) -> list[dict[str, Any]]:
        """Return the faults that are still to come."""
        waiting: list[dict[str, Any]] = self._ask("GET", "/_faults")["faults"]
        return waiting

    def clear_faults(self) -> None:
        """Forget every fault."""
        self._ask("DELETE", "/_faults")

    def reset(self) -> None:
        """Go back to the seed: no fault, no effect, no request."""
        self._ask("POST", "/_reset", {})

    def move_exports(self, *, seconds: float | None) -> None:
        """Let exports spend `seconds` in each state, or none: only when stepped."""
        self._ask("POST", "/_exports", {"seconds": seconds})

    def step(self, operation_id: str, state: str | None = None, reason: str | None = None) -> str:
        """Move one export to `state`, or one step on, and return its state."""
        moved: str = self._ask(
            "POST", "/_step", {"operation_id": operation_id, "state": state, "reason": reason}
        )["state"]
        return moved

    def touch(self, customer_id: str) -> None:
        """Move a customer's version on, as another client's change would, without an entry in the ledger."""
        self._ask("POST", "/_touch", {"customer_id": customer_id})
