"""A schema of a request without annotations, together with the definitions that it reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.schemas import NUMBER_FORMATS

from .merging import ANNOTATIONS, JsonSchema, types_of
from .subschemas import MAPS, VALUES, inside

__all__ = ["with_definitions"]

_Define: TypeAlias = Callable[[str], JsonSchema]
_NUMBER_FORMATS: Final = frozenset({"int32", "int64", "float", "double"})


def with_definitions(schema: JsonSchema, definition: _Define) -> JsonSchema:
    """Return the schema with what it refers to under `$defs`; recursion stays recursion."""
    definitions: dict[str, Any] = {}
    result: JsonSchema = _clean(schema, definition)
    waiting = _references(result)
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            definitions[name] = _clean(definition(name), definition)
            waiting.extend(_references(definitions[name]))
    return {**result, "$defs": definitions} if definitions else result


def _clean(schema: Any, definition: _Define) -> Any:
    if not is_object(schema):
        return schema
    result: JsonSchema = {}
    for keyword, value in schema.items():
        if keyword in ANNOTATIONS or keyword.startswith("x-"):
            continue
        if keyword == "format" and value in _NUMBER_FORMATS:
            continue
        if keyword == "required":
            result[keyword] = _of_requests(schema, definition)
        else:
            result[keyword] = inside(keyword, value, lambda part: _clean(part, definition))
    if schema.get("format") == "int32" and types_of(schema) == ("integer",):
        low, high = NUMBER_FORMATS["int32"]
        result["minimum"] = max(low, schema.get("minimum", low))
        result["maximum"] = min(high, schema.get("maximum", high))
    return result


def _of_requests(schema: JsonSchema, definition: _Define) -> list[str]:
    """Return what a request must have of the required properties: none that only an answer has."""
    properties = schema.get("properties", {})
    return [
        name for name in schema["required"] if not _is_read_only(properties.get(name), definition)
    ]


def _is_read_only(schema: Any, definition: _Define) -> bool:
    if not is_object(schema):
        return False
    behind = schema.get("$ref")
    if "readOnly" not in schema and isinstance(behind, str):
        schema = definition(behind.removeprefix("#/$defs/"))
    return schema.get("readOnly") is True


def _references(schema: Any) -> list[str]:
    found: list[str] = []
    if is_object(schema):
        for keyword, value in schema.items():
            if keyword == "$ref" and isinstance(value, str):
                found.append(value.removeprefix("#/$defs/"))
            elif keyword in MAPS and is_object(value):
                for part in value.values():
                    found.extend(_references(part))
            elif keyword not in VALUES:
                found.extend(_references(value))
    elif is_list(schema):
        for part in schema:
            found.extend(_references(part))
    return found
