"""The request's path: built segment by segment, so that no value can leave its own (X1).

Percent-encoding alone does not hold `..` in its segment: clients collapse it, and a proxy that decodes twice sees what
was encoded once. So a value is refused by what it can become, and the built path is compared with the template.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from toolcharter_runtime.language import LanguageError, pointer_of
from toolcharter_runtime.strict import Rejected

__all__ = ["PathTemplate", "PathValue", "check_segment", "parse_path"]

_PARAMETER: Final = re.compile(r"\{([^{}/]+)\}")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DECODINGS: Final = 8
_SEGMENT_SAFE: Final = "!$&'()*+,;=:@-._~"


@dataclass(frozen=True, slots=True)
class PathValue:
    """One path parameter, rendered: its pieces, and the encoded text that stands before each of them."""

    pieces: tuple[str, ...]
    pointer: str
    """Where it came from: a pointer into the arguments, empty for what the boundary supplies."""
    multi_segment: bool = False
    marks: tuple[str, ...] = ("",)
    """One for each piece; the one mark of no piece is all there is (`;name`)."""


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A path template, cut into segments of literals and parameter names."""

    text: str
    segments: tuple[tuple[tuple[bool, str], ...], ...]
    """Per segment its parts: (is a parameter, its name) or (not, the encoded literal)."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in order."""
        return tuple(text for segment in self.segments for named, text in segment if named)

    def build(self, values: Mapping[str, PathValue]) -> str:
        """Return the encoded path; raise `Rejected` where a value is missing or could leave its segment."""
        built = "".join("/" + self._segment(parts, values) for parts in self.segments)
        self._check(built, values)
        return built

    def _segment(self, parts: tuple[tuple[bool, str], ...], values: Mapping[str, PathValue]) -> str:
        texts: list[str] = []
        for named, text in parts:
            if not named:
                texts.append(text)
                continue
            value = values.get(text)
            if value is None:
                raise Rejected(pointer_of(text), "has no value, and the path needs one")
            texts.append(_encode(value))
        return "".join(texts)

    def _check(self, built: str, values: Mapping[str, PathValue]) -> None:
        """Compare the built path with the template, segment by segment, as the server may read it."""
        segments = built.split("/")[1:]
        several = any(value.multi_segment for value in values.values())
        if len(segments) != len(self.segments) and not several:
            raise Rejected("", "the built path does not match the operation's path")
        if not self.segments[-1]:
            segments.pop()  # the template ends with a slash, and so does what was built
        for segment in segments:
            if not segment or _becomes_dots(segment) or "?" in segment or "#" in segment:
                raise Rejected("", "the built path does not match the operation's path")


@lru_cache(maxsize=1024)
def parse_path(text: str) -> PathTemplate:
    """Cut a path template such as `/customers/{customer_id}`; raise `LanguageError` for what no request can have."""
    if not text.startswith("/") or "?" in text or "#" in text or "\\" in text:
        raise LanguageError(f"`{text}` is not a path: it starts with a slash and has no query")
    segments: list[tuple[tuple[bool, str], ...]] = []
    for segment in text[1:].split("/"):
        parts: list[tuple[bool, str]] = []
        for index, part in enumerate(_PARAMETER.split(segment)):
            if index % 2:
                parts.append((True, part))
            elif part:
                parts.append((False, quote(unquote(part), safe=_SEGMENT_SAFE)))
        if not parts and text != "/" and not text.endswith("/"):
            raise LanguageError(f"`{text}` has an empty segment")
        segments.append(tuple(parts))
    return PathTemplate(text, tuple(segments))


def check_segment(text: str, pointer: str) -> None:
    """Refuse a text that is, or decodes to, an empty or dotted segment, a slash, a backslash or a control character."""
    current = text
    for _ in range(_DECODINGS):
        if not current:
            raise Rejected(pointer, "must not be empty in a path")
        if "/" in current or "\\" in current:
            raise Rejected(pointer, "must not hold a slash or a backslash, encoded or not")
        if _CONTROL.search(current):
            raise Rejected(pointer, "must not hold a control character, encoded or not")
        if current.partition(";")[0] in (".", ".."):
            raise Rejected(pointer, "must not be a dot segment, encoded or not")
        decoded = unquote(current)
        if decoded == current:
            return
        current = decoded
    raise Rejected(pointer, "is percent-encoded too many times")


def _encode(value: PathValue) -> str:
    if not value.pieces:
        return "".join(value.marks)
    encoded: list[str] = []
    for mark, piece in zip(value.marks, value.pieces, strict=True):
        segments = piece.split("/") if value.multi_segment else [piece]
        for segment in segments:
            check_segment(segment, value.pointer)
        encoded.append(mark + "/".join(quote(segment, safe="") for segment in segments))
    return "".join(encoded)


def _becomes_dots(segment: str) -> bool:
    for _ in range(_DECODINGS):
        if segment.partition(";")[0] in (".", ".."):
            return True
        decoded = unquote(segment)
        if decoded == segment:
            return False
        segment = decoded
    return True
