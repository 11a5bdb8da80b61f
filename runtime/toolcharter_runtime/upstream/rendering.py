"""Templates of the request, rendered and checked by the schema of their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolcharter_runtime.faults import find_fault
from toolcharter_runtime.language import UNSET, LanguageError, Scope, pointer_of, references, render
from toolcharter_runtime.strict import Rejected
from toolcharter_runtime.upstream.laying import Laying

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["Rendered", "origin_of", "render_checked"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A template with the schema that its value must fit, if the generator could not prove that it does."""

    template: Any
    origin: str
    """Pointer of the first input that it names; empty where the value is the boundary's own."""
    schema: Mapping[str, Any] | None = None
    accepts: Draft202012Validator | None = None
    laying: Laying | None = None
    """How the value is laid where its members are not named as the API names them."""


def origin_of(template: Any) -> str:
    """Return the pointer of the first input that a template names, or the empty pointer."""
    for reference in references(template):
        if reference.root is None:
            return pointer_of(*reference.path)
    return ""


def render_checked(part: Rendered, scope: Scope, prefix: str = "") -> Any:
    """Return the rendered value or `UNSET`; raise `Rejected` with the input's own place, prefixed inside lists."""
    origin = prefix + part.origin
    try:
        value = render(part.template, scope)
    except LanguageError as error:
        raise Rejected(origin, error.reason) from None
    if value is not UNSET and part.laying is not None:
        value = part.laying.lay(value)
    if value is UNSET or part.accepts is None or part.accepts.is_valid(value):
        return value
    fault = find_fault(part.accepts.iter_errors(value), part.schema or {})
    raise Rejected(origin + (fault.pointer if part.origin else ""), fault.reason)
