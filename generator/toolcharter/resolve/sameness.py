"""Whether two JSON values are one: numbers by value, and a boolean is no number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from toolcharter_runtime.jsonvalue import is_list, is_object

__all__ = ["distinct", "same", "values_of"]

_Value = TypeVar("_Value")


def same(left: Any, right: Any) -> bool:
    """Say whether two values are equal as JSON has it: `1` is `1.0`, and `true` is not `1`."""
    if left != right:
        return False
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool)
    if is_list(left) and is_list(right):
        return all(same(one, other) for one, other in zip(left, right, strict=True))
    if is_object(left) and is_object(right):
        return all(same(value, right[key]) for key, value in left.items())
    return True


def distinct(values: Iterable[_Value]) -> list[_Value]:
    """Return the values in their order, of those that are equal the first."""
    found: list[_Value] = []
    for value in values:
        if not any(same(value, other) for other in found):
            found.append(value)
    return found


def values_of(schema: dict[str, Any]) -> list[Any] | None:
    """Return the values that a schema lists in `const` or `enum`, or None if it lists none."""
    if "const" in schema:
        constant = schema["const"]
        others = schema.get("enum", [constant])
        return [constant] if any(same(constant, other) for other in others) else []
    values = schema.get("enum")
    return values if is_list(values) else None
