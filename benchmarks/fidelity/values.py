"""A deterministic generator of values for a schema as it is written: smallest, largest, one a branch, and spoilt ones."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Any, Final

from .closing import Judge
from .folder import Documents, Raw

__all__ = ["Values"]

_FORMATS: Final = {
    "date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "duration": "P1D",
    "email": "a@example.org", "idn-email": "a@example.org", "hostname": "example.org", "idn-hostname": "example.org",
    "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.org/a", "url": "https://example.org/a",
    "uri-reference": "/a", "iri": "https://example.org/a", "iri-reference": "/a", "uri-template": "/a/{b}",
    "uuid": "01234567-89ab-4def-8123-456789abcdef", "json-pointer": "/a", "relative-json-pointer": "0/a",
    "regex": "^a$", "byte": "YWJj", "base64": "YWJj", "decimal": "1.5",
}  # fmt: skip
_SWAPPED: Final[tuple[Any, ...]] = (None, True, 0, 1, 1.5, "", "x", [], [1], {}, {"x": 1})
_TEXTS: Final = ("a@", "٣", "1\n", "2026-02-30", "2026-01-31 12:00:00Z", "x" * 300)
_DEEP: Final = 7
_LONGEST_TEXT: Final = 5000
_LONGEST_LIST: Final = 300


class _Cut(Exception):
    """The place leads back to what it stands in."""


@dataclass(frozen=True)
class _Node:
    """What holds at one place: schemas without references and unions."""

    parts: tuple[Raw, ...]

    def all(self, word: str) -> list[Any]:
        """Return the values of a keyword."""
        return [part.value[word] for part in self.parts if word in part.value]

    @property
    def branches(self) -> int:
        """How many branches the widest union has."""
        unions = (part.elements(word) for part in self.parts for word in ("oneOf", "anyOf"))
        return max(map(len, unions), default=0)

    @property
    def type(self) -> str | None:
        """The type to build."""
        for said in self.all("type"):
            kinds = [said] if isinstance(said, str) else [k for k in said if k != "null"]
            if "integer" in [
                str(k) for s in self.all("type") for k in ([s] if isinstance(s, str) else s)
            ]:
                return "integer"
            return "string" if kinds[:1] == ["file"] else kinds[0] if kinds else "null"
        if any("properties" in p.value or "additionalProperties" in p.value for p in self.parts):
            return "object"
        return "array" if any("items" in p.value for p in self.parts) else None


class Values:
    """Makes values for the schemas of one description."""

    def __init__(self, documents: Documents, judge: Judge) -> None:
        self._documents = documents
        self._judge = judge

    def of(self, schema: Raw, most: int) -> list[tuple[str, Any]]:
        """Return values with what was done to each; the first is the fullest, `most` bounds their number."""
        made: list[tuple[str, Any]] = []
        for kind, build in (("largest", True), ("smallest", False)):
            made.append((kind, self._sample(schema, build, (), 0)))
        full, least = made[0][1], made[1][1]
        if not self._judge(schema, full):
            full = self._grown(schema, full, least)
            made.append(("grown", full))
        made.extend(self._branches(schema, full))
        spoilt = list(self._spoilt(schema, full)) + list(self._spoilt(schema, least))
        room = max(most - len(made), 1)
        step = max(len(spoilt) / room, 1.0)
        made.extend(spoilt[int(i * step)] for i in range(min(room, len(spoilt))))
        return made

    def _grown(self, schema: Raw, full: Any, least: Any) -> Any:
        """Return the fullest valid value that is made of the smallest by adding members of the largest."""
        if not isinstance(full, dict) or not isinstance(least, dict):
            return full
        if not self._judge(schema, least):
            return full
        made = dict(least)
        for name, item in full.items():
            if self._judge(schema, {**made, name: item}):
                made[name] = item
        return made

    def _node(
        self, schema: Raw, above: tuple[str, ...], choice: int = 0
    ) -> tuple[_Node, tuple[str, ...]]:
        parts: list[Raw] = []
        reached: list[str] = []

        def collect(raw: Raw, depth: int, number: int) -> None:
            if not isinstance(raw.value, dict) or depth > 24:
                return
            reference = raw.value.get("$ref")
            if isinstance(reference, str):
                if reference in above:
                    raise _Cut
                reached.append(reference)
                collect(self._documents.target(raw), depth + 1, number)
                if self._documents.version.startswith(("2", "3.0")):
                    return
            parts.append(raw)
            for inner in raw.elements("allOf"):
                collect(inner, depth + 1, 0)
            for word in ("oneOf", "anyOf"):
                members = raw.elements(word)
                if members:
                    collect(_pick(self, members, number, above), depth + 1, 0)

        collect(schema, 0, choice)
        return _Node(tuple(parts)), tuple(reached)

    def _sample(
        self, schema: Raw, full: bool, above: tuple[str, ...], depth: int, choice: int = 0
    ) -> Any:
        node, reached = self._node(schema, above, choice)
        below = (*above, *reached)
        for values in node.all("const"):
            return copy.deepcopy(values)
        listed = node.all("enum")
        if listed:
            common = [v for v in listed[0] if all(v in other for other in listed[1:])] or listed[0]
            kept = [v for v in common if v is not None] or common
            return copy.deepcopy(kept[-1 if full else 0]) if kept else None
        match node.type:
            case "object":
                return self._object(node, full, below, depth)
            case "array":
                return self._array(node, full, below, depth)
            case "string":
                return _text(node, full)
            case "integer" | "number" as kind:
                return _number(node, kind, full)
            case "boolean":
                return full
            case "null":
                return None
            case _:
                return "anything"

    def _object(
        self, node: _Node, full: bool, above: tuple[str, ...], depth: int
    ) -> dict[str, Any]:
        required = {
            name for names in node.all("required") if isinstance(names, list) for name in names
        }
        made: dict[str, Any] = {}
        for part in node.parts:
            described = part.get("properties")
            for name in described.value:
                if name in made or (name not in required and (not full or depth >= _DEEP)):
                    continue
                inner = self._of_name(node, name)
                if inner.value is False or self._is_read_only(inner):
                    continue
                try:
                    made[name] = self._sample(inner, full, above, depth + 1)
                except _Cut:
                    continue
        more = [part.get("additionalProperties") for part in node.parts]
        typed = [one for one in more if isinstance(one.value, dict) and one.value]
        least = max([0, *(n for n in node.all("minProperties") if isinstance(n, int))])
        if typed and (full or len(made) < least):
            try:
                for number in range(max(1, least - len(made))):
                    made[_key(node, number)] = self._sample(typed[0], full, above, depth + 1)
            except _Cut:
                pass
        return made

    def _of_name(self, node: _Node, name: str) -> Raw:
        found = [
            part.get("properties").get(name)
            for part in node.parts
            if name in part.get("properties").value
        ]
        return (
            found[0] if len(found) == 1 else Raw(found[0].base, {"allOf": [f.value for f in found]})
        )

    def _is_read_only(self, schema: Raw) -> bool:
        found = self._documents.follow(schema)
        return isinstance(found.value, dict) and found.value.get("readOnly") is True

    def _array(self, node: _Node, full: bool, above: tuple[str, ...], depth: int) -> list[Any]:
        least = max([0, *node.all("minItems")])
        most = min([100, *node.all("maxItems")])
        count = min(max(least, 1 if full else 0), most)
        first = [Raw(p.base, one) for p in node.parts for one in p.value.get("prefixItems", ())]
        made: list[Any] = []
        for number in range(max(count, len(first) if full else 0)):
            items = [part.get("items") for part in node.parts if "items" in part.value]
            inner = first[number] if number < len(first) else items[0] if items else Raw("", {})
            one = self._sample(inner, full, above, depth + 1, number)
            made.append(_unlike(one, made) if True in node.all("uniqueItems") else one)
        return made

    def _branches(self, schema: Raw, full: Any) -> Iterator[tuple[str, Any]]:
        """Yield one value a branch of each union near the top."""
        for number in range(1, 30):
            try:
                node, _ = self._node(schema, (), number)
            except _Cut:
                continue
            if number >= node.branches:
                break
            yield f"branch {number + 1}", self._sample(schema, True, (), 0, number)
        yield from self._inner_branches(schema, full, (), 0)

    def _inner_branches(
        self, schema: Raw, value: Any, above: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, Any]]:
        """Yield the value with each branch of the unions inside it in turn."""
        if depth > 4 or not isinstance(value, dict):
            return
        try:
            node, reached = self._node(schema, above)
        except _Cut:
            return
        for name in value:
            if not any(name in part.get("properties").value for part in node.parts):
                continue
            inner = self._of_name(node, name)
            for label, other in self._choices(inner, value[name], (*above, *reached), depth):
                yield f"{name}: {label}", {**value, name: other}

    def _choices(
        self, schema: Raw, value: Any, above: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, Any]]:
        for number in range(1, 12):
            try:
                node, _ = self._node(schema, above, number)
                if number >= node.branches:
                    break
                yield f"branch {number + 1}", self._sample(schema, True, above, depth + 1, number)
            except _Cut:
                continue
        yield from self._inner_branches(schema, value, above, depth + 1)

    def _spoilt(self, schema: Raw, value: Any) -> Iterator[tuple[str, Any]]:
        for steps, here in _places(value):
            for label, other in self._near(here):
                yield f"{'/'.join(map(str, steps)) or '.'}: {label}", _with(value, steps, other)
            if isinstance(here, dict):
                for name in here:
                    rest = {k: v for k, v in here.items() if k != name}
                    yield (
                        f"{'/'.join(map(str, (*steps, name)))}: left out",
                        _with(value, steps, rest),
                    )
                yield (
                    f"{'/'.join(map(str, steps))}: unknown",
                    _with(value, steps, {**here, "zzUnknown": 1}),
                )
            if isinstance(here, list) and here:
                yield f"{steps}: twice", _with(value, steps, [*here, copy.deepcopy(here[0])])
                yield f"{steps}: many", _with(value, steps, [*here] * 101)
                yield f"{steps}: empty", _with(value, steps, [])
        for steps, bounds in self._bounds(schema, value, (), (), 0):
            for other in bounds:
                yield f"{'/'.join(map(str, steps)) or '.'}: bound", _with(value, steps, other)

    def _near(self, here: Any) -> Iterator[tuple[str, Any]]:
        for other in _SWAPPED:
            if type(other) is not type(here) or other != here:
                yield f"becomes {type(other).__name__}", copy.deepcopy(other)
        if isinstance(here, str):
            for text in (*_TEXTS, here + "\n", here + here, here[:-1], here.upper()):
                yield "text", text
        if isinstance(here, int | float) and not isinstance(here, bool):
            for number in (
                here + 1,
                here - 1,
                -here,
                here + 0.5,
                float(here),
                here * 10**6,
                2**31,
                2**63,
                19.99,
            ):
                yield "number", number

    def _bounds(
        self, schema: Raw, value: Any, steps: tuple[Any, ...], above: tuple[str, ...], depth: int
    ) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
        """Yield each place with the values at and just beyond its bounds."""
        if depth > _DEEP:
            return
        try:
            node, reached = self._node(schema, above)
        except _Cut:
            return
        below = (*above, *reached)
        found = list(_at_bounds(node, value))
        if found:
            yield steps, found
        if isinstance(value, dict):
            for name in value:
                if any(name in part.get("properties").value for part in node.parts):
                    inner = self._of_name(node, name)
                    yield from self._bounds(inner, value[name], (*steps, name), below, depth + 1)
        if isinstance(value, list) and value:
            items = [part.get("items") for part in node.parts if "items" in part.value]
            if items:
                yield from self._bounds(items[0], value[0], (*steps, 0), below, depth + 1)


def _pick(values: Values, members: list[Raw], number: int, above: tuple[str, ...]) -> Raw:
    """Return the branch of a number that does not lead back; null is passed over if it can be."""
    order = members[number % len(members) :] + members[: number % len(members)]
    for one in order:
        if one.value == {"type": "null"} and number == 0 and len(members) > 1:
            continue
        if one.value.get("$ref") in above if isinstance(one.value, dict) else False:
            continue
        return one
    raise _Cut


def _key(node: _Node, number: int) -> str:
    """Return the name of a map's entry, one that its names may be."""
    for names in node.all("propertyNames"):
        if isinstance(names, dict):
            values = names.get("enum") or [_text(_Node((Raw("", names),)), full=True)]
            return str(values[number % len(values)]) + ("a" * number if "enum" not in names else "")
    return f"key{number}"


