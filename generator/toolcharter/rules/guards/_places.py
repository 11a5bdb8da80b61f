"""Places of a request that no model may fill."""

from __future__ import annotations

from typing import Any

from toolcharter.rules._schemas import words_of
from toolcharter_runtime.language import references

__all__ = ["guard_at", "guard_beside"]

_HEADERS = frozenset(
    [
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "te",
        "trailer",
        "upgrade",
        "if-match",
        "if-none-match",
        "if-unmodified-since",
        "if-modified-since",
        "if-range",
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-http-method-override",
        "x-http-method",
        "x-method-override",
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
    if place.startswith("header.") and place.removeprefix("header.").lower() in _HEADERS:
        return "the boundary's own"
    words = words_of(place.rpartition("/")[2].rpartition(".")[2])
    is_key = words[-2:] in _KEYS or words == ("client", "token")
    in_header = place.startswith("header.") and words[-2:] == ("request", "id")
    return "an idempotency key" if is_key or in_header else None


def guard_beside(template: Any) -> str | None:
    """Return the key or version that a template joins with something else."""
    roots = [reference.root for reference in references(template)]
    return next((f"`{{${root}}}`" for root in roots if root in ("key", "version")), None)
