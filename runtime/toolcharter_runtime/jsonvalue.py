"""What a JSON value is, and three questions that tell type checkers what `isinstance` cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeGuard

__all__ = ["Json", "is_list", "is_map", "is_object", "type_of"]

Json: TypeAlias = dict[str, Any] | list[Any] | str | int | float | bool | None
"""Any JSON value."""

type_of: Final[Callable[[object], object]] = type
"""The exact type of a value, subclasses apart."""


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether the value is a JSON object, a dict."""
    return isinstance(value, dict)


def is_map(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether the value is a JSON object that may be read, of whatever mapping type."""
    return isinstance(value, dict) or isinstance(value, Mapping)  # noqa: SIM101  (the first is the fast one)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Return whether the value is a JSON array, a list."""
    return isinstance(value, list)
