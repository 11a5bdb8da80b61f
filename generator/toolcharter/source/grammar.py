"""Which parts of a raw description hold which others: enough to copy a slice of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from .normalize.keywords import LISTS, MAPS, SINGLES
from .versions import METHODS

__all__ = ["GRAMMAR", "HOMES", "Kind", "Part", "Shape"]

Kind: TypeAlias = Literal[
    "pathItem",
    "operation",
    "parameter",
    "header",
    "requestBody",
    "media",
    "encoding",
    "response",
    "schema",
]
Shape: TypeAlias = Literal["one", "list", "map"]


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of object: its members that hold objects of a kind, and those that a slice leaves out."""

    members: dict[str, tuple[Shape, Kind]] = field(default_factory=dict[str, tuple[Shape, Kind]])
    left_out: frozenset[str] = frozenset()
    keeps_extensions: bool = True
    """Whether `x-` members are copied. Only in schemas do any of them say what a value may be."""


_EXAMPLES: Final = frozenset({"example", "examples"})
_CONTENT: Final[tuple[Shape, Kind]] = ("map", "media")
_HEADERS: Final[tuple[Shape, Kind]] = ("map", "header")
_VALUE: Final[dict[str, tuple[Shape, Kind]]] = {"schema": ("one", "schema"), "content": _CONTENT}
_ENCODINGS: Final[dict[str, tuple[Shape, Kind]]] = {
    "encoding": ("map", "encoding"),
    "prefixEncoding": ("list", "encoding"),
    "itemEncoding": ("one", "encoding"),
}

GRAMMAR: Final[dict[Kind, Part]] = {
    "pathItem": Part(
        {
            "parameters": ("list", "parameter"),
            **dict.fromkeys(METHODS["3.2"], ("one", "operation")),
            "additionalOperations": ("map", "operation"),
        },
        keeps_extensions=False,
    ),
    "operation": Part(
        {
            "parameters": ("list", "parameter"),
            "requestBody": ("one", "requestBody"),
            "responses": ("map", "response"),
        },
        left_out=frozenset({"callbacks"}),
        keeps_extensions=False,
    ),
    "parameter": Part(_VALUE, left_out=_EXAMPLES),
    "header": Part(_VALUE, left_out=_EXAMPLES),
    "requestBody": Part({"content": _CONTENT}, keeps_extensions=False),
    "media": Part(
        {
            "schema": ("one", "schema"),
            "itemSchema": ("one", "schema"),
            **_ENCODINGS,
        },
        left_out=_EXAMPLES,
        keeps_extensions=False,
    ),
    "encoding": Part({"headers": _HEADERS, **_ENCODINGS}, keeps_extensions=False),
    "response": Part(
        {"headers": _HEADERS, "content": _CONTENT, "schema": ("one", "schema")},
        left_out=frozenset({*_EXAMPLES, "links"}),
        keeps_extensions=False,
    ),
    "schema": Part(
        {
            **dict.fromkeys(MAPS, ("map", "schema")),
            **dict.fromkeys(LISTS, ("list", "schema")),
            **dict.fromkeys(SINGLES, ("one", "schema")),
        },
        left_out=frozenset({"$anchor", "$defs", "$dynamicAnchor", "$id", "$schema", "definitions"}),
    ),
}

_OPENAPI_3: Final[dict[Kind, tuple[str, ...]]] = {
    "schema": ("components", "schemas"),
    "parameter": ("components", "parameters"),
    "header": ("components", "headers"),
    "requestBody": ("components", "requestBodies"),
    "response": ("components", "responses"),
}
HOMES: Final[dict[str, dict[Kind, tuple[str, ...]]]] = {
    "2.0": {"schema": ("definitions",), "parameter": ("parameters",), "response": ("responses",)},
    "3.0": _OPENAPI_3,
    "3.1": _OPENAPI_3,
    "3.2": {**_OPENAPI_3, "media": ("components", "mediaTypes")},
}
"""Where a root document of each version keeps named parts of a kind; other kinds have no home and stand in place."""