def _text(node: _Node, full: bool) -> str:
    for pattern in node.all("pattern"):
        made = _of_pattern(pattern)
        if made is not None:
            return made
    for name in node.all("format"):
        if name in _FORMATS:
            return _FORMATS[name]
    least: int = max([0, *node.all("minLength")])
    most: int = min([20 if full else 12, *node.all("maxLength")])
    return "a" * max(least, min(most, 3))


def _number(node: _Node, kind: str, full: bool) -> Any:
    low, high = _range(node)
    value = Decimal(
        str(high if full and high is not None else low if low is not None else min(1, high or 1))
    )
    for step in node.all("multipleOf"):
        unit = Decimal(str(step))
        value = (value / unit).to_integral_value(
            rounding="ROUND_FLOOR" if full and high is not None else "ROUND_CEILING"
        ) * unit
    if kind == "integer":
        return math.floor(value) if full and high is not None else math.ceil(value)
    return int(value) if value == value.to_integral_value() else float(value)


def _range(node: _Node) -> tuple[Any, Any]:
    low, high = list(node.all("minimum")), list(node.all("maximum"))
    for word, kept, step in (("exclusiveMinimum", low, 1), ("exclusiveMaximum", high, -1)):
        for said in node.all(word):
            if said is True and kept:
                kept.append(kept[0] + step)
            elif isinstance(said, int | float) and not isinstance(said, bool):
                kept.append(said + step)
    return (max(low) if low else None), (min(high) if high else None)


