"""Which version of OpenAPI a document is written in, and where that version keeps its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from toolcharter.diagnostics import Diagnostic

from .document import Document
from .limits import shown

__all__ = ["DIALECTS", "LAYOUTS", "METHODS", "Layout", "Version", "order_of", "version_of"]

Version: TypeAlias = Literal["2.0", "3.0", "3.1", "3.2"]
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
METHODS: Final[Mapping[Version, tuple[str, ...]]] = {
    "2.0": _METHODS[:-1],
    "3.0": _METHODS,
    "3.1": _METHODS,
    "3.2": (*_METHODS, "query"),
}
"""Members of a path item that are operations; 3.2 keeps those of any other method in `additionalOperations`."""
DIALECTS: Final = frozenset(
    {
        "https://spec.openapis.org/oas/3.1/dialect/base",
        "https://spec.openapis.org/oas/3.1/dialect/2024-11-10",
        "https://spec.openapis.org/oas/3.2/dialect/2025-09-17",
        "https://spec.openapis.org/oas/3.2/dialect/base",
        "https://json-schema.org/draft/2020-12/schema",
    }
)


def order_of(method: str) -> tuple[int, str]:
    """Return what methods are sorted by: the order of OpenAPI's members, then the others by name."""
    fixed = METHODS["3.2"]
    name = method.lower()
    return (fixed.index(name) if name in fixed else len(fixed), method)


@dataclass(frozen=True, slots=True)
class Layout:
    """Steps to the named parts of a root document."""

    schemas: tuple[str, ...]
    security_schemes: tuple[str, ...]


_OPENAPI_3: Final = Layout(("components", "schemas"), ("components", "securitySchemes"))
LAYOUTS: Final[Mapping[Version, Layout]] = {
    "2.0": Layout(("definitions",), ("securityDefinitions",)),
    "3.0": _OPENAPI_3,
    "3.1": _OPENAPI_3,
    "3.2": _OPENAPI_3,
}


def version_of(document: Document) -> Version | Diagnostic:
    """Return the version, or why the document cannot be read as a description."""
    value = document.value
    key = "openapi" if "openapi" in value else "swagger"
    if key not in value:
        hint = "name the root file of the description: it has `openapi` or `swagger`"
        return _refusal(document, "", "Not an OpenAPI description", hint)
    named: Any = value[key]
    if not isinstance(named, str):
        hint = f'write a string, such as {key}: "3.1.0"'
        return _refusal(document, key, f"`{key}` is not a string", hint)
    if key == "swagger":
        version: Version | None = "2.0" if named == "2.0" else None
    else:
        found = re.fullmatch(r"(3\.[012])\.\d+(-.+)?", named)
        version = next((v for v in LAYOUTS if found and found[1] == v), None)
    if version is None:
        hint = "convert the description to OpenAPI 3.2"
        return _refusal(document, key, f"The version {shown(named)} is not read", hint)
    dialect = value.get("jsonSchemaDialect")
    if version in ("3.1", "3.2") and dialect is not None and dialect not in DIALECTS:
        hint = "remove `jsonSchemaDialect`"
        message = "The description's schemas are in another dialect than OpenAPI's or 2020-12"
        return _refusal(document, "jsonSchemaDialect", message, hint, "TC705")
    return version


def _refusal(
    document: Document, key: str, message: str, hint: str, code: str = "TC724"
) -> Diagnostic:
    origin = document.origin([key] if key else ())
    return Diagnostic(code=code, severity="error", message=message, origin=origin, hint=hint)
