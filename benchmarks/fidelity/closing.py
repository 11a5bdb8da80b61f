"""The recorded closings and ceilings, applied mechanically to an original schema.

A contract takes no property that is not described, closes each branch of a union on its own, takes a branch by its
discriminator's tag, and bounds texts, lists and maps where nothing else does. A value that the original allows may be
refused for such a reason alone; `broken` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, Final

from .folder import Documents, Raw

__all__ = ["Closing", "has_null", "left_out"]

_WIDE: Final = 64
_DEEP: Final = 40
_OF_LISTS: Final = frozenset({"items"})
_OF_OBJECTS: Final = frozenset({"properties", "additionalProperties"})
_TYPED: Final = frozenset({"type", "enum", "const"})
Judge = Callable[[Raw, Any], bool]


class Closing:
    """Judges values against the closed form of schemas as they are written."""

    def __init__(self, documents: Documents, judge: Judge, ceilings: dict[str, int]) -> None:
        self._documents = documents
        self._judge = judge
        self._ceilings = ceilings

    def broken(self, schema: Raw, value: Any) -> str | None:
        """Return the kind of closing that a value breaks: `closing`, `ceiling` or `inexact`; None where it breaks none.

        `inexact` is a whole number that JSON's readers do not all read alike (RFC 8259, section 6), which no call takes.
        """
        if not self._fits(schema, value, 0):
            return "closing"
        if self._is_above(value):
            return "ceiling"
        return "inexact" if _is_inexact(value) else None

    def _is_above(self, value: Any) -> bool:
        if isinstance(value, str):
            return len(value) > self._ceilings["string"]
        if isinstance(value, list):
            return len(value) > self._ceilings["array"] or any(map(self._is_above, value))
        if isinstance(value, dict):
            above = len(value) > self._ceilings["array"] or any(map(self._is_above, value))
            return above or any(map(self._is_above, value.values()))
        return False

    def _fits(self, schema: Raw, value: Any, depth: int) -> bool:
        if depth > _DEEP:
            return True
        if not isinstance(value, dict | list):
            return any(
                _has_form(parts, frozenset()) for parts in self._alternatives(schema, value, 0)
            )
        return any(
            self._within(parts, value, depth) for parts in self._alternatives(schema, value, 0)
        )

    def _within(self, parts: list[Raw], value: Any, depth: int) -> bool:
        own = _OF_LISTS if isinstance(value, list) else _OF_OBJECTS
        if not _has_form(parts, own):
            return False
        if isinstance(value, list):
            items = [part.get("items") for part in parts if "items" in part.value]
            return all(self._fits(_all(items), one, depth + 1) for one in value)
        for name, item in value.items():
            found = [p.get("properties").get(name) for p in parts if name in _properties(p)]
            found = [f for f in found if f.value is not False and not self._is_read_only(f)]
            if not found and not any(name in _properties(p) for p in parts):
                found = [
                    part.get("additionalProperties")
                    for part in parts
                    if isinstance(part.value.get("additionalProperties"), dict)
                    and part.value["additionalProperties"]
                ]
                found += [inner for part in parts for inner in _of_patterns(part)]
            if not found or not self._fits(_all(found), item, depth + 1):
                return False
        return True

    def _is_read_only(self, schema: Raw) -> bool:
        try:
            found = self._documents.follow(schema)
        except (ValueError, KeyError):
            return False
        if not isinstance(found.value, dict):
            return False
        return found.value.get("readOnly") is True or any(
            map(self._is_read_only, found.elements("allOf"))
        )

    def _alternatives(self, schema: Raw, value: Any, depth: int) -> Iterator[list[Raw]]:
        """Yield sets of schemas without references and unions, each of which the value may be held to."""
        if not isinstance(schema.value, dict) or depth > 20:
            yield []
            return
        own: list[Raw] = [schema]
        choices: list[list[list[Raw]]] = []
        if isinstance(schema.value.get("$ref"), str):
            choices.append(
                list(self._alternatives(self._documents.target(schema), value, depth + 1))
            )
        for inner in schema.elements("allOf"):
            found = self._alternatives(inner, value, depth + 1)
            choices.append([*found])
        for word in ("oneOf", "anyOf"):
            members = schema.elements(word)
            if members:
                valid = [one for one in members if self._judge(one, value)]
                tagged = self._by_tag(schema, valid, value)
                options: list[list[Raw]] = []
                for one in tagged:
                    options.extend(self._alternatives(one, value, depth + 1))
                choices.append(options)
        for number, combined in enumerate(product(*choices)):
            if number >= _WIDE:
                return
            yield own + [part for parts in combined for part in parts]

    def _by_tag(self, schema: Raw, members: list[Raw], value: Any) -> list[Raw]:
        """Return the branches that the discriminator's tag leaves."""
        stated = schema.value.get("discriminator")
        if not isinstance(stated, dict) or not isinstance(value, dict):
            return members
        tag = value.get(stated.get("propertyName", ""))
        mapping: dict[str, str] = stated.get("mapping") or {}
        if not isinstance(tag, str):
            return members
        kept: list[Raw] = []
        for one in members:
            reference = str(one.value.get("$ref", ""))
            name = reference.rpartition("/")[2]
            tags = {
                t for t, to in mapping.items() if to == reference or to.rpartition("/")[2] == name
            }
            if tag in tags or (not tags and tag == name) or not reference:
                kept.append(one)
        return kept


def _has_form(parts: list[Raw], own: frozenset[str]) -> bool:
    """Say whether a value of a kind may stand there; `own` are the words of that kind.

    What has members but no type is an object to a contract, and what has items is a list.
    """
    words = {word for part in parts for word in part.value}
    return bool(words & (_TYPED | own)) or not words & (_OF_LISTS | _OF_OBJECTS)


def has_null(value: Any) -> bool:
    """Say whether null stands anywhere in a value."""
    if isinstance(value, dict):
        return any(map(has_null, value.values()))
    return any(map(has_null, value)) if isinstance(value, list) else value is None


def left_out(left: Mapping[tuple[str, ...], str], place: tuple[str, ...], value: Any) -> str | None:
    """Return why something of a value is not listed: `recursion`, `open` or `bytes`; None where all of it is."""
    if not left:
        return None
    if place in left:
        return left[place]
    steps: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        steps = [(key.replace("~", "~0").replace("/", "~1"), item) for key, item in value.items()]
    elif isinstance(value, list):
        steps = [("[]", item) for item in value]
    for step, item in steps:
        found = left_out(left, (*place, step), item)
        if found is None and isinstance(value, dict):
            found = left_out(left, (*place, "*"), item)
        if found is not None:
            return found
    return None


def _is_inexact(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_inexact, value.values()))
    if isinstance(value, list):
        return any(map(_is_inexact, value))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) > 2**53 - 1


def _properties(part: Raw) -> dict[str, Any]:
    found = part.value.get("properties")
    return found if isinstance(found, dict) else {}


def _of_patterns(part: Raw) -> list[Raw]:
    patterns = part.get("patternProperties")
    return [patterns.get(one) for one in patterns.value]


def _all(schemas: list[Raw]) -> Raw:
    if len(schemas) == 1:
        return schemas[0]
    base = schemas[0].base if schemas else ""
    return Raw(base, {"allOf": [one.value for one in schemas]})
