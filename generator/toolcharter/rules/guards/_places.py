"""Places of a request that no model may fill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcharter.resolve import ResolvedApi
from toolcharter.rules._schemas import words_of
from toolcharter.wording import visible
from toolcharter_runtime.frozen import Contract, Read
from toolcharter_runtime.language import references

__all__ = ["guard_at", "guard_beside", "keys_of_schemes", "reads_of"]

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
        "sudo",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
        "x-api-key",
        "x-auth-token",
        "x-authenticated-user",
        "x-csrf-token",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "x-original-url",
        "x-real-ip",
        "x-remote-user",
        "x-rewrite-url",
        "x-sudo",
    ]
)
_STARTS = (
    "impersonate-",  # the person for whom a call is made
    "x-forwarded-",
    "x-ms-client-principal",
)
_KEYS = frozenset(
    {
        ("client", "token"), ("client", "request", "id"), ("client", "mutation", "id"), ("dedupe", "id"), ("dedupe", "key"),
        ("dedup", "id"), ("dedup", "key"), ("deduplication", "id"), ("deduplication", "key"), ("deduplication", "token"),
        ("request", "token"), ("unique", "request", "key"),
    }
)  # fmt: skip
_VERSIONS = frozenset(
    {
        ("expected", "etag"), ("expected", "revision"), ("expected", "version"), ("if", "match"), ("if", "version"),
        ("lock", "version"), ("optimistic", "lock"),
    }
)  # fmt: skip


def guard_at(place: str) -> str | None:
    """Return what goes to a place, if that is the boundary's to say; None for any other place."""
    header = place.removeprefix("header.").lower() if place.startswith("header.") else ""
    if header in _HEADERS or header.startswith(_STARTS):
        return "the boundary's own"
    words = words_of(place.rpartition("/")[2].rpartition(".")[2])
    is_key = words[-2:] in _KEYS or words[-3:] in _KEYS
    is_key = is_key or any(word.startswith("idempoten") for word in words) or words == ("nonce",)
    in_header = place.startswith("header.") and words[-2:] == ("request", "id")
    if is_key or in_header:
        return "an idempotency key"
    return "a precondition" if words[-2:] in _VERSIONS else None


def guard_beside(template: Any) -> str | None:
    """Return the key or version that a template joins with something else."""
    roots = [reference.root for reference in references(template)]
    return next((f"`{{${root}}}`" for root in roots if root in ("key", "version")), None)


def reads_of(contract: Contract) -> Iterator[Read]:
    """Yield the reads that the boundary makes for a tool, with the templates of their arguments."""
    yield from (resolver.read for resolver in contract.resolvers)
    terms = contract.write
    if terms is None:
        return
    parts = (terms.preview, terms.unknown, terms.follow, *terms.checks)
    found = (terms.target.read, terms.target.via, *(part.read for part in parts if part))
    yield from (read for read in found if read is not None)


def keys_of_schemes(api: ResolvedApi) -> dict[str, str]:
    """Return the places of the description's API keys, in lower case, and what each is."""
    return {
        f"{scheme.location}.{scheme.name}".lower(): f"the credential `{visible(name, 40)}`"
        for name, scheme in api.description.security_schemes.items()
        if scheme.kind == "api_key"
    }
