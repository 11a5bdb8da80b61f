"""Tags of a union: the property by which its branches are told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from toolcharter.rules._schemas import Schema, as_list, as_map, branches_of, types_of

__all__ = [
    "object_branches",
    "plain_branches",
    "tag_of",
    "tag_values",
    "told_apart",
]


def object_branches(schema: Schema, definitions: Mapping[str, Any]) -> tuple[Schema, ...]:
    """Return the branches of a union that are objects, references followed."""
    return tuple(branch for branch in _resolved(schema, definitions) if _is_object(branch))


def plain_branches(schema: Schema, definitions: Mapping[str, Any]) -> tuple[Schema, ...]:
    """Return the branches of a union that are no objects, references followed."""
    return tuple(branch for branch in _resolved(schema, definitions) if not _is_object(branch))


def _resolved(schema: Schema, definitions: Mapping[str, Any]) -> Iterator[Schema]:
    for branch in branches_of(schema):
        reference = branch.get("$ref")
        name = reference.rpartition("/")[2] if isinstance(reference, str) else ""
        yield as_map(definitions[name]) if name in definitions else branch


def _is_object(branch: Schema) -> bool:
    return "properties" in branch or "object" in types_of(branch)


def tag_values(branch: Schema, tag: str) -> tuple[str, ...]:
    """Return the values that a required tag may have in the branch, as texts; empty if it is no tag."""
    found = as_map(as_map(branch.get("properties")).get(tag))
    if tag not in as_list(branch.get("required")):
        return ()
    values = [found["const"]] if "const" in found else as_list(found.get("enum"))
    return tuple(repr(value) for value in values)


def tag_of(branches: tuple[Schema, ...]) -> str | None:
    """Return the property that is a required constant or enum in every branch: the best one, or None."""
    if not branches:
        return None
    first, *others = (frozenset(as_map(branch.get("properties"))) for branch in branches)
    shared = first.intersection(*others)
    candidates = [tag for tag in sorted(shared) if all(tag_values(b, tag) for b in branches)]

    def clashes(tag: str) -> int:
        values = [value for branch in branches for value in tag_values(branch, tag)]
        return len(values) - len(set(values))

    return min(candidates, key=clashes, default=None)


def told_apart(branches: tuple[Schema, ...]) -> bool:
    """Say whether of any two branches one requires what the other, closed, does not have."""
    return all(_lacks(one, two) or _lacks(two, one) for one, two in combinations(branches, 2))


def _lacks(closed: Schema, other: Schema) -> bool:
    known = as_map(closed.get("properties"))
    is_closed = closed.get("additionalProperties") is False
    return is_closed and any(name not in known for name in as_list(other.get("required")))
