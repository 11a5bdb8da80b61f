"""Reading a body within a bound: what is compressed counts as it unfolds, so that a small bomb stays small (X5)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Protocol

from toolcharter_runtime.upstream.errors import NoAnswer

if TYPE_CHECKING:
    from httpx2 import Response

__all__ = ["receive"]

_FRAMING: Final = 65_536
"""Bytes that a compressed body may be longer on the wire than what it unfolds to."""


class Inflater(Protocol):
    """What `zlib.decompressobj` returns."""

    @property
    def eof(self) -> bool:
        """Whether the compressed stream has ended."""
        ...

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        """Return at most `max_length` bytes."""
        ...


async def receive(response: Response, headers: Mapping[str, str], maximum: int) -> bytes | None:
    """Return the decoded body, or None if it is larger than the bound; raise `NoAnswer` if it breaks off.

    `headers` are the response's, with names in lower case.
    """
    encoding, declared = headers.get("content-encoding", ""), headers.get("content-length", "")
    if not encoding and declared.isdigit() and len(declared) < 19 and int(declared) > maximum:
        return None
    if response.is_stream_consumed:  # a test's transport, which has the body at hand
        return response.content if len(response.content) <= maximum else None
    plain = encoding.strip().lower() in ("", "identity")
    inflate = None if plain else _inflater(encoding)
    pieces: list[bytes] = []
    size = arrived = 0
    async for chunk in response.aiter_raw():
        arrived += len(chunk)
        piece = chunk if inflate is None else _inflated(inflate, chunk, maximum - size + 1)
        size += len(piece)
        if size > maximum or arrived > maximum + _FRAMING:
            return None
        pieces.append(piece)
        if inflate is not None and inflate.eof:
            break  # what follows the end of the compressed stream is no part of the body
    if inflate is not None and pieces and not inflate.eof:
        raise NoAnswer("cut")
    return b"".join(pieces)


def _inflater(encoding: str) -> Inflater:
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        raise NoAnswer("cut")
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)


def _inflated(inflate: Inflater, chunk: bytes, room: int) -> bytes:
    try:
        return inflate.decompress(chunk, room)
    except zlib.error:
        raise NoAnswer("cut") from None
