"""Pages: where the next one begins, and the opaque cursor that a model sees."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import canonical_bytes
from toolcharter_runtime.jsonvalue import is_list
from toolcharter_runtime.language import ABSENT, Scope, holds, read_pointer
from toolcharter_runtime.strict import Rejected, parse_json
from toolcharter_runtime.upstream.answer import Answer
from toolcharter_runtime.upstream.errors import Violation
from toolcharter_runtime.upstream.view import Projected

__all__ = ["next_cursor", "open_cursor", "seal_cursor"]

_NONCE: Final = 12
_LONGEST: Final = 2_900
"""Bytes of an upstream's cursor, so that a sealed one has at most 4,096 characters."""
_LINK: Final = re.compile(r"<([^<>]*)>((?:\s*;\s*[^,;<>\"]+(?:\"[^\"]*\")?)*)")
_REL: Final = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)


def next_cursor(
    contract: frozen.Contract, answer: Answer, projected: Projected, position: Any
) -> Any:
    """Return the upstream's own cursor of the page after this one, or None at the end; raise `Violation`.

    `position` is the cursor of this page, None for the first. Where the upstream repeats it, the list has ended.
    """
    page = contract.page
    if page is None:
        return None
    items: list[Any] = projected.values.get(page.items) or []
    if page.until is not None and holds(page.until, answer.look_up, Scope()):
        return None
    if page.kind in ("offset", "number"):
        if len(items) < page.size:
            return None
        return (position or 0) + len(items) if page.kind == "offset" else (position or 1) + 1
    following = _following(contract, page, answer, len(items))
    if following is ABSENT or following is None or following in ("", position):
        return None
    if not isinstance(following, str | int) or isinstance(following, bool):
        raise Violation("/next_cursor", "the upstream's cursor is neither text nor integer")
    if len(str(following).encode("utf-8", "replace")) > _LONGEST:
        raise Violation("/next_cursor", "the upstream's cursor is too long")
    return following


def seal_cursor(key: bytes, binding: str, cursor: Any) -> str:
    """Return the opaque cursor: the upstream's own, sealed (AES-GCM) and bound to whose it is, tool and arguments."""
    nonce = secrets.token_bytes(_NONCE)
    sealed = _cipher(key).encrypt(nonce, canonical_bytes(cursor), binding.encode("utf-8"))
    return _text_of(nonce + sealed)


def open_cursor(key: bytes, binding: str, text: str) -> Any:
    """Return the upstream's own cursor; raise `Rejected` at `/cursor` for any text that was not sealed for this call."""
    from cryptography.exceptions import InvalidTag

    refused = Rejected("/cursor", "is not a cursor that this call was given with these arguments")
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        if _text_of(raw) != text:  # another spelling of the same bytes
            raise refused
        plain = _cipher(key).decrypt(raw[:_NONCE], raw[_NONCE:], binding.encode("utf-8"))
        return parse_json(plain)
    except (binascii.Error, ValueError, InvalidTag, Rejected):
        raise refused from None


def _text_of(sealed: bytes) -> str:
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode("ascii")


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(hmac.new(key, b"toolcharter cursor 1", hashlib.sha256).digest())


def _following(contract: frozen.Contract, page: frozen.Page, answer: Answer, count: int) -> Any:
    if page.kind == "last":
        if count == 0 or (page.until is None and count < page.size):
            return ABSENT
        return _of_last(contract, page, answer)
    if page.kind == "link":
        return _taken(_next_link(answer.headers.get("link", "")), page)
    found = answer.look_up(page.next or "")
    if page.kind == "answer" or found is ABSENT or found is None:
        return found
    if not isinstance(found, str):
        raise Violation("/next_cursor", "the place of the next page's URL holds no text")
    return _taken(found, page)


def _of_last(contract: frozen.Contract, page: frozen.Page, answer: Answer) -> Any:
    field = next(item for item in contract.view.fields if item.name == page.items)
    items = answer.look_up(field.at or "")
    value = read_pointer(items[-1], page.next or "") if is_list(items) and items else ABSENT
    if value is ABSENT:
        raise Violation("/next_cursor", "the last item has nothing to go on from")
    return value


def _next_link(header: str) -> str:
    """The target of the relation `next` in a `Link` header (RFC 8288), or empty."""
    for target, parameters in _LINK.findall(header):
        relation = _REL.search(parameters)
        if relation is not None and "next" in (relation[1] or relation[2]).lower().split():
            return str(target)
    return ""


def _taken(url: str, page: frozen.Page) -> Any:
    """The one query parameter that is taken from a URL of the upstream; nothing else of it is used."""
    if not url:
        return ABSENT
    try:
        pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise Violation("/next_cursor", "the next page's URL cannot be read") from None
    found = [value for name, value in pairs if name == page.take]
    if len(found) != 1:
        raise Violation("/next_cursor", "the next page's URL lacks the parameter that is taken")
    return found[0]
