"""What may come in and go out: entries of `input`, `fields`, `view` and `context`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue, StrictBool, StrictInt

from .values import Closed, Number, Short

__all__ = ["InputEntry", "InputSpec", "KeySpec", "Keywords", "MoneySpec", "ViewEntry", "ViewSpec"]


class Keywords(Closed):
    """JSON Schema keywords that tighten a described place, or type one that is not described."""

    type: Literal["string", "integer", "number", "boolean", "array"] | None = None
    format: str | None = None
    pattern: str | None = None
    min_length: StrictInt | None = Field(default=None, alias="minLength", ge=0)
    max_length: StrictInt | None = Field(default=None, alias="maxLength", ge=0)
    minimum: Number | None = None
    maximum: Number | None = None
    exclusive_minimum: Number | None = Field(default=None, alias="exclusiveMinimum")
    exclusive_maximum: Number | None = Field(default=None, alias="exclusiveMaximum")
    multiple_of: Number | None = Field(default=None, alias="multipleOf", gt=0)
    enum: tuple[JsonValue, ...] | None = Field(default=None, min_length=1)
    const: JsonValue = None
    default: JsonValue = None
    min_items: StrictInt | None = Field(default=None, alias="minItems", ge=0)
    max_items: StrictInt | None = Field(default=None, alias="maxItems", ge=0)
    unique_items: StrictBool | None = Field(default=None, alias="uniqueItems")
    items: Keywords | None = None

    def schema_keywords(self) -> dict[str, JsonValue]:
        """Return the JSON Schema keywords that the charter wrote, by their JSON Schema names."""
        return {
            name: value
            for name, value in self.model_dump(
                mode="json", by_alias=True, exclude_unset=True
            ).items()
            if name in _KEYWORD_NAMES and (value is not None or name in ("const", "default"))
        }


_KEYWORD_NAMES = frozenset(f.alias or name for name, f in Keywords.model_fields.items())


class MoneySpec(Closed):
    """How an amount is counted, and the name that holds its currency (or a constant in quotes)."""

    unit: Literal["minor", "decimal"]
    currency: str


class KeySpec(Closed):
    """What the keys of a map may be: they only tighten."""

    pattern: str | None = None
    format: str | None = None
    min_length: StrictInt | None = Field(default=None, alias="minLength", ge=0)
    max_length: StrictInt | None = Field(default=None, alias="maxLength", ge=0)
    enum: tuple[str, ...] | None = Field(default=None, min_length=1)


class InputSpec(Keywords):
    """One thing that the model may send."""

    to: str | None = None
    """Its place; none: the one parameter or property of its name, unless `send` fills it."""
    required: StrictBool | None = None
    nullable: StrictBool | None = None
    branch: str | None = None
    branches: dict[str, dict[str, InputEntry]] | None = None
    """Tag value → inputs of that branch; places inside are relative."""
    kinds: dict[str, InputEntry] | None = None
    """Any other union: a component, a JSON type or a branch's number → what of that kind may be sent."""
    fields: dict[str, InputEntry] | None = None
    """One object, closed: its members; places inside are relative."""
    each: dict[str, InputEntry] | None = None
    """A list of such objects: short for `element: {fields: …}`."""
    element: InputEntry | None = None
    """A list: what each of its elements may be."""
    values: InputEntry | None = None
    """A map with keys of the model's own: what each of its values may be."""
    keys: KeySpec | None = None
    min_properties: StrictInt | None = Field(default=None, alias="minProperties", ge=0)
    max_properties: StrictInt | None = Field(default=None, alias="maxProperties", ge=0)
    multi_segment: StrictBool | None = None
    money: MoneySpec | None = None
    resolved_by: str | None = None
    description: str | None = None

    def inner(self) -> Iterator[tuple[tuple[str, ...], InputSpec]]:
        """Yield the specs right inside this one, each with the steps that lead to it."""
        for key, entry in (("element", self.element), ("values", self.values)):
            if entry is not None:
                yield (key,), entry
        for key, entries in (("fields", self.fields), ("each", self.each), ("kinds", self.kinds)):
            for name, entry in (entries or {}).items():
                yield (key, name), entry
        for tag, branch in (self.branches or {}).items():
            for name, entry in branch.items():
                yield ("branches", tag, name), entry


class ViewSpec(Keywords):
    """One name of the answer that the rest of the charter, and mostly the model, can use."""

    at: str | None = None
    """Its place; inside `each`, `fields` and `values` it may be left out: the property of its name."""
    count: str | None = None
    each: dict[str, ViewEntry] | None = None
    """The elements of a list, each an object of these names: short for `element: {fields: …}`."""
    element: ViewEntry | None = None
    """What each element of a list is."""
    fields: dict[str, ViewEntry] | None = None
    """An object of these names."""
    values: ViewEntry | None = None
    """What each value of a map with keys of the API's own is."""
    max_properties: StrictInt | None = Field(default=None, alias="maxProperties", ge=0)
    required: StrictBool | None = None
    hidden: StrictBool = False
    branch: str | None = None
    open_enum: StrictBool = False
    open_union: StrictBool = False
    truncate: StrictInt | None = Field(default=None, ge=1)
    money: MoneySpec | None = None
    redact: Literal["mask", "last4", "hash"] | None = None
    secret: StrictBool = False
    description: str | None = None

    def inner(self) -> Iterator[tuple[tuple[str, ...], ViewSpec]]:
        """Yield the specs right inside this one, each with the steps that lead to it."""
        for key, entry in (("element", self.element), ("values", self.values)):
            if entry is not None:
                yield (key,), entry
        for key, entries in (("each", self.each), ("fields", self.fields)):
            for name, entry in (entries or {}).items():
                yield (key, name), entry


def _expand_input(value: object) -> object:
    if value is None:
        return {}
    return {"to": value} if isinstance(value, str) else value


def _expand_view(value: object) -> object:
    if value is None:
        return {}
    return {"at": value} if isinstance(value, str) else value


InputEntry = Annotated[InputSpec, Short(_expand_input, {"type": ["string", "null"]})]
"""An input: nothing (described, or shared by `fields`), a bare place, or a map."""
ViewEntry = Annotated[ViewSpec, Short(_expand_view, {"type": ["string", "null"]})]
"""A name of a view: a bare place, a map, or inside another name nothing: the property of its name."""
