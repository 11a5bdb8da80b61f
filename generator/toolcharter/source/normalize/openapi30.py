"""What OpenAPI 3.0's schemas spell in their own way: `nullable`, exclusive bounds, `example`.

`nullable: true` is lifted wherever an author wrote it. OpenAPI 3.0.3 gives it force beside `type` only, and none over an
`enum` that lacks null; but GitHub, Box and drf-spectacular write both, and their servers do answer null. So where it has
no force the schema says so (`LOOSE_NULL`): answers are read with it, requests without.
"""

from __future__ import annotations

from typing import Any

from toolcharter.source.document import Anchor
from toolcharter.source.operation import LOOSE_NULL, Schema
from toolcharter.source.reading import Reading, malformed
from toolcharter.source.shapes import is_array

__all__ = ["admit_null", "lift", "lift_bounds", "lift_example", "lift_tuple"]

_LOOSE = {"type": "null", LOOSE_NULL: True}
_COMPOSITIONS = ("allOf", "anyOf", "oneOf", "not", "if")
_ANNOTATIONS = frozenset(
    {"default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"}
)


def lift(schema: Schema, anchor: Anchor, reading: Reading) -> Schema:
    """Return the schema in the spelling of JSON Schema 2020-12."""
    lift_example(schema)
    lift_bounds(schema, anchor, reading)
    lift_tuple(schema)
    nullable = schema.pop("nullable", False)
    if not isinstance(nullable, bool):
        malformed(reading, anchor / "nullable", "`nullable` is not true or false")
    return admit_null(schema) if nullable is True else schema


def lift_example(schema: Schema) -> None:
    """Make `example` the one element of `examples`."""
    if "example" in schema:
        example = schema.pop("example")
        schema.setdefault("examples", [example])


def lift_bounds(schema: Schema, anchor: Anchor, reading: Reading) -> None:
    """Make `exclusiveMinimum: true` beside a minimum the exclusive bound itself; likewise the maximum."""
    for bound, exclusive in (
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ):
        flag = schema.get(exclusive)
        if not isinstance(flag, bool):
            continue
        del schema[exclusive]
        if flag and bound in schema:
            schema[exclusive] = schema.pop(bound)
        elif flag:
            malformed(reading, anchor / exclusive, f"`{exclusive}` stands without `{bound}`")


def lift_tuple(schema: Schema) -> None:
    """Make a list of `items`, draft 4's tuple, `prefixItems`, and `additionalItems` the rest."""
    if is_array(schema.get("items")):
        schema["prefixItems"] = schema.pop("items")
        if "additionalItems" in schema:
            schema["items"] = schema.pop("additionalItems")


def admit_null(schema: Schema) -> Schema:
    """Return a schema that accepts null beside what it accepts."""
    enum: Any = schema.get("enum")
    if is_array(enum) and None not in enum:
        schema["enum"] = [*enum, None]
        schema[LOOSE_NULL] = True
    if "const" in schema and schema["const"] is not None:
        schema["enum"] = [schema.pop("const"), None]
    kind = schema.get("type")
    if isinstance(kind, str):
        kind = [kind]
    if is_array(kind) and "null" not in kind:
        schema["type"] = [*kind, "null"]
    if not any(key in schema for key in _COMPOSITIONS):
        return schema
    if "type" not in schema and is_array(schema.get("anyOf")):
        others = schema.keys() - _ANNOTATIONS - {"anyOf", "x-discriminator"}
        if not any(not key.startswith("x-") for key in others):
            return {**schema, "anyOf": [*schema["anyOf"], dict(_LOOSE)]}
    outer = {k: v for k, v in schema.items() if k in _ANNOTATIONS or k.startswith("x-")}
    outer.pop("x-discriminator", None)
    inner = {k: v for k, v in schema.items() if k not in outer}
    return {**outer, "anyOf": [inner, dict(_LOOSE)]}
