"""Canonical bytes (RFC 8785) and digests (C4, C6); strict JSON comes along from `strict`."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, TypeGuard

from toolcharter_runtime.jsonvalue import is_list, is_object, type_of
from toolcharter_runtime.strict import MAX_BYTES, MAX_DEPTH, Json, Rejected, check_json, parse_json

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "Json",
    "Rejected",
    "canonical_bytes",
    "check_json",
    "digest",
    "digest_of_bytes",
    "parse_json",
]


def canonical_bytes(value: Any) -> bytes:
    """Return the RFC 8785 form of a JSON value; raise `Rejected` for what has none.

    An integer beyond 2^53 - 1, which a contract's schema or an upstream's version may hold, is written digit by digit.
    """
    try:
        if _is_plain(value):
            return _ENCODE(value).encode("utf-8")
        return "".join(_pieces(value)).encode("utf-8")
    except UnicodeEncodeError:
        raise Rejected("", "a text holds a lone surrogate, which is not Unicode") from None
    except RecursionError:
        raise Rejected("", "nested too deep") from None


def digest(domain: str, value: Any) -> str:
    """Return `sha256:<hex>` over a versioned domain tag and the canonical bytes of the value (C4)."""
    return digest_of_bytes(domain, canonical_bytes(value))


def digest_of_bytes(domain: str, canonical: bytes) -> str:
    """Return what `digest` returns, from canonical bytes that are there already, such as a stored proposal's."""
    tag = f"toolcharter/1/{domain}".encode("ascii")
    return "sha256:" + hashlib.sha256(tag + b"\x00" + canonical).hexdigest()


_ENCODE: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


def _is_plain(value: Any) -> bool:
    """Whether the C encoder writes the value as RFC 8785 does: no floats, all keys ASCII."""
    kind = type_of(value)
    if kind is str or kind is int or kind is bool or value is None:
        return True
    if kind is dict:
        return all(
            type(name) is str and name.isascii() and _is_plain(item) for name, item in value.items()
        )
    return (kind is list or kind is tuple) and all(map(_is_plain, value))


def _pieces(value: Any) -> list[str]:
    if is_object(value):
        names: list[Any] = list(value)
        if not all(isinstance(name, str) for name in names):
            raise Rejected("", "an object has a key that is not a text")
        pieces = ["{"]
        for name in sorted(value, key=_utf16):
            pieces += [_ENCODE(name), ":", *_pieces(value[name]), ","]
        pieces[-1:] = ["}"] if value else ["{", "}"]
        return pieces
    if _is_tuple(value):
        return _pieces(list(value))
    if is_list(value):
        pieces = ["["]
        for item in value:
            pieces += [*_pieces(item), ","]
        pieces[-1:] = ["]"] if value else ["[", "]"]
        return pieces
    if isinstance(value, float):
        return [_float_text(value)]
    if value is None or isinstance(value, str | int):
        return [_ENCODE(value)]
    raise Rejected("", "not a JSON value")


def _is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be")


def _float_text(value: float) -> str:
    from rfc8785 import CanonicalizationError, dumps

    try:
        return dumps(value).decode("ascii")
    except CanonicalizationError:
        raise Rejected("", "a number is not finite") from None
