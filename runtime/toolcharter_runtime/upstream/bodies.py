"""The request body: bindings to one JSON value, then JSON or a form."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolcharter_runtime import frozen
from toolcharter_runtime.canonical import canonical_bytes
from toolcharter_runtime.language import (
    ABSENT,
    UNSET,
    LanguageError,
    Scope,
    parse_template,
    pointer_of,
    read_pointer,
    tokens_of,
)
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.rendering import Rendered, origin_of, render_checked
from toolcharter_runtime.upstream.styles import Pair, pairs_of, write_pairs

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator
from toolcharter_runtime.jsonvalue import is_list, is_object

__all__ = ["BodyPlan", "carry", "put", "write_body"]


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
        """Return the body as a JSON value; raise `Rejected`."""
        value: Any = {}
        if self.body.carried is not None:
            carried = scope.roots.get("carried", ABSENT)
            if carried is ABSENT:
                raise Rejected("", "the object that the request replaces is not known")
            value = put(value, tokens_of(self.body.carried.at), copy.deepcopy(carried))
        value = _lay(value, self._steps, scope, "")
        for pointer, item in overlay.items():
            value = put(value, tokens_of(pointer), item)
        return value


def write_body(body: frozen.Body, value: Any) -> bytes:
    """Return the bytes of a body: canonical JSON, so that equal arguments give equal bytes, or a form."""
    if body.kind == "json":
        return canonical_bytes(value)
    if not is_object(value):
        raise Rejected("", "a form body must be an object")
    pairs: list[Pair] = []
    for name in sorted(value):
        pairs.extend(_form_pairs(name, value[name], body.encodings.get(name)))
    return write_pairs(pairs, form=True).encode("ascii")


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


def _step(binding: frozen.Binding) -> _Step:
    tokens = tokens_of(binding.at)
    if binding.each is not None:
        path = tuple(binding.each.split("."))
        return _Step(tokens, None, path, tuple(_step(item) for item in binding.item))
    accepts = None if binding.accepts is None else compile_schema(binding.accepts)
    template: Any = binding.value
    return _Step(tokens, _rendered(template, binding.accepts, accepts), (), ())


def _rendered(
    template: Any, schema: Mapping[str, Any] | None, accepts: Draft202012Validator | None
) -> Rendered:
    if isinstance(template, str):
        parse_template(template)
    return Rendered(template, origin_of(template), schema, accepts)


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


def _form_pairs(name: str, value: Any, encoding: frozen.Encoding | None) -> list[Pair]:
    """A field without an encoding of its own: scalars as they are, maps as JSON text (OpenAPI 3.1, Encoding Object)."""
    pointer = pointer_of(name)
    if encoding is not None:
        return list(
            pairs_of(
                name,
                value,
                encoding.style,
                explode=encoding.explode,
                reserved=encoding.allow_reserved,
                pointer=pointer,
            )
        )
    return list(
        pairs_of(name, _as_text(value), "form", explode=True, reserved=False, pointer=pointer)
    )


def _as_text(value: Any) -> Any:
    if is_object(value):
        return canonical_bytes(value).decode("utf-8")
    if is_list(value):
        return [_as_text(item) if is_object(item) or is_list(item) else item for item in value]
    return value
