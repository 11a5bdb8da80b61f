"""Media types of requests and answers: which of them can be written, and how."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = [
    "BodyKind",
    "body_kind",
    "concrete",
    "document_media",
    "is_binary",
    "is_foreign",
    "is_json",
    "is_text",
    "plain",
]

BodyKind: TypeAlias = Literal["json", "form", "multipart", "text"]

_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_TEXTUAL: Final = frozenset(
    {
        "application/jsonl",
        "application/sdp",
        "application/x-ndjson",
        "application/x-yaml",
        "application/yaml",
    }
)
_BINARY: Final = frozenset(
    {"application/gzip", "application/octet-stream", "application/pdf", "application/zip"}
)
_RANGES: Final = {"*/*": "application/json", "application/*": "application/json"}
"""What a range of media types is sent as: JSON is what a contract's values are."""


def plain(media: str) -> str:
    """Return a media type in lower case and without its parameters."""
    return media.partition(";")[0].strip().lower()


def concrete(media: str) -> str:
    """Return the media type that is sent for one that may be a range."""
    return "text/plain" if plain(media) == "text/*" else _RANGES.get(plain(media), media)


def is_json(media: str) -> bool:
    """Say whether a media type is JSON: `+json` types, and ranges that JSON is in."""
    name = plain(concrete(media))
    return name in ("application/json", "text/json") or name.endswith("+json")


def is_binary(media: str) -> bool:
    """Say whether a media type is bytes, which no tool takes."""
    name = plain(media)
    return name in _BINARY or name.partition("/")[0] in ("image", "audio", "video", "font")


def is_text(media: str) -> bool:
    """Say whether an answer of a media type is one text, such as `text/plain`; a stream of events is none."""
    return body_kind(media) == "text" and plain(media) != "text/event-stream"


def is_foreign(media: str) -> bool:
    """Say whether no view can read an answer of a media type."""
    return not is_json(media) and not is_text(media)


def body_kind(media: str) -> BodyKind | None:
    """Return how a body of a media type is written; None for XML, bytes and what is not known."""
    name = plain(concrete(media))
    if is_json(media):
        return "json"
    if name == _FORM:
        return "form"
    if name == _MULTIPART:
        return "multipart"
    is_text = name.startswith("text/") and name != "text/xml" and not name.endswith("+xml")
    return "text" if is_text or name in _TEXTUAL else None


def document_media(media: str) -> str | None:
    """Return the media type of a value that is a document of its own: JSON, plain text, or None for any other."""
    if is_json(media):
        return concrete(media)
    return media if plain(media) == "text/plain" else None
