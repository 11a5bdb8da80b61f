"""The schemas inside a schema: which keywords hold some, and which hold values that only look like schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_list, is_object

__all__ = ["MAPS", "VALUES", "inside"]

MAPS: Final = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})
"""Keywords whose members are schemas, whatever their names are."""
VALUES: Final = frozenset(
    {"const", "default", "dependentRequired", "enum", "example", "examples", "required"}
)
"""Keywords that hold no schemas."""


def inside(keyword: str, value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a keyword's value with each schema in it changed; what is no schema is handed over too."""
    if keyword in VALUES:
        return value
    if keyword in MAPS and is_object(value):
        return {name: change(part) for name, part in value.items()}
    return [change(part) for part in value] if is_list(value) else change(value)
