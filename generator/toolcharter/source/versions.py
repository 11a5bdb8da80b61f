"""Which version of OpenAPI a document is written in, and where that version keeps its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from toolcharter.diagnostics import Diagnostic

from .document import Document
from .limits import shown

__all__ = ["LAYOUTS", "METHODS", "Layout", "Version", "version_of"]

Version: TypeAlias = Literal["2.0", "3.0", "3.1"]
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_DIALECTS: Final = frozenset(
    {
        "https://spec.openapis.org/oas/3.1/dialect/base",
        "https://spec.openapis.org/oas/3.1/dialect/2024-11-10",
        "https://json-schema.org/draft/2020-12/schema",
    }
)


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
        found = re.fullmatch(r"(3\.[01])\.\d+(-.+)?", named)
        version = "3.1" if found and found[1] == "3.1" else "3.0" if found else None
    if version is None:
        hint = "convert the description to OpenAPI 3.1"
        return _refusal(document, key, f"The version {shown(named)} is not read", hint)
    dialect = value.get("jsonSchemaDialect")
    if version == "3.1" and dialect is not None and dialect not in _DIALECTS:
        hint = "remove `jsonSchemaDialect`"
        message = "The description's schemas are in another dialect than OpenAPI's or 2020-12"
        return _refusal(document, "jsonSchemaDialect", message, hint, "TC705")
    return version


def _refusal(
    document: Document, key: str, message: str, hint: str, code: str = "TC724"
) -> Diagnostic:
    origin = document.origin([key] if key else ())
    return Diagnostic(code=code, severity="error", message=message, origin=origin, hint=hint)
