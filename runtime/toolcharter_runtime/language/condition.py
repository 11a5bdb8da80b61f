"""Conditions: maps whose entries must all hold (docs/charter.md).

The value of an entry is a scalar (equal, of the same type), a list (one of) or a map with one test. An absent value
satisfies only `exists: false` and `not`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias

from toolcharter_runtime.jsonvalue import is_list, is_map
from toolcharter_runtime.language.errors import LanguageError
from toolcharter_runtime.language.nothing import ABSENT, UNSET
from toolcharter_runtime.language.place import Every, Json
from toolcharter_runtime.language.template import Reference, Scope, references, render

__all__ = [
    "TESTS",
    "LookUp",
    "check_condition",
    "condition_names",
    "equal",
    "holds",
    "look_up_names",
    "where_holds",
]

TESTS: Final = ("not", "exists", "at_least", "at_most", "contains", "changed")

LookUp: TypeAlias = Callable[[str], Any]
"""From the key of an entry to its raw value, or `ABSENT`."""

_DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def holds(condition: Mapping[str, Json], look_up: LookUp, scope: Scope) -> bool:
    """Return whether every entry holds; an entry that names an unset value does not."""
    return all(_entry_holds(key, wanted, look_up, scope) for key, wanted in condition.items())


def where_holds(condition: Mapping[str, Json], look_up: LookUp, scope: Scope) -> bool:
    """Return whether the entries hold as a `where`.

    Entries that name an unset input are left out; when nothing positive is left, nothing matches.
    """
    kept = {
        key: wanted
        for key, wanted in condition.items()
        if not any(item.root is None and scope.find(item) is ABSENT for item in references(wanted))
    }
    if not any(_is_positive(wanted) for wanted in kept.values()):
        return False
    return holds(kept, look_up, scope)


def condition_names(condition: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the keys that the condition looks up, in order."""
    return tuple(condition)


def check_condition(condition: Mapping[str, Json]) -> tuple[Reference, ...]:
    """Return the references in the values of a well-formed condition; raise `LanguageError` for any other."""
    for key, wanted in condition.items():
        if not key:
            raise LanguageError("a condition has an empty name")
        _check_wanted(key, wanted)
    return references(dict(condition))


def look_up_names(values: Mapping[str, Any], scope: Scope) -> LookUp:
    """Return a look-up of names: `x` and `x.part` in `values`, `$root.x` in the scope.

    The name `absent` is false unless the values say that the read answered 404 or 410.
    """

    def look_up(key: str) -> Any:
        root, path = _split_name(key)
        found = _descend(values, path) if root is None else scope.find(Reference(root, path))
        if found is ABSENT and path == ("absent",) and (root is None or root in scope.roots):
            return False
        return found

    return look_up


def equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal and of the same type: true is not 1, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if is_list(left) and is_list(right):
        return len(left) == len(right) and all(map(equal, left, right))
    if is_map(left) and is_map(right):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


def _entry_holds(key: str, wanted: Any, look_up: LookUp, scope: Scope) -> bool:
    value = look_up(key)
    if isinstance(value, Every) and not (is_map(wanted) and "contains" in wanted):
        elements = [*value, *([ABSENT] * value.missing)]
        return all(_matches(item, wanted, key, scope) for item in elements or [ABSENT])
    return _matches(value, wanted, key, scope)


def _matches(value: Any, wanted: Any, key: str, scope: Scope) -> bool:
    if is_map(wanted):
        if len(wanted) != 1:
            raise LanguageError(f"the condition on `{key}` must be one test: {', '.join(TESTS)}")
        ((test, operand),) = wanted.items()
        return _test(test, value, operand, key, scope)
    if value is ABSENT:
        return False
    if is_list(wanted):
        return any(_equals_rendered(value, item, scope) for item in wanted)
    return _equals_rendered(value, wanted, scope)


def _test(test: str, value: Any, operand: Json, key: str, scope: Scope) -> bool:
    if test == "not":
        return _not(value, operand, key, scope)
    if test == "exists":
        return (value is not ABSENT) is (operand is True)
    if test not in TESTS:
        raise LanguageError(f"`{test}` on `{key}` is not a test: known are {', '.join(TESTS)}")
    if value is ABSENT:
        return False
    if test == "changed":
        return "before" in scope.roots and _changed(value, key, scope) is (operand is True)
    wanted = render(operand, scope)
    if wanted is UNSET:
        return False
    if test == "contains":
        return _contains(value, wanted)
    order = _compare(value, wanted)
    return order is not None and (order >= 0 if test == "at_least" else order <= 0)


def _not(value: Any, operand: Any, key: str, scope: Scope) -> bool:
    if value is ABSENT and not is_map(operand):
        return True
    if any(scope.find(item) is ABSENT for item in references(operand)):
        return False
    return not _matches(value, operand, key, scope)


def _equals_rendered(value: Any, template: Json, scope: Scope) -> bool:
    wanted = render(template, scope)
    return wanted is not UNSET and equal(value, wanted)


def _changed(value: Any, key: str, scope: Scope) -> bool:
    _, path = _split_name(key)
    return not equal(value, scope.find(Reference("before", path)))


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted != "" and wanted in value
    return is_list(value) and any(equal(item, wanted) for item in value)


def _compare(left: Any, right: Any) -> int | None:
    """Return -1, 0 or 1, or None where the two have no order: numbers and decimals, dates, instants."""
    for kind in (_number, _date, _instant):
        first, second = kind(left), kind(right)
        if first is not None and second is not None:
            return int(first > second) - int(first < second)
    return None


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return Decimal(value)
    return None


def _date(value: Any) -> Any:
    return value if isinstance(value, str) and _DATE.fullmatch(value) else None


def _instant(value: Any) -> Any:
    if not isinstance(value, str) or len(value) > 40 or "T" not in value.upper():
        return None
    try:
        instant = datetime.fromisoformat(value.upper())
    except ValueError:
        return None
    return instant if instant.tzinfo is not None else None


def _is_positive(wanted: Json) -> bool:
    if not is_map(wanted):
        return True
    return "not" not in wanted and wanted != {"exists": False}


def _check_wanted(key: str, wanted: Json) -> None:
    if is_list(wanted):
        if not wanted:
            raise LanguageError(
                f"the condition on `{key}` is an empty list, which nothing can match"
            )
        if any(is_map(item) or is_list(item) for item in wanted):
            raise LanguageError(
                f"the condition on `{key}` is a list of something else than scalars"
            )
    if not is_map(wanted):
        return
    tests = tuple(wanted)
    if len(tests) != 1 or tests[0] not in TESTS:
        raise LanguageError(
            f"the condition on `{key}` must be a scalar, a list or one test: {', '.join(TESTS)}"
        )
    operand = wanted[tests[0]]
    if tests[0] in ("exists", "changed") and not isinstance(operand, bool):
        raise LanguageError(f"`{tests[0]}` on `{key}` must be true or false")
    if tests[0] == "not":
        _check_wanted(key, operand)
    elif is_map(operand) or is_list(operand):
        raise LanguageError(f"`{tests[0]}` on `{key}` needs a scalar")


def _split_name(key: str) -> tuple[str | None, tuple[str, ...]]:
    if not key.startswith("$"):
        return None, tuple(key.split("."))
    root, *path = key[1:].split(".")
    return root, tuple(path)


def _descend(values: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    if len(path) > 1 and ".".join(path) in values:
        return values[".".join(path)]
    return Scope(values).find(Reference(None, path))
