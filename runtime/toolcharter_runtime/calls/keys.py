"""Idempotency keys and markers that the boundary makes with a proposal (I1)."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from typing import Final, Literal

__all__ = ["marker_of", "new_key"]

_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE32: Final = "0123456789abcdefghjkmnpqrstvwxyz"


def new_key(form: Literal["uuid", "base62"] | None) -> str:
    """Return a fresh key in the form that its place allows: a UUID, or base62 of at least 128 bits."""
    if form == "base62":
        return "".join(secrets.choice(_BASE62) for _ in range(22))
    return str(uuid.uuid4())


def marker_of(key: str) -> str:
    """Return `tc-` and 20 characters of a digest of the key: found again, and no way back to the key."""
    number = int.from_bytes(
        hashlib.sha256(b"toolcharter marker 1\0" + key.encode()).digest(), "big"
    )
    return "tc-" + "".join(_BASE32[(number >> (5 * place)) & 31] for place in range(20))
