"""Compiled JSONPath (RFC 9535): the only door to python-jsonpath."""

from __future__ import annotations

from functools import cache
from typing import Any

from .document import Step
from .limits import MAX_DEPTH

__all__ = ["PathError", "matches"]


class PathError(Exception):
    """A text that is no JSONPath, or one that asks for too much."""


def matches(path: str, value: Any) -> list[tuple[Step, ...]]:
    """Return the steps to each node that a path selects, each node once, in the order of selection."""
    from jsonpath.exceptions import JSONPathError

    try:
        found = _environment().compile(path).finditer(value)
        return list(dict.fromkeys(tuple(match.parts) for match in found))
    except (JSONPathError, RecursionError) as error:
        # Its messages show the path over several lines, with a mark below; the first line says what is wrong.
        raise PathError(str(error).partition("\n")[0]) from None


@cache
def _environment() -> Any:
    from jsonpath import JSONPathEnvironment

    class Strict(JSONPathEnvironment):
        """The standard, and none of the library's own additions."""

        max_recursion_depth = 2 * MAX_DEPTH

    return Strict(strict=True)
