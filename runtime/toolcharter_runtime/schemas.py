"""Compiled JSON Schemas (Draft 2020-12): the only door to jsonschema-rs.

Formats are asserted, those of numbers as bounds; patterns mean what ECMA-262 says, and references never leave the schema.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from toolcharter_runtime.ecma import is_foreign, is_plain, spelled_out
from toolcharter_runtime.jsonvalue import is_list, is_map

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["FORMATS", "NUMBER_FORMATS", "SchemaFault", "compile_part", "compile_schema"]


class SchemaFault(ValueError):
    """A schema that cannot be compiled. The text names the fault and no value."""


def compile_schema(schema: Mapping[str, Any] | bool) -> Draft202012Validator:
    """Compile a schema; raise `SchemaFault`. Compiling costs about 20 µs, so keep what it returns."""
    return _compile(schema if isinstance(schema, bool) else _prepared(schema), None)


def compile_part(schema: Mapping[str, Any], pointer: str) -> Draft202012Validator:
    """Compile what stands at a JSON Pointer of a schema, whose references are those of the whole."""
    return (
        _compile({"$ref": f"{_WHOLE}#{quote(pointer)}"}, _prepared(schema))
        if pointer
        else compile_schema(schema)
    )


_WHOLE: Final = "urn:toolcharter:schema"


def _compile(schema: Any, whole: Any) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator, ReferencingError, Registry, ValidationError

    try:
        return Draft202012Validator(
            schema,
            formats=dict(FORMATS),
            validate_formats=True,
            offline=True,
            email_options=_email_options(),
            registry=None if whole is None else Registry([(_WHOLE, whole)]),
        )
    except ValidationError as error:
        raise SchemaFault(f"the schema is not valid at {_pointer(error.instance_path)}") from None
    except (ReferencingError, ValueError) as error:
        raise SchemaFault(f"the schema cannot be compiled: {type(error).__name__}") from None


_INNER: Final = frozenset(
    {"additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
)  # fmt: skip
_NAMED: Final = frozenset({"$defs", "definitions", "dependentSchemas", "properties"})
_LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})


def _prepared(node: Any) -> Any:
    """Return the schema as the engine has to read it: patterns spelled out, formats of numbers as bounds."""
    if not is_map(node):
        return node
    schema = dict(node)
    for word, inner in schema.items():
        if word in _INNER:
            schema[word] = _prepared(inner)
        elif word in _NAMED and is_map(inner):
            schema[word] = {name: _prepared(one) for name, one in inner.items()}
        elif word in _LISTED and is_list(inner):
            schema[word] = [_prepared(one) for one in inner]
        elif word == "patternProperties" and is_map(inner):
            schema[word] = {_pattern(name): _prepared(one) for name, one in inner.items()}
    if isinstance(schema.get("pattern"), str):
        schema["pattern"] = _pattern(schema["pattern"])
    if schema.get("format") in NUMBER_FORMATS:
        low, high = NUMBER_FORMATS[schema["format"]]
        _tighten(schema, "minimum", low, max)
        _tighten(schema, "maximum", high, min)
    return schema


def _pattern(pattern: Any) -> str:
    if is_foreign(str(pattern)):
        raise SchemaFault("a pattern is no regular expression of ECMA-262")
    return spelled_out(str(pattern))


def _tighten(
    schema: dict[str, Any], word: str, bound: float, choose: Callable[[float, float], float]
) -> None:
    stated = schema.get(word, bound)
    if isinstance(stated, int | float):  # what else stands there, the engine refuses to compile
        schema[word] = choose(stated, bound)


@lru_cache(maxsize=1)
def _email_options() -> Any:
    from jsonschema_rs import EmailOptions

    return EmailOptions(allow_display_text=False, allow_domain_literal=False)


def _pointer(path: list[str | int]) -> str:
    return "".join(f"/{token}" for token in path) or "its root"


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", re.ASCII)
_DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)


def _is_date(value: str) -> bool:
    if not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_date_time(value: str) -> bool:
    """RFC 3339 with an offset. A leap second is refused: no clock of ours can say it back."""
    matched = _DATE_TIME.fullmatch(value)
    if not matched:
        return False
    whole = value[:19].upper()
    offset = matched.group(2).upper().replace("Z", "+00:00")
    try:
        datetime.fromisoformat(whole + offset).astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return True


def _is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def _is_decimal(value: str) -> bool:
    return _DECIMAL.fullmatch(value) is not None


def _is_base64(value: str) -> bool:
    try:
        return base64.b64encode(base64.b64decode(value, validate=True)).decode("ascii") == value
    except (binascii.Error, ValueError):
        return False


def _is_base64url(value: str) -> bool:
    """RFC 4648, section 5; padded or not, as descriptions do both."""
    plain = value.rstrip("=").translate({45: 43, 95: 47})
    padded = plain + "=" * (-len(plain) % 4)
    return (
        set(value).isdisjoint("+/")
        and value in (value.rstrip("="), _url(padded))
        and _is_base64(padded)
    )


def _url(value: str) -> str:
    return value.translate({43: 45, 47: 95})


def _is_char(value: str) -> bool:
    return len(value) == 1


def _is_regex(value: str) -> bool:
    """ECMA-262 with the `u` flag, as far as the engine goes."""
    try:
        compile_schema({"pattern": value})
    except SchemaFault:
        return False
    return is_plain(value)


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "base64": _is_base64,
    "base64url": _is_base64url,
    "byte": _is_base64,
    "char": _is_char,
    "date": _is_date,
    "date-time": _is_date_time,
    "decimal": _is_decimal,
    "regex": _is_regex,
    "uuid": _is_uuid,
}
"""Formats that are checked here rather than by the engine; each takes a text."""

NUMBER_FORMATS: Final[Mapping[str, tuple[float, float]]] = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
    "double-int": (-(2**53) + 1, 2**53 - 1),
    "float": (-3.4028234663852886e38, 3.4028234663852886e38),
    "double": (-1.7976931348623157e308, 1.7976931348623157e308),
}
"""Formats of numbers → the least and the greatest of them."""
