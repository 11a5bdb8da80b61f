"""What a described schema says of a value's form on the wire: its types, members and elements, and what a text may be.

Written from the specifications, and apart from the code that it checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

__all__ = ["DecodeError", "Either", "Follow", "Schemas", "same"]

Follow = Callable[[Any], Any]
"""From a schema that may be a reference to the schema itself."""

_ALL: Final = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


class DecodeError(Exception):
    """The request cannot be read as the description says."""


class Either:
    """What a text may be where the description allows several types: `5` and `"5"`, `x` and `["x"]`."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __repr__(self) -> str:
        return f"Either{self.values!r}"


def same(sent: Any, read: Any) -> bool:
    """Say whether what was read is what was sent; numbers by value, and true is not 1."""
    if isinstance(read, Either):
        return any(same(sent, value) for value in read.values)
    if isinstance(sent, Mapping) and isinstance(read, Mapping):
        return sent.keys() == read.keys() and all(same(sent[name], read[name]) for name in sent)
    if isinstance(sent, list | tuple) and isinstance(read, list | tuple):
        return len(sent) == len(read) and all(map(same, sent, read))
    return isinstance(sent, bool) == isinstance(read, bool) and bool(sent == read)


class Schemas:
    """Asks a description's schemas, references followed."""

    def __init__(self, follow: Follow = lambda schema: schema) -> None:
        self._follow = follow

    def types(self, schema: Any, depth: int = 0) -> frozenset[str]:
        """Return the types that a value may have; all of them where nothing is said."""
        schema = self._follow(schema)
        if not isinstance(schema, Mapping) or depth > 20:
            return _ALL
        found = _ALL
        said = schema.get("type")
        if said == "file":
            found = frozenset({"string"})
        elif said is not None:
            found = frozenset([said] if isinstance(said, str) else said)
            found |= {"integer"} if "number" in found else frozenset()
        for word in ("anyOf", "oneOf"):
            if schema.get(word):
                found &= frozenset().union(*(self.types(s, depth + 1) for s in schema[word]))
        for inner in schema.get("allOf", ()):
            found &= self.types(inner, depth + 1)
        if said is None and found == _ALL:
            found = _of_keywords(schema)
        return found | ({"null"} if schema.get("nullable") is True else frozenset())

    def elements(self, schema: Any) -> Any:
        """Return the schema of a list's elements."""
        return _any_of([s["items"] for s in self._parts(schema) if "items" in s])

    def member(self, schema: Any, name: str) -> Any:
        """Return the schema of a member of an object."""
        described = [part.get("properties", {}) for part in self._parts(schema)]
        found = [members[name] for members in described if name in members]
        if not found:
            maps = [s.get("additionalProperties") for s in self._parts(schema)]
            found = [s for s in maps if isinstance(s, Mapping)]
        return _any_of(found)

    def members(self, schema: Any) -> frozenset[str]:
        """Return the names of the described members."""
        return frozenset(n for part in self._parts(schema) for n in part.get("properties", {}))

    def has_more(self, schema: Any) -> bool:
        """Say whether members that are not described may be there."""
        parts = [s for s in self._parts(schema) if "additionalProperties" in s]
        described = any(s["additionalProperties"] is not False for s in parts)
        return described or (not parts and not self.members(schema))

    def _parts(self, schema: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
        schema = self._follow(schema)
        if not isinstance(schema, Mapping) or depth > 20:
            return
        yield schema
        for word in ("allOf", "anyOf", "oneOf"):
            for inner in schema.get(word, ()):
                yield from self._parts(inner, depth + 1)

    def scalar(self, text: str, schema: Any) -> Any:
        """Return what a text is; `Either` where it may be several things."""
        types = self.types(schema)
        found: list[Any] = []
        if "boolean" in types and text in ("true", "false"):
            found.append(text == "true")
        if types & {"integer", "number"} and _NUMBER.fullmatch(text):
            found.append(json.loads(text))
        if "string" in types or not found:
            found.append(text)
        return found[0] if len(found) == 1 else Either(*found)


def _any_of(found: list[Any]) -> Any:
    return {} if not found else found[0] if len(found) == 1 else {"anyOf": found}


def _of_keywords(schema: Mapping[str, Any]) -> frozenset[str]:
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return frozenset(_type_of(value) for value in values)
    if "properties" in schema:
        return frozenset({"object"})
    return frozenset({"array"}) if "items" in schema else _ALL


def _type_of(value: Any) -> str:
    for kind, name in (
        (bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object"),
    ):  # fmt: skip
        if isinstance(value, kind):
            return name
    return "null"
