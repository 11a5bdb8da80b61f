"""That what is sent fits where it is sent: proved, checked when it is rendered, or an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from toolcharter_runtime.language import references

from .case import Case, Spot
from .covering import compiles, covers
from .findings import UncarriedError
from .merging import JsonSchema, types_of
from .standalone import standalone
from .values import Values, schema_of_values

__all__ = ["key_form_of", "prove"]

_FORMS: tuple[Literal["uuid", "base62"], ...] = ("uuid", "base62")
_CHECKED_LATE = frozenset({"run", "version", "before", "cursor", "credential", "via"})


def key_form_of(
    case: Case, sent: Iterable[tuple[Any, Spot, str]]
) -> Literal["uuid", "base62"] | None:
    """Return the form of the idempotency key that all its places allow; None where no key is sent."""
    keyed = [
        (value, spot, pointer)
        for value, spot, pointer in sent
        if any(reference.root == "key" for reference in references(value))
    ]
    if not keyed:
        return None
    for form in _FORMS:
        if all(_fits_key(case, value, spot, form) for value, spot, _ in keyed):
            return form
    message = "the idempotency key fits in none of its forms (UUID, 22 characters of base62)"
    hint = "a header that wants a quoted string gets '\"{$key}\"'"
    case.findings.error("TC122", message, keyed[0][2], hint)
    return None


def _fits_key(case: Case, value: Any, spot: Spot, form: Literal["uuid", "base62"]) -> bool:
    try:
        place = _standing(case, spot)
    except UncarriedError:  # `prove` reports it
        return True
    if place is None:
        return True
    wanted = schema_of_values(value, Values(case, form))
    return wanted is not None and covers(place, wanted)


def prove(case: Case, value: Any, spot: Spot, values: Values, pointer: str) -> JsonSchema | None:
    """Return what must be checked when the value is rendered, or None where it is proved to fit.

    A value that the model gives and that is not proved is an error: it could be refused upstream, after approval.
    """
    try:
        place = _standing(case, spot)
    except UncarriedError as error:
        case.findings.uncarried(error, "what is sent there", pointer)
        return None
    if place is None or place == {}:
        return None
    found = schema_of_values(value, values)
    roots = {reference.root for reference in references(value)}
    if found is not None and covers(place, found):
        if "version" in roots:
            case.ledger.state("the version fits its place", "proved")
        return None
    if "version" in roots:
        case.ledger.state("the version fits its place", "declared", "checked when it is sent")
    if not roots:
        message = "the constant does not fit its place"
        case.findings.error("TC121", message, pointer, _wanted(place))
        return None
    if roots <= {"key"}:
        return None
    if roots == {"credential"}:
        return None
    if roots & _CHECKED_LATE:
        if compiles(place) is not None:
            message = "the description's schema there is malformed and cannot be enforced"
            case.findings.error(
                "TC212", message, pointer, "mend the description, or leave the place out"
            )
        return place
    code = "TC122" if roots <= {"key", "marker"} else "TC121"
    message = "what is composed there is not proved to fit its place"
    case.findings.error(code, message, pointer, f"tighten the inputs; {_wanted(place)}")
    return None


def _standing(case: Case, spot: Spot) -> JsonSchema | None:
    return None if spot.schema is None else standalone(case.api.reader, spot.schema)


def _wanted(place: JsonSchema) -> str:
    if "enum" in place:
        return f"it takes one of {', '.join(map(str, place['enum'][:12]))}"
    kinds = " or ".join(types_of(place) or ("any type",))
    bounds = ", ".join(
        f"{k} {place[k]}"
        for k in ("format", "minLength", "maxLength", "minimum", "maximum")
        if k in place
    )
    return f"it takes {kinds}" + (f" ({bounds})" if bounds else "")
