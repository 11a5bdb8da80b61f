"""How a refusal is put: what a value must be, in words that hold nothing of it (R4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolcharter_runtime.ecma import spelled_out
from toolcharter_runtime.jsonvalue import is_list, is_map

__all__ = ["TYPES", "literal_of", "one_of", "reason_of"]

_SHOWN_OPTIONS: Final = 12
TYPES: Final = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
_LIMITS: Final = {
    "Minimum": "must be at least {}",
    "Maximum": "must be at most {}",
    "ExclusiveMinimum": "must be more than {}",
    "ExclusiveMaximum": "must be less than {}",
    "MinLength": "must have at least {} characters",
    "MaxLength": "must have at most {} characters",
    "MinItems": "must have at least {} elements",
    "MaxItems": "must have at most {} elements",
    "MinProperties": "must have at least {} fields",
    "MaxProperties": "must have at most {} fields",
}
_FIXED: Final = {
    "UniqueItems": "must not have an element twice",
    "Contains": "lacks an element that it must have, or has it too often",
    "Not": "has a value that is excluded",
    "OneOfMultipleValid": "fits more than one of the alternatives",
    "FalseSchema": "is not allowed here",
    "AdditionalItems": "has too many elements",
    "UnevaluatedItems": "has too many elements",
    "BacktrackLimitExceeded": "is too complex to be checked",
    "RegexEngineFailure": "cannot be checked",
}
_FORMATS: Final = {
    "date": "must be a date such as 2026-01-31",
    "date-time": "must be a date and time with an offset, such as 2026-01-31T12:00:00Z",
    "uuid": "must be a UUID with hyphens",
    "time": "must be a time with an offset, such as 12:00:00Z",
    "duration": "must be a duration such as P1DT12H",
    "email": "must be an e-mail address",
    "uri": "must be an absolute URI",
    "decimal": "must be a decimal number as text",
    "byte": "must be base64 with padding",
    "base64": "must be base64 with padding",
    "base64url": "must be base64url",
    "char": "must be one character",
    "regex": "must be a regular expression of ECMA-262",
}


def reason_of(kind: Any, schema: Mapping[str, Any]) -> str:
    """Return what a value must be, from what the engine says that it is not."""
    name = type(kind).__name__
    if name == "Type":
        return f"must be {one_of(TYPES.get(str(item), str(item)) for item in kind.types)}"
    if name == "Enum":
        return f"must be {one_of(literal_of(option) for option in kind.options)}"
    if name == "Constant":
        return f"must be {literal_of(kind.expected_value)}"
    if name == "Pattern":
        return f"must match the pattern {_stated(kind.pattern, schema)}"
    if name == "Format":
        return _FORMATS.get(kind.format, f"must have the format {kind.format}")
    if name == "MultipleOf":
        return f"must be a multiple of {kind.multiple_of}"
    if name in _LIMITS:
        return _LIMITS[name].format(kind.limit)
    return _FIXED.get(name, "is not valid")


def _stated(pattern: str, node: Any) -> str:
    """The pattern as the contract has it, which the engine may have been given spelled out."""
    waiting: list[Any] = [node]
    while waiting:
        one = waiting.pop()
        if is_map(one):
            stated = one.get("pattern")
            if isinstance(stated, str) and spelled_out(stated) == pattern:
                return stated
            waiting += one.values()
        elif is_list(one):
            waiting += one
    return pattern


def literal_of(value: Any) -> str:
    """Return a constant of the contract in words."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value) if isinstance(value, int | float | str) else "a fixed value"


def one_of(options: Iterable[str]) -> str:
    """Return the options in words; of many the first dozen."""
    names = list(dict.fromkeys(options))
    if len(names) > _SHOWN_OPTIONS:
        return f"one of {len(names)} values, such as {', '.join(names[:_SHOWN_OPTIONS])}"
    return names[0] if len(names) == 1 else "one of " + ", ".join(names)
