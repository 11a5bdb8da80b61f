"""Two typed doors to values of JSON, whose inside nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["list_of", "object_of"]


def object_of(value: object) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one in place of anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def list_of(value: object) -> list[Any]:
    """Return a JSON array, or an empty one in place of anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []
