"""Where only plain values can stand: texts are joined of scalars, and conditions compare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolcharter_runtime.jsonvalue import is_map
from toolcharter_runtime.language import Reference, references

from .case import Case
from .merging import JsonSchema, types_of
from .values import Values

__all__ = ["check_compared", "check_joined"]

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_OF_ANYTHING: Final = frozenset({"exists", "changed"})


def check_joined(case: Case, template: str | None, pointer: str) -> None:
    """Report an input in a text that is no scalar (TC731)."""
    for reference in references(template):
        if reference.root is None and not _is_scalar(Values(case).of(reference)):
            message = f"`{{{reference}}}` is a list, a map or an object, which no text can hold"
            hint = f"name a member of it, such as `{{{reference}.name}}`, or leave it out: the page shows it whole"
            case.findings.error("TC731", message, pointer, hint)


def check_compared(case: Case, condition: Mapping[str, Any], pointer: str) -> None:
    """Report a test of an input that such a value never meets (TC731)."""
    for key, wanted in condition.items():
        if key.startswith("$"):
            continue
        schema = Values(case).of(Reference(None, tuple(key.split("."))))
        tests = set(wanted) if is_map(wanted) else {"equal"}
        inner = wanted.get("not") if is_map(wanted) else None
        if is_map(inner):
            tests = set(inner)
        allowed = _OF_ANYTHING | {"contains"} if _is_list(schema) else _OF_ANYTHING
        if not _is_scalar(schema) and not tests <= allowed:
            message = f"input `{key}` is a list, a map or an object, which cannot be compared"
            hint = f"ask `exists` of it, or name a member: `{key}.name`"
            case.findings.error("TC731", message, pointer, hint)


def _is_list(schema: JsonSchema | None) -> bool:
    return schema is not None and "array" in (types_of(schema) or ())


def _is_scalar(schema: JsonSchema | None) -> bool:
    """Say whether a value may be a scalar; what is not known is not judged."""
    if schema is None:
        return True
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return any(map(_is_scalar, schema[keyword]))
    kinds = types_of(schema)
    return kinds is None or bool((_SCALARS - {"null"}) & set(kinds))
