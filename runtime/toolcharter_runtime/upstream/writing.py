"""The bytes of a request body: JSON, an URL-encoded form, multipart/form-data, or a scalar's text.

Equal values give equal bytes, the boundary of a multipart body included, so that a digest covers all that is sent.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import canonical_bytes
from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.language import pointer_of
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.styles import (
    RAW,
    Pair,
    Writer,
    document_text,
    joined,
    percent,
    scalar_text,
    write_pairs,
)

__all__ = ["add_part", "write_body"]

_JSON: Final = "application/json"
_NAME: Final = re.compile(r'[^\x00-\x1f\x7f"\\]+')
"""What a quoted name can hold that every reader unquotes alike (RFC 7578, section 2)."""


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    text: str
    media: str | None = None
    """None for plain text, which a part is without saying so."""


def write_body(body: frozen.Body, value: Any) -> tuple[bytes, str]:
    """Return the bytes of a body and its `Content-Type`; raise `Rejected`."""
    match body.kind:
        case "json":
            return canonical_bytes(value), body.media
        case "text":
            return _text(body.media, value)
        case "form":
            return _form(body, value), body.media
        case "multipart":
            return _multipart(body, value)


def _text(media: str, value: Any) -> tuple[bytes, str]:
    is_said = not media.startswith("text/") or "charset" in media.lower()
    return scalar_text(value, "").encode(), media if is_said else f"{media}; charset=utf-8"


def _form(body: frozen.Body, value: Any) -> bytes:
    pairs: list[Pair] = []
    for name, item in _properties(value):
        encoding = body.encodings.get(name)
        if encoding is not None and encoding.media is None:
            writer = Writer(reserved=encoding.allow_reserved)
            pairs.extend(_styled(writer, name, item, encoding))
        else:
            pairs.extend((percent(p.name), percent(p.text)) for p in _parts(name, item, encoding))
    return write_pairs(pairs, form=True).encode("ascii")


def _styled(writer: Writer, name: str, value: Any, encoding: frozen.Encoding) -> Iterator[Pair]:
    return writer.pairs(
        name, value, encoding.style, explode=encoding.explode, pointer=pointer_of(name)
    )


def _properties(value: Any) -> Iterator[tuple[str, Any]]:
    if not is_object(value):
        raise Rejected("", "a form body must be an object")
    for name in sorted(value):
        yield name, value[name]


def _parts(name: str, value: Any, encoding: frozen.Encoding | None) -> Iterator[_Part]:
    """Yield the parts of a property without a style: one an element, scalars as text, maps as JSON."""
    pointer = pointer_of(name)
    media = None if encoding is None else encoding.media
    if not is_list(value):
        yield _part(name, value, media, pointer)
        return
    joined((str(index) for index in range(len(value))), "\0", pointer)
    for index, item in enumerate(value):
        yield _part(name, item, media, f"{pointer}/{index}")


def _part(name: str, value: Any, media: str | None, pointer: str) -> _Part:
    if media is None and (is_list(value) or is_object(value)):
        media = _JSON
    if media is None:
        return _Part(name, scalar_text(value, pointer))
    return _Part(name, document_text(value, media, pointer), media)


def _multipart(body: frozen.Body, value: Any) -> tuple[bytes, str]:
    parts: list[_Part] = []
    for name, item in _properties(value):
        encoding = body.encodings.get(name)
        if encoding is not None and encoding.media is None:
            parts.extend(_Part(key, text) for key, text in _styled(RAW, name, item, encoding))
        else:
            parts.extend(_parts(name, item, encoding))
    written = [_written(part) for part in parts]
    boundary = _boundary(written)
    content = b"".join(b"--%s\r\n%s\r\n" % (boundary, part) for part in written)
    kind = body.media.partition(";")[0].strip()
    return content + b"--%s--\r\n" % boundary, f"{kind}; boundary={boundary.decode('ascii')}"


def _written(part: _Part) -> bytes:
    if not _NAME.fullmatch(part.name):
        raise Rejected(
            "", "a field's name must not hold a quote, a backslash or a control character"
        )
    lines = [f'Content-Disposition: form-data; name="{part.name}"']
    if part.media is not None:
        lines.append(f"Content-Type: {part.media}")
    return "\r\n".join([*lines, "", part.text]).encode()


def _boundary(parts: Iterable[bytes]) -> bytes:
    """Return a boundary that is in none of the parts, and always the same for the same parts."""
    content = b"\0".join(parts)
    seed = hashlib.sha256(content).hexdigest()
    while seed.encode("ascii") in content:
        seed = hashlib.sha256(seed.encode("ascii")).hexdigest()
    return seed.encode("ascii")


def add_part(content: bytes, content_type: str, name: str, text: str) -> bytes | None:
    """Return a multipart body with one more part, or None if the text holds the boundary."""
    boundary = content_type.rpartition("boundary=")[2].encode("ascii")
    part = _written(_Part(name, text))
    if boundary in part:
        return None
    end = b"--%s--\r\n" % boundary
    return content.removesuffix(end) + b"--%s\r\n%s\r\n" % (boundary, part) + end
