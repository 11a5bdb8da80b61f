"""One place of the request and the template that stands there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcharter_runtime.language import Place

from .case import Input, Spot
from .merging import JsonSchema

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One place of the request and the template that stands there."""

    place: Place
    value: Any
    spot: Spot
    pointer: str
    always: bool
    """The place has a value in every call."""
    accepts: JsonSchema | None = None
    one: Input | None = None
    """The input that stands there as it is."""
