"""Reads one value off the wire by its style: OpenAPI's style tables, RFC 6570, and Swagger's collection formats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

from .described import Either, Schemas

__all__ = ["ABSENT", "OF_2", "Reader", "document", "plain"]

ABSENT: Final = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()
"""The request has no body, or a parameter is not in it."""

_SEPARATORS: Final = {
    "spaceDelimited": (" ", "%20"), "pipeDelimited": ("|", "%7C"), "tabDelimited": ("\t", "%09"),
}  # fmt: skip
OF_2: Final = {
    "ssv": ("spaceDelimited", False), "tsv": ("tabDelimited", False), "pipes": ("pipeDelimited", False),
    "multi": ("form", True), "csv": ("", False),
}  # fmt: skip


class Reader:
    """Reads one parameter or form property by its style."""

    def __init__(
        self, schemas: Schemas, said: Mapping[str, Any], others: frozenset[str] | set[str]
    ) -> None:
        self._schemas, self._others = schemas, others
        self.name = said["name"]
        self.schema = said.get("schema", said if "in" in said and "content" not in said else {})
        self.media = next(iter(said.get("content", ())), None)
        place = said.get("in", "query")
        default = "form" if place in ("query", "cookie") else "simple"
        if "collectionFormat" in said or ("type" in said and "schema" not in said):
            style, self.explode = OF_2[said.get("collectionFormat", "csv")]
            self.style = style or default
        else:
            self.style = said.get("style", default)
            self.explode = said.get("explode", self.style in ("form", "cookie"))
        self.types = schemas.types(self.schema)
        self.decoded: Callable[[str], str] = unquote

    def raw(self) -> Reader:
        """Read what is not percent-encoded: the parts of multipart/form-data, and cookies of that style."""
        self.decoded = str
        return self

    def of_path(self, text: str) -> Any:
        """Return the value of a part of the path."""
        if self.media is not None:
            return self._document(text)
        if self.style == "label":
            return self._of_text(text.removeprefix("."), "." if self.explode else ",", is_path=True)
        if self.style == "matrix":
            return self._of_matrix(text)
        return self._of_text(text, _SEPARATORS.get(self.style, ("", ","))[1], is_path=True)

    def _of_matrix(self, text: str) -> Any:
        pieces = [one.partition("=") for one in text.removeprefix(";").split(";")]
        if self.explode and "object" in self.types:
            return self._object([(name, value) for name, _, value in pieces])
        if self.explode and "array" in self.types:
            return self._array([value for _, _, value in pieces])
        return self._of_text(pieces[0][2], ",", is_path=False)

    def of_header(self, text: str) -> Any:
        """Return the value of a header."""
        self.decoded = str
        if self.media is not None:
            return self._document(text)
        return self._of_text(text, _SEPARATORS.get(self.style, (",",))[0], is_path=True)

    def of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """Return the value in a query, a cookie header or the fields of a form, or `ABSENT`."""
        if self.style == "cookie":
            self.decoded = str
        named = [(self.decoded(name), text) for name, text in pairs]
        own = [text for name, text in named if name == self.name]
        if self.media is not None:
            return self._document(own[0]) if own else ABSENT
        if self.style == "deepObject":
            return self._deep(named)
        if self.explode and "object" in self.types and not own:
            return self._exploded(named)
        if not own:
            return ABSENT
        if self.explode and "array" in self.types:
            whole = self._array(own)
            is_one = len(own) == 1 and self.types & {"string", "integer", "number", "boolean"}
            return Either(whole, self._scalar(own[0])) if is_one else whole
        separators = _SEPARATORS.get(self.style, (",", ","))
        return self._of_text(own[0], separators[self.decoded is unquote], is_path=False)

    def _exploded(self, named: list[tuple[str, str]]) -> Any:
        known = self._schemas.members(self.schema)
        more = self._schemas.has_more(self.schema)
        mine = [(n, t) for n, t in named if n in known or (more and n not in self._others)]
        return {n: self._member(n, text) for n, text in mine} if mine else ABSENT

    def _of_text(self, text: str, separator: str, *, is_path: bool) -> Any:
        if "array" in self.types:
            whole = self._array(text.split(separator))
            is_several = self.types & {"string", "integer", "number", "boolean"}
            return Either(whole, self._scalar(text)) if is_several else whole
        if self.types <= {"object", "null"}:
            pieces = text.split(separator)
            if is_path and self.explode:
                return self._object([tuple(p.partition("=")[::2]) for p in pieces])
            return self._object(list(zip(pieces[::2], pieces[1::2], strict=True)))
        return self._scalar(text)

    def _scalar(self, text: str) -> Any:
        return self._schemas.scalar(self.decoded(text), self.schema)

    def _array(self, texts: list[str]) -> list[Any]:
        inner = self._schemas.elements(self.schema)
        return [self._schemas.scalar(self.decoded(text), inner) for text in texts]

    def _object(self, pairs: Sequence[tuple[str, ...]]) -> dict[str, Any]:
        return {self.decoded(name): self._member(self.decoded(name), text) for name, text in pairs}

    def _member(self, name: str, text: str) -> Any:
        return self._schemas.scalar(self.decoded(text), self._schemas.member(self.schema, name))

    def _document(self, text: str) -> Any:
        return document(self._schemas, self.media or "", self.decoded(text), {})

    def _deep(self, named: list[tuple[str, str]]) -> Any:
        tree: Any = ABSENT
        for name, text in named:
            keys = re.findall(r"\[([^\[\]]*)\]", name.removeprefix(self.name))
            if name != self.name + "".join(f"[{key}]" for key in keys):
                continue
            tree = _put(tree, keys, self.decoded(text))
        return tree if tree is ABSENT else self._shaped(tree, self.schema)

    def _shaped(self, tree: Any, schema: Any) -> Any:
        if not isinstance(tree, dict):
            return self._schemas.scalar(tree, schema)
        may_be_list = "array" in self._schemas.types(schema)
        if may_be_list and list(tree) == [str(i) for i in range(len(tree))]:
            inner = self._schemas.elements(schema)
            return [self._shaped(item, inner) for item in tree.values()]
        return {n: self._shaped(item, self._schemas.member(schema, n)) for n, item in tree.items()}


def _put(tree: Any, keys: list[str], text: str) -> Any:
    if not keys:
        return text
    inside = tree if isinstance(tree, dict) else {}
    inside[keys[0]] = _put(inside.get(keys[0], ABSENT), keys[1:], text)
    return inside


def plain(media: str) -> str:
    """Return a media type in lower case and without its parameters."""
    return media.partition(";")[0].strip().lower()


def document(schemas: Schemas, media: str, text: str, schema: Any) -> Any:
    """Return what a text of a media type holds: JSON, or a scalar."""
    kind = plain(media)
    if "json" in kind or kind in ("*/*", "application/*"):
        return json.loads(text)
    return schemas.scalar(text, schema)
