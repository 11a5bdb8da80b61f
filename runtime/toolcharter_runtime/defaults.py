"""The defaults of a write's arguments, written in before the proposal exists (P3, C3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import frozen
from .language import Json, references

__all__ = ["with_defaults"]


def with_defaults(contract: frozen.Contract, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with the contract's defaults; none for what stands in a partial body."""
    filled: dict[str, Any] = _fill(contract.arguments, dict(arguments), contract.arguments)
    body = contract.request.body
    if body is None or not body.partial:
        return filled
    partial = set(_inputs_of(body.bindings))
    return {name: filled[name] for name in filled if name in arguments or name not in partial} | {
        name: value for name, value in arguments.items() if name in partial
    }


def _inputs_of(bindings: tuple[frozen.Binding, ...]) -> Iterator[str]:
    for binding in bindings:
        if binding.each is not None:
            yield binding.each
        yield from (item.path[0] for item in references(binding.value) if item.root is None)


def _fill(schema: Any, value: Any, root: Mapping[str, Any]) -> Any:
    schema = _resolved(schema, root)
    if isinstance(value, dict):
        return _fill_object(schema, value, root)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [_fill(schema["items"], item, root) for item in value]
    return value


def _fill_object(schema: Mapping[str, Any], value: dict[str, Any], root: Mapping[str, Any]) -> Any:
    filled = dict(value)
    for name, member in schema.get("properties", {}).items():
        if name in filled:
            filled[name] = _fill(member, filled[name], root)
        elif "default" in (resolved := _resolved(member, root)):
            filled[name] = resolved["default"]
    for part in schema.get("allOf", ()):
        filled = _fill(part, filled, root)
    for branch in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
        if _has_tag(_resolved(branch, root), value, root):
            return _fill(branch, filled, root)
    return filled


def _has_tag(branch: Mapping[str, Any], value: Mapping[str, Json], root: Mapping[str, Any]) -> bool:
    tags = {
        name: member["const"]
        for name, raw in branch.get("properties", {}).items()
        if "const" in (member := _resolved(raw, root))
    }
    return bool(tags) and all(value.get(name) == tag for name, tag in tags.items())


def _resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow `#/$defs/<name>`; what stands beside a reference lies over it."""
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    behind = root.get("$defs", {}).get(reference.rpartition("/")[2], {})
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**_resolved(behind, root), **beside}
