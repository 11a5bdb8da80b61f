"""Compiled JSON Schemas (Draft 2020-12): the only door to jsonschema-rs.

Formats are asserted, patterns are read in ECMA-262 meaning by the engine, and references never leave the schema.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["FORMATS", "SchemaFault", "compile_schema"]


class SchemaFault(ValueError):
    """A schema that cannot be compiled. The text names the fault and no value."""


def compile_schema(schema: Mapping[str, Any] | bool) -> Draft202012Validator:
    """Compile a schema; raise `SchemaFault`. Compiling costs about 20 µs, so keep what it returns."""
    from jsonschema_rs import Draft202012Validator, ReferencingError, ValidationError

    try:
        return Draft202012Validator(
            schema if isinstance(schema, bool) else dict(schema),
            formats=dict(FORMATS),
            validate_formats=True,
            offline=True,
            email_options=_email_options(),
        )
    except ValidationError as error:
        raise SchemaFault(f"the schema is not valid at {_pointer(error.instance_path)}") from None
    except (ReferencingError, ValueError) as error:
        raise SchemaFault(f"the schema cannot be compiled: {type(error).__name__}") from None


@lru_cache(maxsize=1)
def _email_options() -> Any:
    from jsonschema_rs import EmailOptions

    return EmailOptions(allow_display_text=False, allow_domain_literal=False)


def _pointer(path: list[str | int]) -> str:
    return "".join(f"/{token}" for token in path) or "its root"


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})",
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


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "byte": _is_base64,
    "date": _is_date,
    "date-time": _is_date_time,
    "decimal": _is_decimal,
    "uuid": _is_uuid,
}
"""Formats that are checked here rather than by the engine; each takes a text."""
