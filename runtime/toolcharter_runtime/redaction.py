"""Masks: what stands for a value that is not shown (T2).

A mask begins with `•••`; an argument that does is refused, so that a mask is never written back as a value.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, Final, Literal, TypeAlias

from toolcharter_runtime.canonical import canonical_bytes
from toolcharter_runtime.jsonvalue import is_list, is_object

__all__ = ["MASK", "MASKED_SCHEMA", "Redaction", "find_mask", "redact"]

MASK: Final = "•••"
MASKED_SCHEMA: Final[dict[str, Any]] = {"type": "string", "minLength": 3, "maxLength": 40}
"""The schema of every redacted field in a view's result."""

Redaction: TypeAlias = Literal["mask", "last4", "hash"]

_CLASSES: Final = ((0, "empty"), (8, "1-8"), (16, "9-16"), (32, "17-32"), (64, "33-64"))
_SHORTEST_WITH_LAST4: Final = 8


def redact(value: Any, how: Redaction, seal: bytes) -> str:
    """Return the mask of a value.

    `mask` shows a length class, `last4` the last four characters of a text of at least eight, `hash` a keyed digest,
    equal where the values are equal and of no use without the key.
    """
    text = value if isinstance(value, str) else canonical_bytes(value).decode("utf-8")
    if how == "hash":
        tag = hmac.new(
            seal, b"toolcharter redaction 1\x00" + text.encode("utf-8", "replace"), hashlib.sha256
        )
        return f"{MASK} {tag.hexdigest()[:16]}"
    if how == "last4" and len(text) >= _SHORTEST_WITH_LAST4:
        return MASK + text[-4:]
    return f"{MASK} ({length_class(text)})"


def length_class(text: str) -> str:
    """Return the class of a text's length in characters, e.g. `9-16`."""
    return next((name for longest, name in _CLASSES if len(text) <= longest), "65 or more")


def find_mask(value: Any) -> tuple[str | int, ...] | None:
    """Return the path of the first text that begins with a mask, or None."""
    if MASK not in repr(value):
        return None
    return _find(value)


def _find(value: Any) -> tuple[str | int, ...] | None:
    if isinstance(value, str):
        return () if value.lstrip().startswith(MASK) else None
    items: list[tuple[str | int, Any]] = []
    if is_object(value):
        items = list(value.items())
    elif is_list(value):
        items = list(enumerate(value))
    for key, inner in items:
        found = _find(inner)
        if found is not None:
            return (key, *found)
    return None
