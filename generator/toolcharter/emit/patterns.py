"""Which patterns pydantic may hold as well: those that its engine takes, and never reads more narrowly than ECMA-262."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_kept"]

_NARROWER = re.compile(
    r"(?<!\\)(?:\\\\)*\\[WDSsBbPpkuc1-9]|\(\?(?:[!=]|<[!=])|\[\^[^\]]*\\|\[[^\]]*\[|\(\?[^:=!<]|&&|--|~~"
)
"""What may mean less there: outside of ASCII, in look-around, in classes of classes."""


@lru_cache(maxsize=1024)
def is_kept(pattern: str) -> bool:
    """Say whether a model holds the pattern; where it does not, the frozen schema alone does."""
    if _NARROWER.search(pattern):
        return False
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True
