"""Questions of a raw value's shape, in a form that type checkers follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard, cast

__all__ = ["as_step", "is_array", "is_object", "members_of", "value_at"]


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Say whether a JSON value is an object; its keys are strings, as the readers make no others."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Say whether a JSON value is an array."""
    return isinstance(value, list)


def members_of(value: object) -> Mapping[str | int, Any]:
    """Return an object's members by name, or an array's elements by index; of a scalar, nothing."""
    if is_array(value):
        return dict(enumerate(value))
    return cast("Mapping[str | int, Any]", value) if is_object(value) else {}


def as_step(value: object, step: str | int) -> str | int:
    """Return a pointer's step as the value takes it: an index, if it is an array and the step can be one."""
    is_index = isinstance(step, str) and step.isdecimal() and len(step) < 10
    return int(step) if is_index and is_array(value) else step


def value_at(value: Any, steps: Iterable[str | int]) -> Any:
    """Return what stands at some steps, which must be there."""
    for step in steps:
        value = value[step]
    return value
