"""Refusals of the service, as problem+json (RFC 9457)."""

from __future__ import annotations

from typing import Final

from starlette.responses import JSONResponse

__all__ = ["Problem"]

_TITLES: Final = {
    "invalid": (400, "The request is not well formed"),
    "unauthorized": (401, "The token is missing or unknown"),
    "not_found": (404, "There is no such thing"),
    "key_reused": (409, "The key was used for another request"),
    "in_flight": (409, "A request with this key is under way"),
    "version_conflict": (412, "The customer has another version by now"),
    "unprocessable": (422, "A value is refused"),
    "precondition_required": (428, "The header If-Match is missing"),
    "rate_limited": (429, "Too many requests"),
    "internal": (500, "Something went wrong"),
    "unavailable": (503, "The service cannot answer now"),
}


class Problem(Exception):  # the word of RFC 9457
    """A refusal by its code; `field` is a JSON Pointer into the request body."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        field: str | None = None,
        current_version: int | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status, self.title = _TITLES[code]
        self.detail = detail
        self.field = field
        self.current_version = current_version

    def response(self, headers: dict[str, str] | None = None) -> JSONResponse:
        """Return the answer that says so."""
        facts = {
            "detail": self.detail or None,
            "field": self.field,
            "current_version": self.current_version,
        }
        body = {
            "type": f"urn:crm:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            **{name: value for name, value in facts.items() if value is not None},
        }
        extra = {"WWW-Authenticate": "Bearer"} if self.status == 401 else {}
        return JSONResponse(
            body,
            self.status,
            media_type="application/problem+json",
            headers={**extra, **(headers or {})},
        )
