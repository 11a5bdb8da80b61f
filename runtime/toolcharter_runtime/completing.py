"""What follows from a valid value and its schema: defaults filled in (P3, C3), and instants in UTC (C2).

A value is walked beside its schema: through references, members of `allOf`, maps and tuples, and in a union along the branch
that the value took. What a branch says is compiled once a contract.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from toolcharter_runtime.jsonvalue import is_list, is_map, is_object
from toolcharter_runtime.schemas import FORMATS, compile_part, compile_schema

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["Walk", "in_utc"]

_LONGEST_CHAIN: Final = 32


@dataclass(frozen=True, slots=True)
class _Place:
    pointer: str
    schema: Mapping[str, Any]

    def below(self, *tokens: str | int) -> Iterator[_Place]:
        """The schema that stands there, if an object stands there."""
        pointer, inner = self.pointer, self.schema
        found: Any = inner
        for token in tokens:
            found = found[token]
            pointer += "/" + str(token).replace("~", "~0").replace("/", "~1")
        if is_map(found):
            yield _Place(pointer, found)


@dataclass
class Walk:
    """A schema, and what was compiled of its branches so far."""

    schema: Mapping[str, Any]
    _compiled: dict[str, Draft202012Validator] = field(
        default_factory=dict[str, "Draft202012Validator"]
    )

    @cached_property
    def has_defaults(self) -> bool:
        """Whether anything could be filled in."""
        return "'default'" in str(self.schema)

    def complete(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the valid value with defaults filled in, those of `allOf` apart: they are another schema's."""
        if not self.has_defaults:
            return dict(value)
        completed: dict[str, Any] = self._complete(value, [_Place("", self.schema)])
        return completed if self._holds(_Place("", self.schema), completed) else dict(value)

    def normalize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the valid value with every instant that the schema knows in UTC, if it is valid so."""
        normal: dict[str, Any] = self._normalize(value, [_Place("", self.schema)])
        return normal if normal == value or self._holds(_Place("", self.schema), normal) else value

    def _complete(self, value: Any, places: Iterable[_Place]) -> Any:
        known = [one for place in places for one in self._taken(place, value)]
        if is_list(value):
            return [self._complete(item, _inside(known, i)) for i, item in enumerate(value)]
        if not is_object(value):
            return value
        completed = {k: self._complete(item, _inside(known, k)) for k, item in value.items()}
        for place in known:
            for name in place.schema.get("properties", ()):
                if name in completed:
                    continue
                for inner in place.below("properties", name):
                    behind = (one.schema for one in self._referred(inner))
                    found = [one["default"] for one in behind if "default" in one]
                    if found:
                        completed[name] = copy.deepcopy(found[0])
        return completed

    def _normalize(self, value: Any, places: Iterable[_Place]) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        known = [one for place in places for one in self._all(place)]
        if is_list(value):
            return [self._normalize(item, _inside(known, i)) for i, item in enumerate(value)]
        if is_object(value):
            return {k: self._normalize(item, _inside(known, k)) for k, item in value.items()}
        text = str(value)
        typed = any(place.schema.get("format") == "date-time" for place in known)
        return in_utc(text) if typed and FORMATS["date-time"](text) else value

    def _referred(self, place: _Place) -> Iterator[_Place]:
        """The place and what it refers to, one after the other."""
        for _ in range(_LONGEST_CHAIN):
            yield place
            reference = place.schema.get("$ref")
            found = self._found(reference) if isinstance(reference, str) else None
            if found is None:
                return
            place = found

    def _found(self, reference: str) -> _Place | None:
        if not reference.startswith("#"):
            return None
        node: Any = self.schema
        for token in reference.split("/")[1:]:
            name = unquote(token).replace("~1", "/").replace("~0", "~")
            if is_map(node) and name in node:
                node = node[name]
            elif is_list(node) and name.isdigit() and int(name) < len(node):
                node = node[int(name)]
            else:
                return None
        return _Place(unquote(reference[1:]), node) if is_map(node) else None

    def _taken(self, start: _Place, value: Any) -> Iterator[_Place]:
        """All that speaks of a valid value in the place: of a union the branch that it took."""
        for place in self._referred(start):
            yield place
            for word in ("oneOf", "anyOf"):
                branches = _members(place, word)
                chosen = next((one for one in branches if self._holds(one, value)), None)
                if chosen is not None:
                    yield from self._taken(chosen, value)

    def _all(self, start: _Place, depth: int = 0) -> Iterator[_Place]:
        """All that may speak of a value in the place."""
        if depth > _LONGEST_CHAIN:
            return
        for place in self._referred(start):
            yield place
            for word in ("allOf", "oneOf", "anyOf"):
                for one in _members(place, word):
                    yield from self._all(one, depth + 1)
            for word in ("then", "else"):
                if word in place.schema:
                    for one in place.below(word):
                        yield from self._all(one, depth + 1)

    def _holds(self, place: _Place, value: Any) -> bool:
        validator = self._compiled.get(place.pointer)
        if validator is None:
            validator = compile_part(self.schema, place.pointer)
            self._compiled[place.pointer] = validator
        return bool(validator.is_valid(value))


def _members(place: _Place, word: str) -> list[_Place]:
    listed = place.schema.get(word)
    count = len(listed) if is_list(listed) else 0
    return [one for index in range(count) for one in place.below(word, index)]


def _inside(places: Iterable[_Place], key: str | int) -> list[_Place]:
    """The schemas of an element or of a field."""
    return [
        one for place in places for one in (_field(place, key) if isinstance(key, str) else _element(place, key))
    ]  # fmt: skip


def _element(place: _Place, index: int) -> Iterator[_Place]:
    first = place.schema.get("prefixItems", ())
    if index < len(first):
        yield from place.below("prefixItems", index)
    elif "items" in place.schema:
        yield from place.below("items")


def _field(place: _Place, name: str) -> Iterator[_Place]:
    is_listed = name in place.schema.get("properties", ())
    if is_listed:
        yield from place.below("properties", name)
    patterns = [one for one in place.schema.get("patternProperties", ()) if _matches(one, name)]
    for pattern in patterns:
        yield from place.below("patternProperties", pattern)
    if not is_listed and not patterns and "additionalProperties" in place.schema:
        yield from place.below("additionalProperties")


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Draft202012Validator:
    return compile_schema({"pattern": pattern})


def _matches(pattern: str, name: str) -> bool:
    return bool(_matcher(pattern).is_valid(name))


def in_utc(value: str) -> str:
    """Return a date-time in UTC, without a fraction of zero or trailing zeros, so that equal instants are equal."""
    whole, fraction = value[:19].upper(), ""
    rest = value[19:].upper()
    if rest.startswith("."):
        digits = rest[1:].rstrip("Z").partition("+")[0].partition("-")[0]
        rest = rest[1 + len(digits) :]
        fraction = digits.rstrip("0")
    instant = datetime.fromisoformat(whole + rest.replace("Z", "+00:00")).astimezone(UTC)
    text = instant.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    return f"{text}.{fraction}Z" if fraction else f"{text}Z"
