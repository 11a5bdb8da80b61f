"""A schema of the description that stands alone: what it refers to lies inside, under `$defs`."""

from __future__ import annotations

from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_list, is_object

from .merging import ANNOTATIONS, JsonSchema
from .schemas import SchemaReader

__all__ = ["standalone"]

_NUMBER_FORMATS: Final = frozenset({"int32", "int64", "float", "double"})
_VALUES: Final = frozenset({"const", "enum", "required"})
_MAPS: Final = frozenset({"dependentSchemas", "patternProperties", "properties"})


def standalone(reader: SchemaReader, schema: JsonSchema) -> JsonSchema:
    """Return the schema without annotations, with the definitions that it reaches; recursion stays recursion."""
    definitions: dict[str, Any] = {}
    result: JsonSchema = _clean(reader.flat(schema))
    waiting = _references(result)
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            definitions[name] = _clean(reader.definition(name))
            waiting.extend(_references(definitions[name]))
    return {**result, "$defs": definitions} if definitions else result


def _clean(schema: Any) -> Any:
    if not is_object(schema):
        return schema
    result: JsonSchema = {}
    for keyword, value in schema.items():
        if keyword in ANNOTATIONS or keyword.startswith("x-"):
            continue
        if keyword == "format" and value in _NUMBER_FORMATS:
            continue
        if keyword in _VALUES:
            result[keyword] = value
        elif keyword in _MAPS:
            result[keyword] = {name: _clean(part) for name, part in value.items()}
        elif is_list(value):
            result[keyword] = [_clean(part) for part in value]
        else:
            result[keyword] = _clean(value)
    return result


def _references(schema: Any) -> list[str]:
    found: list[str] = []
    if is_object(schema):
        for keyword, value in schema.items():
            if keyword == "$ref" and isinstance(value, str):
                found.append(value.removeprefix("#/$defs/"))
            elif keyword not in _VALUES:
                found.extend(_references(value))
    elif is_list(schema):
        for part in schema:
            found.extend(_references(part))
    return found