def _at_bounds(node: _Node, value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield from _texts_at_bounds(node)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _numbers_at_bounds(node)
    elif isinstance(value, list) and value:
        yield from _lists_at_bounds(node, value[0])
    elif isinstance(value, dict):
        for most in node.all("maxProperties"):
            if most < _LONGEST_LIST:
                yield {f"key{n}": 1 for n in range(most + 1)}
    for listed in node.all("enum"):
        yield from copy.deepcopy(listed[:40])


def _texts_at_bounds(node: _Node) -> Iterator[str]:
    for least in node.all("minLength"):
        yield from ("a" * least, "a" * max(least - 1, 0))
    for most in node.all("maxLength"):
        if most < _LONGEST_TEXT:
            yield from ("a" * most, "a" * (most + 1), "\N{GRINNING FACE}" * most)


def _numbers_at_bounds(node: _Node) -> Iterator[Any]:
    for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for said in node.all(word):
            if not isinstance(said, bool):
                yield from (said, said + 1, said - 1, said + 0.001, said - 0.001)
    for step in node.all("multipleOf"):
        yield from (step, step * 3, step / 2, step * 7.5)


def _lists_at_bounds(node: _Node, first: Any) -> Iterator[list[Any]]:
    for least in node.all("minItems"):
        yield from ([first] * least, [first] * max(least - 1, 0))
    for most in node.all("maxItems"):
        if most < _LONGEST_LIST:
            yield from ([first] * most, [first] * (most + 1))


def _places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield steps, value
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in list(pairs)[:80]:
        yield from _places(inner, (*steps, key))


def _with(value: Any, steps: tuple[Any, ...], other: Any) -> Any:
    if not steps:
        return other
    made = dict(value) if isinstance(value, dict) else list(value)
    made[steps[0]] = _with(value[steps[0]], steps[1:], other)
    return made


def _unlike(one: Any, made: list[Any]) -> Any:
    if one not in made:
        return one
    if isinstance(one, str):
        return f"{one}{len(made)}"
    if isinstance(one, int) and not isinstance(one, bool):
        return one + len(made)
    return one


def _of_pattern(pattern: str) -> str | None:
    """Return a text that a simple pattern matches, or None."""
    parser: Any = import_module("re._parser")  # the standard library's own reading
    try:
        made = "".join(_produce(item) for item in parser.parse(pattern))
    except (ValueError, re.error, RecursionError, OverflowError):
        return None
    return made


def _produce(item: tuple[Any, Any]) -> str:
    name, argument = str(item[0]), item[1]
    match name:
        case "LITERAL":
            return chr(argument)
        case "NOT_LITERAL":
            return "b" if chr(argument) == "a" else "a"
        case "ANY":
            return "a"
        case "IN":
            return _one_of(argument)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, inner = argument
            count = least or (1 if most >= 1 and least == 0 and most > 1 else 0)
            return "".join(_produce(one) for one in inner) * min(int(count), 200)
        case "SUBPATTERN":
            return "".join(_produce(one) for one in argument[3])
        case "BRANCH":
            return "".join(_produce(one) for one in argument[1][0])
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return ""
        case _:
            raise ValueError(name)


def _one_of(items: list[Any]) -> str:
    def takes(character: str) -> bool:
        found = False
        for name, argument in items:
            match str(name):
                case "LITERAL":
                    found |= ord(character) == argument
                case "RANGE":
                    found |= argument[0] <= ord(character) <= argument[1]
                case "CATEGORY":
                    found |= _in_category(str(argument), character)
        return found != (str(items[0][0]) == "NEGATE")

    for character in "a0A-_. /:@%+=~bz9Z":
        if takes(character):
            return character
    for point in range(33, 0x3000):
        if takes(chr(point)):
            return chr(point)
    raise ValueError("nothing fits")


def _in_category(name: str, character: str) -> bool:
    test: Callable[[str], bool] = {
        "DIGIT": lambda c: c in "0123456789", "SPACE": str.isspace, "WORD": lambda c: c.isascii() and (c.isalnum() or c == "_"),
    }[name.rpartition("_")[2]]  # fmt: skip
    return test(character) != ("NOT" in name)
