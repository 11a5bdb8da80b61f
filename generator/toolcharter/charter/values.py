"""The small values of the charter: durations, sizes, and short forms that stand for a map."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, JsonValue
from pydantic.annotated_handlers import GetCoreSchemaHandler
from pydantic.json_schema import JsonSchemaValue, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

__all__ = [
    "Closed",
    "Condition",
    "Day",
    "Duration",
    "Names",
    "Number",
    "Period",
    "Short",
    "Size",
    "Template",
    "parse_duration",
    "parse_size",
]

Condition: TypeAlias = dict[str, JsonValue]
"""A condition of the little language: name (or place) → value, list of values, or one test."""
Template: TypeAlias = JsonValue
"""A JSON value in which every string is a template."""
Names: TypeAlias = tuple[str, ...]

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = 3650 * 86400.0
"""A date so far ahead can still be counted with."""
_SIZE = re.compile(r"([0-9]+)(B|KiB|MiB)")
_BYTES = {"B": 1, "KiB": 1024, "MiB": 1024 * 1024}


class Closed(BaseModel):
    """A map of the charter: unknown keys are errors, types are not bent, values do not change.

    Its validator is built when it is first needed, which is once, for the whole charter.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        validate_by_alias=True,
        validate_by_name=False,
        defer_build=True,
    )


def parse_duration(value: object) -> object:
    """Return the seconds that `30m` means; anything but a text is left for the type to refuse."""
    if not isinstance(value, str):
        raise PydanticCustomError("duration", "a duration such as 500ms, 20s, 30m, 4h or 7d")
    found = _DURATION.fullmatch(value)
    if found is None or float(found[1]) == 0:
        raise PydanticCustomError("duration", "a duration such as 500ms, 20s, 30m, 4h or 7d")
    seconds = float(found[1]) * _SECONDS[found[2]]
    if seconds > _LONGEST:
        raise PydanticCustomError("duration", "a duration of at most 3650d")
    return seconds


def _parse_period(value: object) -> object:
    return math.inf if value == "forever" else parse_duration(value)


def parse_size(value: object) -> object:
    """Return the bytes that `32KiB` means; a whole number is bytes already."""
    if isinstance(value, str) and (found := _SIZE.fullmatch(value)) is not None:
        value = int(found[1]) * _BYTES[found[2]]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise PydanticCustomError("size", "a size such as 512B, 32KiB or 1MiB")
    return value


def _refuse_text(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PydanticCustomError("number", "a number")
    return value


def _parse_day(value: object) -> object:
    if not isinstance(value, str):
        raise PydanticCustomError("day", "a date such as 2027-12-31")
    return value


Number = Annotated[int | float, BeforeValidator(_refuse_text)]
"""A number as written: whole numbers stay whole."""
Day = Annotated[date, BeforeValidator(_parse_day)]
"""A date, written `2027-12-31`."""
_DURATION_SCHEMA: JsonSchemaValue = {"type": "string", "pattern": f"^{_DURATION.pattern}$"}
Duration = Annotated[float, BeforeValidator(parse_duration), WithJsonSchema(_DURATION_SCHEMA)]
"""Seconds, written `500ms`, `20s`, `30m`, `4h` or `7d`."""
Period = Annotated[
    float,
    BeforeValidator(_parse_period),
    WithJsonSchema({"anyOf": [{"const": "forever"}, _DURATION_SCHEMA]}),
]
"""Seconds, or infinity for `forever`."""
Size = Annotated[
    int,
    BeforeValidator(parse_size),
    WithJsonSchema(
        {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": f"^{_SIZE.pattern}$"}]}
    ),
]
"""Bytes, written as a number, `512B`, `32KiB` or `1MiB`."""


@dataclass(frozen=True, slots=True, eq=False)
class Short:
    """A short form: `expand` turns it into the full one before it is validated.

    Beside the full form the published JSON Schema then allows `form`. A union of models would do the same with
    worse messages: pydantic reports each branch, and puts the branch's name into the place.
    """

    expand: Callable[[Any], Any]
    form: Mapping[str, JsonValue]

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.expand, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [dict(self.form), handler(schema)]}
