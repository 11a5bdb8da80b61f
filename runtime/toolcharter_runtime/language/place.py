"""Places: where something stands in an HTTP message (docs/charter.md).

`path.NAME`, `query.NAME`, `header.NAME`, `cookie.NAME`, `/json/pointer` into the body, `body` or the empty text (all of it), `http`
(an answer's status). A pointer may follow a parameter: `query.created/gte`. The segment `*` is every element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from toolcharter_runtime.jsonvalue import Json, is_list, is_map
from toolcharter_runtime.language.errors import LanguageError
from toolcharter_runtime.language.nothing import ABSENT

__all__ = [
    "Every",
    "Json",
    "Place",
    "parse_place",
    "pointer_of",
    "read_pointer",
    "tokens_of",
]


_INDEX: Final = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_BAD_TILDE: Final = re.compile(r"~(?![01])")
_PREFIXES: Final[tuple[Literal["path", "query", "header", "cookie"], ...]] = (
    "path",
    "query",
    "header",
    "cookie",
)


class Every(list[Any]):
    """The values at a pointer with `*`; a condition on it must hold for each of them.

    `missing` is the number of elements that have nothing at the rest of the pointer.
    """

    missing: int

    def __init__(self, values: list[Any], missing: int) -> None:
        super().__init__(values)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Place:
    """A parsed place. `name` is empty for `body` and `http`; `pointer` is RFC 6901, empty for all of it."""

    location: Literal["path", "query", "header", "cookie", "body", "http"]
    name: str
    pointer: str

    def __str__(self) -> str:
        """Return the place as a charter writes it."""
        if self.location == "http":
            return "http"
        if self.location == "body":
            return self.pointer or "body"
        escaped = self.name.replace("~", "~0").replace("/", "~1")
        return f"{self.location}.{escaped}{self.pointer}"


@lru_cache(maxsize=4096)
def parse_place(text: str) -> Place:
    """Read a place such as `query.created/gte`, `/data/0/id`, `body` or `http`; raise `LanguageError`."""
    if text == "http":
        return Place("http", "", "")
    if text in ("", "body"):
        return Place("body", "", "")
    if text.startswith("/"):
        tokens_of(text)
        return Place("body", "", text)
    for location in _PREFIXES:
        if text.startswith(f"{location}."):
            rest = text[len(location) + 1 :]
            name, slash, pointer = rest.partition("/")
            if not name or not name.isprintable() or name != name.strip():
                raise LanguageError(f"the place `{text}` names no {location} parameter")
            tokens_of(slash + pointer)
            return Place(location, _unescape(name, text), slash + pointer)
    raise LanguageError(
        f"`{text}` is not a place: write path.NAME, query.NAME, header.NAME, cookie.NAME, /pointer, body or http"
    )


@lru_cache(maxsize=4096)
def tokens_of(pointer: str) -> tuple[str, ...]:
    """Split a JSON Pointer (RFC 6901) into its unescaped tokens; raise `LanguageError`."""
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise LanguageError(f"the pointer `{pointer}` must be empty or start with a slash")
    return tuple(_unescape(token, pointer) for token in pointer[1:].split("/"))


def pointer_of(*tokens: str | int) -> str:
    """Join tokens into a JSON Pointer, escaping `~` and `/`."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def read_pointer(value: Json, pointer: str) -> Any:
    """Return what stands at the pointer, `ABSENT`, or (for a pointer with `*`) an `Every`, a list."""
    return _read(value, tokens_of(pointer))


def _read(value: Any, tokens: tuple[str, ...]) -> Any:
    for position, step in enumerate(tokens):
        if step == "*" and not (is_map(value) and "*" in value):
            return _read_every(value, tokens[position + 1 :])
        if is_map(value):
            if step not in value:
                return ABSENT
            value = value[step]
        elif is_list(value):
            if len(step) > 9 or not _INDEX.fullmatch(step) or int(step) >= len(value):
                return ABSENT
            value = value[int(step)]
        else:
            return ABSENT
    return value


def _read_every(value: Any, rest: tuple[str, ...]) -> Any:
    if not is_list(value):
        return ABSENT
    found: list[Any] = []
    missing = 0
    for item in value:
        inner = _read(item, rest)
        if isinstance(inner, Every):
            found.extend(inner)
            missing += inner.missing
        elif inner is ABSENT:
            missing += 1
        else:
            found.append(inner)
    return Every(found, missing)


def _unescape(token: str, whole: str) -> str:
    if "~" not in token:
        return token
    if _BAD_TILDE.search(token):
        raise LanguageError(f"`{whole}` has a `~` that is neither `~0` nor `~1` (RFC 6901)")
    return token.replace("~1", "/").replace("~0", "~")
