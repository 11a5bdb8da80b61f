"""Which of pydantic's two engines takes a pattern, so that no model fails when it is first used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, cast

from .json_values import list_of, object_of

__all__ = ["engine_of", "needs_python", "settle_patterns"]

Engine = Literal["rust-regex", "python-re"]


@lru_cache(maxsize=1024)
def engine_of(pattern: str) -> Engine | None:
    """Return the engine that takes the pattern and searches as JSON Schema does, or none."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return "python-re" if _python_takes(pattern) else None
    return "rust-regex"


def _python_takes(pattern: str) -> bool:
    if not pattern.startswith("^"):
        return False  # pydantic matches with it from the start, instead of searching
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def settle_patterns(definition: dict[str, Any]) -> None:
    """Leave out of a model the patterns that its one engine does not take; the frozen schema still holds them."""
    schemas = list(_with_pattern(definition))
    if not any(engine_of(schema["pattern"]) == "python-re" for schema in schemas):
        return
    if all(_python_takes(schema["pattern"]) for schema in schemas):
        return
    for schema in schemas:
        if engine_of(schema["pattern"]) == "python-re":
            del schema["pattern"]


def needs_python(definition: dict[str, Any]) -> bool:
    """Say whether a settled model needs Python's own engine."""
    return any(engine_of(s["pattern"]) == "python-re" for s in _with_pattern(definition))


def _with_pattern(node: Any) -> Iterator[dict[str, Any]]:
    schema = object_of(node)
    is_text = schema.get("type") in ("string", ["string", "null"])
    if is_text and isinstance(schema.get("pattern"), str):
        yield cast("dict[str, Any]", schema)
    for below in (*schema.values(), *list_of(node)):
        yield from _with_pattern(below)
