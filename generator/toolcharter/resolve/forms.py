"""How the properties of a form are written: encodings that are declared, and what has no form at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from toolcharter.source import EncodingSpec
from toolcharter_runtime.frozen import Encoding
from toolcharter_runtime.jsonvalue import is_map
from toolcharter_runtime.language import tokens_of

from .case import Case
from .entries import Entry
from .findings import UncarriedError
from .media import document_media, is_binary

__all__ = ["check_parts", "resolve_encodings"]


def resolve_encodings(case: Case, entries: Sequence[Entry]) -> dict[str, Encoding]:
    """Return the encodings of the properties that are sent; reports one that cannot be written."""
    if case.body is None or case.body.kind not in ("form", "multipart"):
        return {}
    used = {tokens_of(entry.place.pointer)[0]: entry for entry in entries if entry.place.pointer}
    whole = next((entry for entry in entries if not entry.place.pointer), None)
    declared = case.operation.bodies[case.body.media].encodings
    found: dict[str, Encoding] = {}
    for name, spec in declared.items():
        entry = used.get(name)
        if entry is None and whole is not None and _is_inside(whole, name):
            entry = whole
        if entry is None:
            continue
        problem = _problem(spec, is_multipart=case.body.kind == "multipart")
        if problem is not None:
            place = f"/{name}" if entry is whole else str(entry.place)
            message = f"`{place}` {problem}"
            case.findings.error("TC705", message, entry.pointer, "leave the place out")
        elif spec.styled:
            found[name] = Encoding(
                style=_style(spec.style), explode=spec.explode, allow_reserved=spec.allow_reserved
            )
        elif spec.media is not None:
            found[name] = Encoding(media=_media(spec.media))
    return found


def _is_inside(whole: Entry, name: str) -> bool:
    """Say whether a value that is the whole body may hold a property; one that is no plain object may hold any."""
    listed = whole.one.schema.get("properties") if whole.one is not None else None
    return name in listed if is_map(listed) else True


def _problem(spec: EncodingSpec, *, is_multipart: bool) -> str | None:
    if is_multipart and spec.headers:
        return f"is a part that must have the header {spec.headers[0]}"
    if not spec.styled and spec.media is not None and _media(spec.media) is None:
        return f"holds a document of {spec.media}, which cannot be written"
    return None


def _media(declared: str) -> str | None:
    """Of several media types (`contentType: "a, b"`) the first that can be written."""
    for one in declared.split(","):
        name = one.strip()
        if document_media(name) is not None:
            return document_media(name)
        if name.startswith(("text/", "application/sdp")) and "xml" not in name:
            return name
    return None


def _style(
    style: str,
) -> Literal["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"]:
    match style:
        case "spaceDelimited" | "pipeDelimited" | "tabDelimited" | "deepObject":
            return style
        case _:
            return "form"


def check_parts(case: Case) -> None:
    """Report the file that a multipart body must have: bytes are no tool's to send."""
    if case.body is None or case.body.kind != "multipart":
        return
    spec = case.operation.bodies[case.body.media]
    try:
        schema = case.api.reader.flat(spec.schema)
    except UncarriedError:
        return
    for name in schema.get("required", ()):
        step = case.api.reader.walk(spec.schema, (name,))
        encoding = spec.encodings.get(name)
        media = None if encoding is None else encoding.media
        if _is_file(case, step.schema, media):
            message = f"{case.operation.key} requires a file at `/{name}`, which no tool can send"
            case.findings.error("TC405", message, spec.origin, "choose another operation")


def _is_file(case: Case, schema: dict[str, Any] | None, media: str | None) -> bool:
    """Say whether a part is a file, or a list of files: lists inside lists have no form."""
    if schema is None:
        return False
    if media is not None and is_binary(media):
        return True
    try:
        flat = case.api.reader.flat(schema)
        items = flat.get("items")
        if flat.get("type") == "array" and is_map(items):
            flat = case.api.reader.flat(dict(items))
    except UncarriedError:
        return False
    held = flat.get("contentMediaType")
    is_bytes = isinstance(held, str) and is_binary(held) and "contentEncoding" not in flat
    return flat.get("format") == "binary" or is_bytes
