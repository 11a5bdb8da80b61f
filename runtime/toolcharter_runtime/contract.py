"""The bases of a generated package's models: what a tool takes and what it returns.

The frozen contract's schema is the law; these models are how Python code writes and reads the same values with types.
A model that names its contract asks that law of every value, for pydantic cannot say all that JSON Schema says.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import date, datetime, time
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Self, cast
from uuid import UUID

from pydantic import MISSING, BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from toolcharter_runtime.faults import find_fault
from toolcharter_runtime.jsonvalue import is_list, is_object
from toolcharter_runtime.language import LanguageError, tokens_of
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.strict import MAX_BYTES, Rejected, check_json, in_digits, parse_json

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["ToolArguments", "ToolResult"]

_JUDGED: Final = object()
"""The context of a validation whose value the frozen schema has accepted."""


class _Payload(BaseModel):
    """Closed, strict, frozen; built when first used, so that importing a large package stays cheap."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        hide_input_in_errors=True,
        protected_namespaces=(),  # a property called `model_dump` is a field `model_dump_`
    )
    __contract__: ClassVar[str | None] = None
    __part__: ClassVar[tuple[str, ...]] = ()
    __exact__: ClassVar[bool] = True

    def __init_subclass__(cls, *, contract: str | None = None, **others: Any) -> None:
        """Bind the model to the frozen schema of a contract, e.g. `get_customer.v1`; a part of a model has none."""
        super().__init_subclass__(**others)
        cls.__contract__ = contract

    def __init__(self, /, **data: Any) -> None:
        """Take fields by their Python names; values are Python's or those of JSON."""
        model = type(self)
        if model.__contract__ is None:
            super().__init__(**data)
            return
        own = {
            name: field.alias
            for name, field in model.model_fields.items()
            if field.alias is not None
        }
        value = model._judge({own.get(name, name): item for name, item in data.items()})  # noqa: SLF001
        model._build(value, self)  # noqa: SLF001

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # pydantic shall not call it for parts

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Return the model of a JSON value, or of one that holds dates and models in its place."""
        if cls.__contract__ is None or isinstance(obj, cls):
            return super().model_validate(obj, **options)
        return cls._build(cls._judge(obj))

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Return the model of a JSON text."""
        if cls.__contract__ is None:
            return super().model_validate_json(json_data, **options)
        raw = json_data if isinstance(json_data, str) else bytes(json_data)
        limit = MAX_BYTES if cls.__exact__ else sys.maxsize
        try:
            value = parse_json(raw, max_bytes=limit, exact=cls.__exact__)
        except Rejected as refused:
            cls._refuse(refused)
        return cls._build(cls._judge(value))

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Return the model of a JSON object that the frozen schema has accepted; texts become dates where typed so."""
        if cls.__contract__ is None:
            return super().model_validate_json(json.dumps(value))
        return cls._build(value)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object: a field that was never set is absent, one set to None is null (C3)."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @classmethod
    def _judge(cls, value: Any) -> Any:
        """Return the value as JSON; raise where the frozen schema refuses it."""
        limit = MAX_BYTES if cls.__exact__ else sys.maxsize
        validator, schema = _law(cls)
        try:
            checked = in_digits(check_json(_as_json(value), max_bytes=limit, exact=cls.__exact__))
            if not validator.is_valid(checked):
                raise find_fault(validator.iter_errors(checked), schema)
        except Rejected as refused:
            cls._refuse(refused)
        return checked

    @classmethod
    def _build(cls, value: Any, instance: Self | None = None) -> Self:
        try:
            return cast(
                "Self",
                cls.__pydantic_validator__.validate_json(
                    json.dumps(value),
                    self_instance=instance,
                    context=_JUDGED,
                    by_alias=True,
                    by_name=False,
                ),
            )
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            raise _refusal(cls.__name__, first["loc"], "is not what the model takes") from None

    @classmethod
    def _refuse(cls, refused: Rejected) -> NoReturn:
        try:
            place = tokens_of(refused.pointer)
        except LanguageError:  # an echoed name was cut inside an escape
            place = ()
        raise _refusal(cls.__name__, tuple(place), refused.reason) from None

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler, /
    ) -> core_schema.CoreSchema:
        """Inside of another model the law is asked as well, after the fact."""
        schema = handler(source)
        if cls.__contract__ is None:
            return schema
        return core_schema.with_info_after_validator_function(cls._asked, schema)

    @classmethod
    def _asked(cls, model: _Payload, info: core_schema.ValidationInfo) -> _Payload:
        if info.context is not _JUDGED:
            cls._judge(model)
        return model


class ToolArguments(_Payload):
    """Base of the arguments of a tool."""

    __part__ = ("arguments",)


class ToolResult(_Payload):
    """Base of the result of a tool."""

    __part__ = ("view", "result")
    __exact__ = False


def _refusal(title: str, place: tuple[str | int, ...], reason: str) -> ValidationError:
    """An error of pydantic's own type that carries no value."""
    kind = PydanticCustomError("refused", "{reason}", {"reason": reason})
    return ValidationError.from_exception_data(
        title, [InitErrorDetails(type=kind, loc=place, input=None)], hide_input=True
    )


@cache
def _law(model: type[_Payload]) -> tuple[Draft202012Validator, Mapping[str, Any]]:
    """The schema of a model, compiled when the first value is judged."""
    from importlib.resources import (
        files,
    )  # it loads much that a package which is only imported does not need

    package = model.__module__.rpartition(".contracts.")[0]
    path = files(package).joinpath("catalog", f"{model.__contract__}.json")
    schema: Any = json.loads(path.read_text("utf-8"))
    for name in model.__part__:
        schema = schema[name]
    return compile_schema(schema), schema


def _as_json(value: Any) -> Any:
    """The JSON form of what Python code gives: dates, UUIDs, tuples and models become what they stand for."""
    if isinstance(value, str | int | float) or value is None:
        return value
    if is_object(value):
        return {name: _as_json(item) for name, item in value.items() if item is not MISSING}
    if is_list(value) or isinstance(value, tuple):
        return [_as_json(item) for item in cast("list[Any]", value)]
    if isinstance(value, _Payload):
        return value.to_json()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
