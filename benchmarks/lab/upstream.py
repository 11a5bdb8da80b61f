"""An upstream of the lab's API in memory: it counts what reaches it, and can apply a write and then hang."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import httpx2

__all__ = ["Reached", "Upstream"]

OPERATION = "123e4567-e89b-12d3-a456-426614174000"


@dataclass(frozen=True, slots=True)
class Reached:
    """One request as the upstream saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: object


@dataclass
class Upstream:
    """Answers as the description says; `hangs` makes the next address change apply and lose its answer."""

    reached: list[Reached] = field(default_factory=list)
    effects: dict[str, int] = field(default_factory=dict)
    hangs: bool = False
    customer: dict[str, object] = field(
        default_factory=lambda: {
            "id": "cus_abcd1234",
            "name": "Ada Example",
            "email": "ada@example.test",
            "tax_id": "never shown",
            "version": 7,
            "address": {"line1": "1 Old Street", "city": "Rome", "country": "IT"},
        }
    )

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request."""
        body = json.loads(request.content) if request.content else None
        path = request.url.path.removeprefix("/api")
        self.reached.append(Reached(request.method, path, dict(request.headers), body))
        if request.method == "POST" and path.endswith("/address-changes"):
            return self._change(request, body or {})
        if path == "/customers/search":
            return httpx2.Response(200, json={"items": [self.customer], "next_cursor": None})
        if path.startswith("/messages/"):
            return httpx2.Response(200, json={"id": path.rsplit("/", 1)[1], "body": "Hello"})
        if path.startswith("/operations/"):
            return httpx2.Response(200, json={"id": OPERATION, "status": "succeeded"})
        return httpx2.Response(200, json=self.customer)

    def _change(self, request: httpx2.Request, body: dict[str, object]) -> httpx2.Response:
        key = request.headers["Idempotency-Key"]
        self.effects[key] = self.effects.get(key, 0) + 1
        self.customer = {**self.customer, "address": body["new_address"], "version": 8}
        if self.hangs:
            self.hangs = False
            raise httpx2.ReadTimeout("the answer was lost", request=request)
        return httpx2.Response(
            202, json={"id": OPERATION, "status": "succeeded", "target_version": 8}
        )
