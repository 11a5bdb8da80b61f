"""A contract's inputs and claims in a reviewer's words, for the handbook."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.values import as_list, as_map

__all__ = ["claims_told", "inputs_told"]

_Schema: TypeAlias = Mapping[str, Any]
_MOST_VALUES = 8
_DEEPEST = 3


def inputs_told(contract: Contract) -> tuple[str, ...]:
    """Return a line for each input, e.g. `amount: whole number, 1 to 50000, required`."""
    required = as_list(contract.arguments.get("required")) or []
    properties = as_map(contract.arguments.get("properties")) or {}
    return tuple(
        f"{name}: {_told(as_map(schema) or {}, 0)}{', required' if name in required else ''}"
        for name, schema in properties.items()
    )


def claims_told(contract: Contract) -> tuple[str, ...]:
    """Return how many claims the description proves, and each one that rests on something else."""
    proved = sum(claim.grade == "proved" for claim in contract.claims)
    lines = [f"{proved} proved by the description"] if proved else []
    for claim in contract.claims:
        if claim.grade != "proved":
            because = f" ({claim.because})" if claim.because else ""
            lines.append(f"{claim.grade}: {claim.claim}{because}")
    return tuple(lines)


def _told(schema: _Schema, depth: int) -> str:
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    values = schema.get("enum")
    if is_list(values):
        shown = " | ".join(str(value) for value in values[:_MOST_VALUES])
        return f"{shown} | …" if len(values) > _MOST_VALUES else shown
    branches = schema.get("oneOf") or schema.get("anyOf")
    if is_list(branches):
        return " or ".join(_told(branch, depth + 1) for branch in branches if is_object(branch))
    kind = schema.get("type")
    kinds: list[Any] = list(kind) if is_list(kind) else [kind]
    return " or ".join(", ".join(_of_kind(str(each), schema, depth)) for each in kinds)


def _of_kind(kind: str, schema: _Schema, depth: int) -> Iterator[str]:
    if kind == "string":
        yield str(schema.get("format", "text"))
        if "maxLength" in schema:
            yield f"at most {schema['maxLength']} characters"
        if "pattern" in schema:
            yield f"as {schema['pattern']}"
    elif kind in ("integer", "number"):
        yield "whole number" if kind == "integer" else "number"
        yield from _range(schema)
    elif kind == "array":
        inner = schema.get("items")
        within = _told(inner, depth + 1) if is_object(inner) and depth < _DEEPEST else "…"
        most = f" of at most {schema['maxItems']}" if "maxItems" in schema else ""
        yield f"list{most} [{within}]"
    elif kind == "object":
        yield f"{{{'; '.join(_members(schema, depth))}}}"
    else:
        yield {"boolean": "true | false", "null": "null"}.get(kind, "any value")


def _range(schema: _Schema) -> Iterator[str]:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is not None and high is not None:
        yield f"{low} to {high}"
    elif low is not None or high is not None:
        yield f"from {low}" if low is not None else f"to {high}"


def _members(schema: _Schema, depth: int) -> Iterator[str]:
    properties, required = (
        as_map(schema.get("properties")) or {},
        as_list(schema.get("required")) or [],
    )
    if depth >= _DEEPEST:
        yield "…"
        return
    for name, inner in properties.items():
        yield f"{name}: {_told(as_map(inner) or {}, depth + 1)}{', required' if name in required else ''}"
    for pattern, inner in (as_map(schema.get("patternProperties")) or {}).items():
        yield f"any key as {pattern}: {_told(as_map(inner) or {}, depth + 1)}"
    rest = schema.get("additionalProperties")
    if is_object(rest):
        yield f"any key: {_told(rest, depth + 1)}"
