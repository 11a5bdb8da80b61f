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

    environment = _environment()
    try:
        found = environment.compile(path).finditer(value)
        return list(dict.fromkeys(tuple(match.parts) for match in found))
    except JSONPathError as error:
        # As text the error shows the path itself, and fails where that is empty; its first argument says what is wrong.
        reason = str(error.args[0]) if error.args else "it says nothing"
        raise PathError(reason.partition("\n")[0]) from None
    except Exception as error:  # numbers beyond all bounds and endless nesting end in many kinds
        raise PathError(f"it cannot be followed ({type(error).__name__})") from None


@cache
def _environment() -> Any:
    from jsonpath import JSONPathEnvironment

    class Strict(JSONPathEnvironment):
        """The standard, and none of the library's own additions."""

        max_recursion_depth = 2 * MAX_DEPTH

    return Strict(strict=True)
