"""Typed doors to JSON values of unknown shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .jsonvalue import is_list, is_map

__all__ = ["as_list", "as_map"]


def as_list(value: Any) -> list[Any] | None:
    """Return the value if it is a list."""
    return value if is_list(value) else None


def as_map(value: Any) -> Mapping[str, Any] | None:
    """Return the value if it is an object."""
    return value if is_map(value) else None
