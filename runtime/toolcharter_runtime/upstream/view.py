"""What goes out of an answer: fields by name, checked raw, then bounded, redacted and closed (X5, T2)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from toolcharter_runtime import frozen
from toolcharter_runtime.faults import find_fault
from toolcharter_runtime.language import ABSENT, Every, read_pointer, tokens_of
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.redaction import redact
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.upstream.answer import Answer
from toolcharter_runtime.upstream.errors import Violation
from toolcharter_runtime.upstream.fields import read_header

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator
from toolcharter_runtime.jsonvalue import is_list, is_object

__all__ = ["Projected", "present", "project", "salvage"]

_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_OWN_SEAL: Final = secrets.token_bytes(32)
"""Keys the `hash` redaction where no store's key is given: equal values look equal within this process."""


class _Care(Enum):
    """How a field that is missing, or does not fit, is taken."""

    STRICT = auto()
    """Either is a violation."""
    PRESENT = auto()
    """What is there must fit."""
    SALVAGE = auto()
    """Either is left out."""


@dataclass(frozen=True, slots=True)
class Projected:
    """The raw values of a view by name, and the names that the answer did not have."""

    values: dict[str, Any]
    missing: tuple[str, ...] = ()


def project(
    fields: tuple[frozen.ViewField, ...], answer: Answer, *, strict: bool = True
) -> Projected:
    """Take the fields of a view from an answer, before redaction and truncation; raise `Violation`.

    A value that is there must fit its schema. With `strict=False` a required field may be missing: in a read that only
    the boundary makes, the conditions that name it decide.
    """
    return _project(fields, answer, _Care.STRICT if strict else _Care.PRESENT)


def salvage(fields: tuple[frozen.ViewField, ...], answer: Answer) -> Projected:
    """Take what fits from an answer that broke its contract after a write, for its evidence (E2).

    Conditions must not be judged from it: what was left out would satisfy a `not`.
    """
    return _project(fields, answer, _Care.SALVAGE)


def _project(fields: tuple[frozen.ViewField, ...], answer: Answer, care: _Care) -> Projected:
    values: dict[str, Any] = {}
    missing: list[str] = []
    for field in fields:
        value = _PLANS.of(field).take(answer, care)
        if value is ABSENT:
            missing.append(field.name)
        else:
            values[field.name] = value
    return Projected(values, tuple(missing))


def present(
    contract: frozen.Contract, values: Mapping[str, Any], *, seal: bytes = _OWN_SEAL
) -> dict[str, Any]:
    """Return the result as the model sees it; raise `Violation` if it misses the view's closed schema or bound.

    Of a list, `next_cursor` is null until the caller seals one. `seal` keys the `hash` redaction; the store's own key
    makes it last.
    """
    result = _shown(contract.view.fields, values, seal)
    if contract.page is not None:
        result["next_cursor"] = None
    validator = _RESULTS.of(contract.view)
    if not validator.is_valid(result):
        fault = find_fault(validator.iter_errors(result), contract.view.result)
        raise Violation(fault.pointer, fault.reason)
    if contract.view.result_bytes is not None and _size(result) > contract.view.result_bytes:
        raise Violation("", "the result is larger than its bound", too_large=True)
    return result


def _size(result: Mapping[str, Any]) -> int:
    return len(_COMPACT.encode(result).encode())


