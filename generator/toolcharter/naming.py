"""Python names for what the charter and the description name: pure functions, the same on every machine."""

from __future__ import annotations

import keyword
import re

__all__ = ["class_name", "field_name", "module_name", "safe_identifier"]

_WORD = re.compile(r"[A-Za-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TAKEN = frozenset(
    {
        "bool", "date", "dict", "float", "int", "list", "str", "tuple",
        "construct", "copy", "from_json", "from_orm", "json", "parse_file", "parse_obj", "parse_raw", "schema",
        "schema_json", "to_json", "update_forward_refs", "validate", "self",
    }
)  # fmt: skip
"""Names that annotations use, and those that a model has as attributes."""


def class_name(*parts: str) -> str:
    """Return the parts joined in Pascal case, e.g. `get_customer`, `result` → `GetCustomerResult`."""
    words = [word for part in parts for word in _WORD.findall(part)]
    joined = "".join(word[0].upper() + word[1:] for word in words)
    return joined if joined[:1].isalpha() else f"N{joined}"


def field_name(name: str) -> str:
    """Return the Python name of a property: snake case, never a keyword, a builtin or a model's own attribute."""
    words = [part for word in _WORD.findall(name) for part in _HUMP.split(word)]
    joined = "_".join(words).lower() or "field"
    if not joined[0].isalpha():
        joined = f"field_{joined}"
    if joined.startswith("model_"):
        joined = f"{joined}_"
    return safe_identifier(joined)


def safe_identifier(name: str) -> str:
    """Return the name, with an underscore behind it where it is a keyword or taken."""
    if keyword.iskeyword(name) or name in _TAKEN:
        return f"{name}_"
    return name


def module_name(tool: str, version: int) -> str:
    """Return the module and the variable that declare a tool's version, e.g. `get_customer_v1`."""
    return f"{tool}_v{version}"
