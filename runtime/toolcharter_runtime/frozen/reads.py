"""Reads that the boundary makes for itself, and what it asks of their answers."""

from __future__ import annotations

from pydantic import Field, JsonValue

from .part import Condition, Names, Part, Template

__all__ = ["Check", "NativePreview", "Read", "Resolver", "Target"]


class Read(Part):
    """A read that the boundary makes for itself, by registry id."""

    tool: str
    """e.g. `get_customer.v1`"""
    arguments: dict[str, Template] = Field(default_factory=dict)


class Resolver(Part):
    """An identifier that must be among the answers of a read."""

    input: str
    read: Read
    field: str
    """Name in the read's view; in a list, the name inside its elements."""


class Check(Part):
    """A further precondition on another resource."""

    read: Read
    require: Condition
    show: Names = ()
    because: str | None = None


class Target(Part):
    """What a write changes."""

    type: str
    id: Template
    """A template, or a list input's template: each element is locked."""
    read: Read | None = None
    via: Read | None = None
    """One hop: its view is `{$via.x}` in `id` and in the read's arguments."""
    version: Names = ()
    """Fields of the read's view; several make a tuple that is never sent."""
    absent: bool = False
    """The version is absence: the write creates the target."""
    unversioned: str | None = None
    """The reason for `version: {none: why}`."""
    require: Condition = Field(default_factory=dict)
    show: Names = ()


class NativePreview(Part):
    """The upstream's own preview: a read, or a dry-run of the write itself."""

    read: Read | None = None
    show: Names = ()
    not_guaranteed: Names = ()
    dry_run: dict[str, JsonValue] | None = None
    """Places of the request and the values they take."""
    confirmed_by: Condition | None = None
