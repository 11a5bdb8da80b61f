"""Conditions on the arguments, put together: a schema, or what is true or false of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .merging import JsonSchema
from .sameness import distinct

__all__ = ["Verdict", "all_of", "any_of", "none_of", "one_of", "schema_of"]

Verdict: TypeAlias = bool | JsonSchema
"""When something holds: always, never, or where the arguments meet a schema."""


def all_of(parts: Sequence[Verdict]) -> Verdict:
    """Return when all hold."""
    open_parts = distinct(part for part in parts if part is not True)
    if any(part is False for part in open_parts):
        return False
    if len(open_parts) < 2:
        return open_parts[0] if open_parts else True
    return {"allOf": [schema_of(part) for part in open_parts]}


def any_of(parts: Sequence[Verdict]) -> Verdict:
    """Return when one or more hold."""
    open_parts = distinct(part for part in parts if part is not False)
    if any(part is True for part in open_parts):
        return True
    if len(open_parts) < 2:
        return open_parts[0] if open_parts else False
    return {"anyOf": [schema_of(part) for part in open_parts]}


def one_of(parts: Sequence[Verdict]) -> Verdict:
    """Return when exactly one holds."""
    open_parts = [part for part in parts if part is not False]
    sure = sum(part is True for part in open_parts)
    if sure > 1:
        return False
    rest = [part for part in open_parts if part is not True]
    if sure:
        return none_of(rest)
    if len(rest) < 2:
        return rest[0] if rest else False
    return {"oneOf": [schema_of(part) for part in rest]}


def none_of(parts: Sequence[Verdict]) -> Verdict:
    """Return when none holds."""
    found = any_of(parts)
    if isinstance(found, bool):
        return not found
    if found.keys() == {"not"}:
        return found["not"]  # type: ignore[no-any-return]
    return {"not": found}


def schema_of(verdict: Verdict) -> JsonSchema:
    """Return the verdict as a schema."""
    if isinstance(verdict, bool):
        return {} if verdict else {"not": {}}
    return verdict
