"""The request body: bindings laid into one JSON value."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolcharter_runtime import frozen
from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.language import (
    ABSENT,
    UNSET,
    Scope,
    parse_template,
    pointer_of,
    read_pointer,
    tokens_of,
)
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.laying import Laying, laying_of, put
from toolcharter_runtime.upstream.rendering import Rendered, origin_of, render_checked

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["BodyPlan", "carry", "put"]


@dataclass(frozen=True, slots=True)
class _Step:
    tokens: tuple[str, ...]
    template: Rendered | None
    each: tuple[str, ...]
    items: tuple[_Step, ...]


class BodyPlan:
    """A body's bindings but those of credentials, parsed once."""

    __slots__ = ("_steps", "body")

    def __init__(self, body: frozen.Body, bindings: tuple[frozen.Binding, ...]) -> None:
        self.body = body
        self._steps = tuple(_step(binding) for binding in bindings)

    def build(self, scope: Scope, overlay: Mapping[str, Any]) -> Any:
        """Return the body as a JSON value, or `UNSET` where none is sent; raise `Rejected`."""
        value: Any = {}
        if self.body.carried is not None:
            carried = scope.roots.get("carried", ABSENT)
            if carried is ABSENT:
                raise Rejected("", "the object that the request replaces is not known")
            value = put(value, tokens_of(self.body.carried.at), copy.deepcopy(carried))
        empty = value
        value = _lay(value, self._steps, scope, "")
        is_left_out = self.body.optional or any(not step.tokens for step in self._steps)
        if is_left_out and value is empty and not empty and not overlay:
            return UNSET
        for pointer, item in overlay.items():
            value = put(value, tokens_of(pointer), item)
        return value


def carry(carried: frozen.Carried, answer_body: Any) -> Any:
    """Return what a full replacement sends back: the target's object without what is not carried, or `ABSENT`.

    It belongs into the scope as the root `carried`.
    """
    found = read_pointer(answer_body, carried.at)
    if found is ABSENT:
        return ABSENT
    value = copy.deepcopy(found)
    for pointer in carried.without:
        tokens = tokens_of(pointer)
        parent = read_pointer(value, pointer_of(*tokens[:-1]))
        if tokens and is_object(parent):
            parent.pop(tokens[-1], None)
    return value


def _step(binding: frozen.Binding) -> _Step:
    tokens = tokens_of(binding.at)
    if binding.each is not None:
        path = tuple(binding.each.split("."))
        return _Step(tokens, None, path, tuple(_step(item) for item in binding.item))
    accepts = None if binding.accepts is None else compile_schema(binding.accepts)
    template: Any = binding.value
    rendered = _rendered(template, binding.accepts, accepts, laying_of(binding.shape))
    return _Step(tokens, rendered, (), ())


def _rendered(
    template: Any,
    schema: Mapping[str, Any] | None,
    accepts: Draft202012Validator | None,
    laying: Laying | None,
) -> Rendered:
    if isinstance(template, str):
        parse_template(template)
    return Rendered(template, origin_of(template), schema, accepts, laying)


def _lay(value: Any, steps: tuple[_Step, ...], scope: Scope, prefix: str) -> Any:
    for step in steps:
        if step.template is not None:
            rendered = render_checked(step.template, scope, prefix)
            if rendered is not UNSET:
                value = put(value, step.tokens, copy.deepcopy(rendered))
            continue
        elements = read_pointer(dict(scope.arguments), pointer_of(*step.each))
        if elements is ABSENT:
            continue
        place = prefix + pointer_of(*step.each)
        built = [
            _lay({}, step.items, scope.inside(element), f"{place}/{index}")
            for index, element in enumerate(elements)
        ]
        value = put(value, step.tokens, built)
    return value
