"""Places of a request that no model may fill."""

from __future__ import annotations

from typing import Any

from toolcharter.rules._schemas import words_of
from toolcharter_runtime.language import references

__all__ = ["guard_at", "guard_beside"]

_HEADERS = frozenset(
    [
        "api-key",
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "forwarded",
        "host",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "set-cookie",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
        "x-api-key",
        "x-auth-token",
        "x-csrf-token",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "x-original-url",
        "x-real-ip",
        "x-rewrite-url",
    ]
)
_KEYS = (
    ("idempotency", "key"),
    ("idempotence", "key"),
    ("idempotency", "token"),
    ("request", "token"),
)


def guard_at(place: str) -> str | None:
    """Return what goes to a place, if that is the boundary's to say; None for any other place."""
    header = place.removeprefix("header.").lower() if place.startswith("header.") else ""
    if header in _HEADERS or header.startswith("x-forwarded-"):
        return "the boundary's own"
    words = words_of(place.rpartition("/")[2].rpartition(".")[2])
    is_key = words[-2:] in _KEYS or words[-2:] == ("client", "token")
    in_header = place.startswith("header.") and words[-2:] == ("request", "id")
    return "an idempotency key" if is_key or in_header else None


def guard_beside(template: Any) -> str | None:
    """Return the key or version that a template joins with something else."""
    roots = [reference.root for reference in references(template)]
    return next((f"`{{${root}}}`" for root in roots if root in ("key", "version")), None)
