"""What every part of a frozen contract is: closed, frozen, and built when it is first used."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue

__all__ = ["Condition", "Names", "Part", "Schema", "Template"]

Schema: TypeAlias = dict[str, JsonValue]
Template: TypeAlias = JsonValue
"""A JSON value in which every string is a template, e.g. `"heads/{branch}"` or `{"parse": []}`."""
Condition: TypeAlias = dict[str, JsonValue]
Names: TypeAlias = tuple[str, ...]


class Part(BaseModel):
    """A closed and frozen value of a contract."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
