"""Values laid into the request: at a place of the body, and with the API's own names inside."""

from __future__ import annotations

import json
from typing import Any

from toolcharter_runtime import frozen
from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.language import LanguageError, pointer_of, tokens_of
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.schemas import compile_schema

__all__ = ["Laying", "laying_of", "put"]


class Laying:
    """A shape with its pointers parsed and its schemas compiled."""

    __slots__ = ("_at", "_branches", "_element", "_inside", "_kinds", "_tag", "_values")

    def __init__(self, shape: frozen.Shape) -> None:
        self._at = {name: tokens_of(pointer) for name, pointer in shape.at.items()}
        self._inside = {name: Laying(inner) for name, inner in shape.inside.items()}
        self._values = laying_of(shape.values)
        self._element = laying_of(shape.element)
        self._tag = shape.tag
        self._branches = {value: Laying(inner) for value, inner in shape.branches.items()}
        self._kinds = tuple(
            (compile_schema(kind.accepts), laying_of(kind.shape)) for kind in shape.kinds
        )

    def lay(self, value: Any) -> Any:
        """Return the value as the API names it; what the shape says nothing of stays as it is."""
        for accepts, kind in self._kinds:
            if accepts.is_valid(value):
                return value if kind is None else kind.lay(value)
        if is_list(value):
            return value if self._element is None else [self._element.lay(item) for item in value]
        if not is_object(value):
            return value
        if self._tag is not None:
            tag = value.get(self._tag)
            branch = self._branches.get(tag if isinstance(tag, str) else json.dumps(tag))
            return value if branch is None else branch.lay(value)
        return self._members(value)

    def _members(self, value: dict[str, Any]) -> dict[str, Any]:
        laid: dict[str, Any] = {}
        for name, member in value.items():
            inner = self._inside.get(name, self._values)
            item = member if inner is None else inner.lay(member)
            tokens = self._at.get(name)
            if tokens is None:
                laid[name] = item
            else:
                _put_member(laid, tokens, item)
        return laid


def laying_of(shape: frozen.Shape | None) -> Laying | None:
    """Return the shape, parsed once; None for none."""
    return None if shape is None else _LAYINGS.of(shape)


_LAYINGS: PerObject[frozen.Shape, Laying] = PerObject(Laying)


def _put_member(laid: dict[str, Any], tokens: tuple[str, ...], value: Any) -> None:
    """Lay a member below its object, whose keys may be numbers too."""
    *way, last = tokens
    for step in way:
        laid = laid.setdefault(step, {})
    laid[last] = value


def put(target: Any, tokens: tuple[str, ...], value: Any) -> Any:
    """Return `target` with the value at the place; maps on the way are made, and lists for a token that is a number."""
    if not tokens:
        return value
    step, *rest = tokens
    is_index = step.isascii() and step.isdigit() and len(step) < 6
    if is_list(target) or (is_index and not target):
        items: list[Any] = target if is_list(target) else []
        if step != "-" and not is_index:
            raise LanguageError(f"the place {pointer_of(*tokens)} is not an element of a list")
        index = len(items) if step == "-" else int(step)
        if index > len(items):
            raise LanguageError(f"the place {pointer_of(*tokens)} skips an element of a list")
        inner: Any = items[index] if index < len(items) else {}
        items[index : index + 1] = [put(inner, tuple(rest), value)]
        return items
    if not is_object(target):
        raise LanguageError(
            f"the place {pointer_of(*tokens)} lies inside a value that is not an object"
        )
    target[step] = put(target.get(step, {}), tuple(rest), value)
    return target
