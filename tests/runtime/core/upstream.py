"""A fake upstream with a ledger of effects, programmable faults, and idempotency keys."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any

import httpx2


class FakeCrm:
    """Answers as the service that `contracts.py` describes; `faults` are used up one by one by writes."""

    def __init__(self) -> None:
        self.customers: dict[str, dict[str, Any]] = {
            f"C-100{n}": {
                "id": f"C-100{n}",
                "name": f"Name {n}",
                "city": "Ghent",
                "email": "ann@example.org",
                "blocked": False,
                "version": 7,
                "secret": "never shown",
            }
            for n in range(5)
        }
        self.operations: dict[str, dict[str, Any]] = {}
        self.by_key: dict[str, str] = {}
        self.ledger: list[str] = []
        self.requests: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.faults: list[str] = []
        self.read_faults: list[Callable[[], httpx2.Response]] = []
        self.is_status_down = False
        self.has_weak_etag = False
        self.in_write = 0
        self.most_in_write = 0
        self.write_takes = 0.0
        self.cancel_works = True
        self.unblockable: set[str] = set()
        self.transport = httpx2.MockTransport(self.answer)

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        self.requests.append((request.method, path))
        self.headers.append(dict(request.headers))
        parts = path.strip("/").split("/")
        if request.method == "GET" or parts[-1] == "search":
            return self._read(parts, request)
        if parts[-1] == "cancel":
            return self._cancel(parts[1])
        self.in_write += 1
        self.most_in_write = max(self.most_in_write, self.in_write)
        try:
            if self.write_takes:
                await asyncio.sleep(self.write_takes)
            return self._write(parts, request)
        finally:
            self.in_write -= 1

    def _read(self, parts: list[str], request: httpx2.Request) -> httpx2.Response:
        if parts[0] == "operations":
            if self.is_status_down:
                return httpx2.Response(503)
            found = parts[-1] if len(parts) == 2 else self.by_key.get(parts[-1], "")
            operation = self.operations.get(found)
            return (
                httpx2.Response(404) if operation is None else httpx2.Response(200, json=operation)
            )
        if self.read_faults:
            return self.read_faults.pop(0)()
        if parts[-1] == "search":
            return self._search(json.loads(request.content))
        customer = self.customers.get(parts[1])
        if customer is None:
            return httpx2.Response(404, json={"detail": "secret detail"})
        quote = "W/" if self.has_weak_etag else ""
        tag = f'{quote}"{customer["version"]}"'
        return httpx2.Response(200, json=customer, headers={"ETag": tag})

    def _search(self, body: dict[str, Any]) -> httpx2.Response:
        start = int(body.get("cursor") or 0)
        items = list(self.customers.values())
        more = start + body["limit"] < len(items)
        page = {
            "items": items[start : start + body["limit"]],
            "next_cursor": str(start + body["limit"]) if more else None,
        }
        return httpx2.Response(200, json=page)

    def _write(self, parts: list[str], request: httpx2.Request) -> httpx2.Response:
        fault = self.faults.pop(0) if self.faults else None
        if fault == "refuse_connection":
            raise httpx2.ConnectError("no")
        if fault == "drop_before":
            raise httpx2.ReadError("cut")
        if fault in ("429", "503", "400", "302"):
            headers = {"Retry-After": "3"} if fault == "429" else {}
            return httpx2.Response(int(fault), headers=headers, json={"secret": "detail"})
        if fault == "412":
            return httpx2.Response(412)
        response = self._apply(parts, request)
        if fault == "drop_after":
            raise httpx2.ReadError("cut")
        if fault == "500_after":
            return httpx2.Response(500)
        if fault == "malformed":
            return httpx2.Response(200, json={"surprise": True})
        return response

    def _apply(self, parts: list[str], request: httpx2.Request) -> httpx2.Response:
        key = request.headers.get("Idempotency-Key")
        if key in self.by_key:
            return httpx2.Response(200, json=self.operations[self.by_key[key]])
        customer = self.customers.get(parts[1]) if parts[0] == "customers" else None
        wanted = request.headers.get("If-Match")
        if customer is not None and wanted is not None and wanted != f'"{customer["version"]}"':
            return httpx2.Response(412)
        body = json.loads(request.content) if request.content else {}
        if parts[0] == "blocks":
            self.ledger.append("blocks")
            return httpx2.Response(200, json={"results": list(map(self._block, body["customers"]))})
        if customer is not None:
            customer["version"] += 1
            if "city" in body:
                customer["city"] = body["city"]
        is_export = parts[0] == "exports"
        operation = {
            "id": str(uuid.uuid4()),
            "key": key or "none",
            "status": "running" if is_export else "succeeded",
        }
        self.operations[operation["id"]] = operation
        if key is not None:
            self.by_key[key] = operation["id"]
        self.ledger.append("/".join(parts))
        return httpx2.Response(202 if is_export else 200, json=operation)

    def _block(self, name: str) -> dict[str, str]:
        status = "REFUSED" if name in self.unblockable else "BLOCKED"
        return {"id": name, "status": status, "secret": "never shown"}

    def _cancel(self, operation_id: str) -> httpx2.Response:
        operation = self.operations[operation_id]
        if self.cancel_works and operation["status"] in ("queued", "running"):
            operation["status"] = "cancelled"
        return httpx2.Response(200, json=operation)
