"""The charter's little language: places, templates and conditions (docs/charter.md). Pure; no dependencies."""

from __future__ import annotations

from toolcharter_runtime.language.condition import (
    TESTS,
    LookUp,
    check_condition,
    condition_names,
    equal,
    holds,
    look_up_names,
    where_holds,
)
from toolcharter_runtime.language.errors import LanguageError
from toolcharter_runtime.language.nothing import ABSENT, UNSET, Absent, Unset
from toolcharter_runtime.language.place import (
    Every,
    Json,
    Place,
    parse_place,
    pointer_of,
    read_pointer,
    tokens_of,
)
from toolcharter_runtime.language.template import (
    ROOTS,
    Reference,
    Scope,
    parse_template,
    references,
    render,
)

__all__ = [
    "ABSENT",
    "ROOTS",
    "TESTS",
    "UNSET",
    "Absent",
    "Every",
    "Json",
    "LanguageError",
    "LookUp",
    "Place",
    "Reference",
    "Scope",
    "Unset",
    "check_condition",
    "condition_names",
    "equal",
    "holds",
    "look_up_names",
    "parse_place",
    "parse_template",
    "pointer_of",
    "read_pointer",
    "references",
    "render",
    "tokens_of",
    "where_holds",
]
