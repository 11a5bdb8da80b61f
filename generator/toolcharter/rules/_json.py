"""Questions that several rules ask of one schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, TypeGuard, cast

from toolcharter.patterns import is_finite, may_hold_space
from toolcharter.resolve import has_bound

__all__ = [
    "Schema",
    "as_list",
    "as_map",
    "branches_of",
    "is_bounded_text",
    "is_fenced",
    "parts_of",
    "patterns_of",
    "types_of",
    "words_of",
]

Schema: TypeAlias = Mapping[str, Any]
_BOUNDED_FORMATS = frozenset({"date", "date-time", "time", "uuid", "ipv4", "ipv6"})


def as_map(value: object) -> dict[str, Any]:
    """Return a JSON object as it is, and anything else as an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return a JSON array as it is, and anything else as an empty one."""
    return value if _is_list(value) else []


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def branches_of(schema: Schema) -> tuple[Schema, ...]:
    """Return the branches of a union, without a lone `null`; empty where there is none."""
    branches = map(as_map, as_list(schema.get("oneOf")) or as_list(schema.get("anyOf")))
    return tuple(branch for branch in branches if branch.get("type") != "null")


def types_of(schema: Schema) -> frozenset[str]:
    """Return the JSON types that the schema names, `null` left out."""
    named = schema.get("type")
    names: list[Any] = [named] if isinstance(named, str) else as_list(named)
    return frozenset(name for name in names if isinstance(name, str) and name != "null")


def is_fenced(schema: Schema) -> bool:
    """Say whether a value cannot be free text: an enum, a constant, no string, a date or id, a tight pattern (P16)."""
    if "enum" in schema or "const" in schema:
        return True
    types = types_of(schema)
    if types and "string" not in types:
        return True
    if schema.get("format") in _BOUNDED_FORMATS:
        return True
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or may_hold_space(pattern):
        return False
    return is_finite(pattern) or has_bound(schema, "maxLength")


def is_bounded_text(schema: Schema) -> bool:
    """Say whether a text has a longest form."""
    pattern = schema.get("pattern")
    return (
        has_bound(schema, "maxLength")
        or is_fenced(schema)
        or (isinstance(pattern, str) and is_finite(pattern))
    )


def parts_of(schema: Schema, definitions: Schema | None = None) -> Iterator[Schema]:
    """Yield a schema and whatever must hold beside it (`allOf`), which only narrows it; references with their target."""
    return _parts(schema, definitions or {}, frozenset())


def _parts(schema: Schema, definitions: Schema, within: frozenset[str]) -> Iterator[Schema]:
    yield schema
    for part in map(as_map, as_list(schema.get("allOf"))):
        reference = part.get("$ref")
        name = reference.rpartition("/")[2] if isinstance(reference, str) else ""
        if name in within:
            continue
        whole = {**as_map(definitions.get(name)), **part}
        yield from _parts(whole, definitions, within | {name} if name else within)


def patterns_of(schema: Schema) -> tuple[str, ...]:
    """Return every pattern that a value here, or a key of it, has to match."""
    found: dict[str, None] = {}
    for part in parts_of(schema):
        written = [part.get("pattern"), as_map(part.get("propertyNames")).get("pattern")]
        written += as_map(part.get("patternProperties"))
        found.update((pattern, None) for pattern in written if isinstance(pattern, str))
    return tuple(found)


def words_of(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name: `apiKey`, `API-Key` and `api_key` alike."""
    spaced: list[str] = []
    for index, character in enumerate(name):
        if not character.isalnum():
            spaced.append(" ")
            continue
        follows_lower = index > 0 and character.isupper() and name[index - 1].islower()
        spaced.append(f" {character}" if follows_lower else character)
    return tuple("".join(spaced).lower().split())