class _Plan:
    """One field of a view, with its place parsed and its schemas compiled."""

    __slots__ = (
        "_accepts",
        "_alone",
        "_branch",
        "_header",
        "_inner",
        "_place",
        "_pointer",
        "_schema",
        "field",
    )

    def __init__(self, field: frozen.ViewField) -> None:
        self.field = field
        self._place = f"/{field.name}"
        place = field.count if field.count is not None else field.at or ""
        self._header = place[len("header.") :].lower() if place.startswith("header.") else None
        self._pointer = "" if place in ("body", "") or self._header is not None else place
        tokens_of(self._pointer)
        self._schema = _open(field.accepts) if field.open_enum else dict(field.accepts)
        checked = self._schema and field.count is None
        self._accepts = compile_schema(self._schema) if checked else None
        self._branch = None if field.branch is None else compile_schema(field.branch)
        members = field.fields if field.fields is not None else field.each
        self._inner = None if members is None else tuple(_PLANS.of(one) for one in members)
        alone = field.element if field.element is not None else field.values
        self._alone = None if alone is None else _PLANS.of(alone)

    def take(self, answer: Answer, care: _Care) -> Any:
        """Return the checked value at the field's place of an answer, or `ABSENT`."""
        if self._header is not None:
            raw: Any = read_header(answer.headers.get(self._header), self._schema)
        else:
            raw = ABSENT if answer.body is ABSENT else read_pointer(answer.body, self._pointer)
        return self._checked(raw, care, self._place)

    def take_from(self, element: Any, care: _Care, place: str) -> Any:
        """Return the checked value of a list's element, or `ABSENT`."""
        return self._checked(read_pointer(element, self._pointer), care, place)

    def _checked(self, raw: Any, care: _Care, place: str) -> Any:
        field = self.field
        if isinstance(raw, Every):
            raw = list(raw) if not raw.missing else ABSENT
        if raw is not ABSENT and self._branch is not None and not _fits(self._branch, raw):
            raw = ABSENT
        if raw is ABSENT:
            if care is _Care.STRICT and field.required:
                raise Violation(place, "is missing")
            return ABSENT
        if field.count is not None:
            if is_list(raw) or is_object(raw):
                return len(raw)
            return self._wrong(care, place, "is not a list")
        if self._accepts is not None and not _fits(self._accepts, raw):
            if field.open_union:
                return ABSENT
            return self._wrong(care, place, _fault(self._accepts, raw, self._schema))
        if raw is None or (self._inner is None and self._alone is None):
            return raw
        return self._inside(raw, care, place)

    def _inside(self, raw: Any, care: _Care, place: str) -> Any:
        if self.field.fields is not None:
            return dict(self._members(raw, care, place))
        if self.field.values is not None:
            if not is_object(raw):
                return self._wrong(care, place, "is not an object")
            taken = {key: self._one(item, care, f"{place}/*") for key, item in raw.items()}
            return {key: item for key, item in taken.items() if item is not ABSENT}
        if not is_list(raw):
            return self._wrong(care, place, "is not a list")
        items = [self._one(item, care, f"{place}/{index}") for index, item in enumerate(raw)]
        return [item for item in items if item is not ABSENT]

    def _one(self, item: Any, care: _Care, place: str) -> Any:
        if self._alone is not None:
            return self._alone.take_from(item, care, place)
        return dict(self._members(item, care, place))

    def _members(self, item: Any, care: _Care, place: str) -> Iterator[tuple[str, Any]]:
        for plan in self._inner or ():
            name = plan.field.name
            value = plan.take_from(item, care, f"{place}/{name}")
            if value is not ABSENT:
                yield name, value

    def _wrong(self, care: _Care, place: str, reason: str) -> Any:
        if care is _Care.SALVAGE:
            return ABSENT
        raise Violation(place, reason)


_PLANS: PerObject[frozen.ViewField, _Plan] = PerObject(_Plan)
_RESULTS: PerObject[frozen.View, Draft202012Validator] = PerObject(
    lambda view: compile_schema(view.result)
)


def _shown(
    fields: tuple[frozen.ViewField, ...], values: Mapping[str, Any], seal: bytes
) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for field in fields:
        if field.hidden or field.secret or field.name not in values:
            continue
        value = values[field.name]
        if value is not None:
            value = _masked(field, value, seal)
        shown[field.name] = value
    return shown


def _masked(field: frozen.ViewField, value: Any, seal: bytes) -> Any:
    if field.redact is not None:
        return redact(value, field.redact, seal)
    if field.each is not None and is_list(value):
        return [_shown(field.each, item, seal) for item in value]
    if field.fields is not None and is_object(value):
        return _shown(field.fields, value, seal)
    if field.element is not None and is_list(value):
        return [_one_shown(field.element, item, seal) for item in value]
    if field.values is not None and is_object(value):
        return {key: _one_shown(field.values, item, seal) for key, item in value.items()}
    if field.truncate is not None and isinstance(value, str) and len(value) > field.truncate:
        return value[: field.truncate - 1] + "…"
    return value


def _one_shown(field: frozen.ViewField, value: Any, seal: bytes) -> Any:
    return None if value is None else _masked(field, value, seal)


def _fits(validator: Draft202012Validator, value: Any) -> bool:
    try:
        return validator.is_valid(value)
    except UnicodeEncodeError:  # a lone surrogate, which an answer may hold and no result can
        return False


def _fault(validator: Draft202012Validator, value: Any, schema: Mapping[str, Any]) -> str:
    try:
        return find_fault(validator.iter_errors(value), schema).reason
    except UnicodeEncodeError:
        return "holds a lone surrogate"


def _open(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without the enum, whose values may grow."""
    return {key: value for key, value in schema.items() if key not in ("enum", "const")}
