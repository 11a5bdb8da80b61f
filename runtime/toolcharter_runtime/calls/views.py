"""What a model sees of raw values: bounded, redacted, closed; also of a match that stands for a lost answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcharter_runtime import frozen
from toolcharter_runtime.language import ABSENT
from toolcharter_runtime.redaction import redact
from toolcharter_runtime.upstream.errors import Violation
from toolcharter_runtime.upstream.view import present

__all__ = ["show", "show_match", "show_value"]


def show(contract: frozen.Contract, values: Mapping[str, Any], seal: bytes) -> dict[str, Any]:
    """Return a result; raise `Violation` if it misses the view's closed schema."""
    return present(contract, values, seal=seal)


def show_match(contract: frozen.Contract, values: Mapping[str, Any], seal: bytes) -> dict[str, Any]:
    """Return what a match has of the write's result: it may lack names, and what does not fit is left out."""
    open_view = contract.view.model_copy(
        update={"result": {**contract.view.result, "required": []}}
    )
    partial = contract.model_copy(update={"view": open_view})
    try:
        return present(partial, values, seal=seal)
    except Violation:
        return {}


def show_value(field: frozen.ViewField, value: Any, seal: bytes) -> Any:
    """Return one field's value as its view shows it; None where it is not there or never shown."""
    if value is ABSENT or value is None or field.hidden or field.secret:
        return None
    if field.redact is not None:
        return redact(value, field.redact, seal)
    if field.truncate is not None and isinstance(value, str) and len(value) > field.truncate:
        return value[: field.truncate - 1] + "…"
    return value
