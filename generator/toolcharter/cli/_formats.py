"""The forms in which findings are printed; apart from what prints them, so that help does not load the rules."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = ["FORMATS", "Format"]

Format: TypeAlias = Literal["text", "concise", "json", "github", "sarif", "gitlab"]
FORMATS: tuple[Format, ...] = get_args(Format)
