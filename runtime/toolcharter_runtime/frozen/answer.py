"""What an answer means and what of it goes out: rules, the view, and pages."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .part import Condition, Part, Schema

__all__ = ["AnswerRule", "Money", "Page", "Success", "View", "ViewField"]


class AnswerRule(Part):
    """What an upstream answer means; the first rule whose condition holds decides."""

    when: Condition
    """Keys are places of the answer: `http`, `header.X`, `/pointer`."""
    outcome: Literal["completed", "accepted", "rejected", "unknown"]
    code: str | None = None
    field: str | None = None
    replayed: bool = False


class Success(Part):
    """A success status that the description declares, e.g. `200` or `2XX`, and the media type that is read of it.

    Of one that is neither JSON nor text the body is left alone.
    """

    status: str
    media: str | None = None


class Money(Part):
    """How an amount is read by people: minor units or a decimal string, and where its currency is."""

    unit: Literal["minor", "decimal"]
    currency: str
    """A name of the same view or input, `$before.x`, or a constant in quotes such as `"'EUR'"`."""


class ViewField(Part):
    """One name of the view and where the answer has it."""

    name: str
    at: str | None = None
    """A place of the answer (`/pointer`, `header.X`); inside another field, a pointer relative to what stands there."""
    count: str | None = None
    """A place whose number of elements is the value."""
    each: tuple[ViewField, ...] | None = None
    """Of a list: the fields of its elements."""
    fields: tuple[ViewField, ...] | None = None
    """Of an object: its fields."""
    element: ViewField | None = None
    """Of a list: what each element is; its name is `*`."""
    values: ViewField | None = None
    """Of a map with keys of the API's own: what each value is; its name is `*`."""
    accepts: Schema = Field(default_factory=dict)
    """The schema of the raw value; formats are asserted. Where fields lie inside: what is around them (type and bounds)."""
    required: bool = False
    branch: Schema | None = None
    """Of a union: only values that this schema accepts are taken, any other is left out."""
    hidden: bool = False
    """For the boundary only."""
    secret: bool = False
    redact: Literal["mask", "last4", "hash"] | None = None
    truncate: int | None = None
    open_enum: bool = False
    open_union: bool = False
    money: Money | None = None

    @property
    def inner(self) -> tuple[ViewField, ...]:
        """The fields right inside this one."""
        alone = tuple(one for one in (self.element, self.values) if one is not None)
        return (*(self.each or ()), *(self.fields or ()), *alone)


class View(Part):
    """What goes out: fields, and the closed schema of the result after redaction."""

    fields: tuple[ViewField, ...] = ()
    result: Schema
    """JSON Schema (2020-12) of the result that the model sees; of a list, with `next_cursor`."""
    maximum_bytes: int
    """Bound of the whole answer body that is read (X5)."""
    result_bytes: int | None = None
    """Bound of the result as compact JSON in UTF-8, `next_cursor` apart; none where its schema alone bounds it."""


class Page(Part):
    """How one more page is asked for; the model sees one opaque `cursor` and `next_cursor`.

    `{$cursor}` stands in the request where the upstream's own cursor goes.
    """

    kind: Literal["answer", "last", "link", "url", "offset", "number"]
    """`answer`: the next cursor is at `next`. `last`: the last item's value at `next` (relative to the item).
    `link`: query parameter `take` of the `Link` header's relation `next`. `url`: parameter `take` of the URL at the
    place `next`. `offset`: items seen so far. `number`: page number."""
    next: str | None = None
    take: str | None = None
    until: Condition | None = None
    items: str
    """The list field of the view."""
    size: int
