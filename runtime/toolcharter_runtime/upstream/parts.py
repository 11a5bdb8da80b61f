"""The parts of a request while it is built: each parameter written where it goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcharter_runtime import frozen
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.parameters import ParameterPlan, path_value
from toolcharter_runtime.upstream.paths import PathValue
from toolcharter_runtime.upstream.styles import (
    Pair,
    Writer,
    cookie_pairs,
    document_text,
    header_document,
    header_text,
    percent,
)

__all__ = ["Parts", "extend"]


@dataclass(slots=True)
class Parts:
    """The parts of a request while it is built."""

    headers: list[tuple[str, str]]
    paths: dict[str, PathValue] = field(default_factory=dict[str, PathValue])
    pairs: list[Pair] = field(default_factory=list[Pair])
    cookies: list[Pair] = field(default_factory=list[Pair])

    def add(self, plan: ParameterPlan, value: Any) -> None:
        """Write one parameter where it goes."""
        item, origin = plan.parameter, plan.part.origin
        match item.location:
            case "path":
                self.paths[item.name] = path_value(item, value, origin)
            case "query":
                extend(self.pairs, list(_query_pairs(item, value, origin)), origin)
            case "header":
                self.headers.append((item.name, _header(item, value, origin)))
            case "cookie":
                extend(self.cookies, list(_cookies(item, value, origin)), origin)

    def close_cookies(self) -> None:
        """Write the one `Cookie` header that a request may have (RFC 6265)."""
        if self.cookies:
            text = "; ".join(f"{name}={value}" for name, value in self.cookies)
            self.headers.append(("Cookie", text))


def extend(pairs: list[Pair], more: list[Pair], origin: str) -> None:
    """Add a parameter's pairs; a name inside its value must not stand for another parameter."""
    known = {name for name, _ in pairs}
    if any(name in known for name, _ in more):
        raise Rejected(origin, "holds a name that is another parameter's")
    pairs.extend(more)


def _query_pairs(item: frozen.Parameter, value: Any, origin: str) -> Iterator[Pair]:
    if item.media is not None:
        yield percent(item.name), percent(document_text(value, item.media, origin))
        return
    style = "form" if item.style == "simple" else item.style
    writer = Writer(reserved=item.allow_reserved)
    yield from writer.pairs(item.name, value, style, explode=item.explode, pointer=origin)


def _header(item: frozen.Parameter, value: Any, origin: str) -> str:
    if item.media is not None:
        return header_document(value, item.media, origin)
    return header_text(value, item.style, explode=item.explode, pointer=origin)


def _cookies(item: frozen.Parameter, value: Any, origin: str) -> Iterator[Pair]:
    if item.media is not None:
        yield item.name, percent(document_text(value, item.media, origin))
        return
    style = "cookie" if item.style == "cookie" else "form"
    yield from cookie_pairs(item.name, value, style, explode=item.explode, pointer=origin)
