"""The rules of OpenAPI itself: findings with places, from what openapi-spec-validator says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from toolcharter.diagnostics import Diagnostic

from .description import Description
from .document import Anchor, Step
from .limits import shown
from .reading import Reading
from .shapes import is_object
from .slice import Slice, build_slice

__all__ = ["validate_all", "validate_slice"]

_HINT = "see the OpenAPI Specification of this version"
_MAX_FINDINGS = 50
# A path parameter that is not declared may be typed in the charter, a required property that is not declared is legal,
# and operations that share an id can be named by method and path: all have rules of their own where they matter.
_ALLOWED = frozenset(
    {"DuplicateOperationIDError", "ExtraParametersError", "UnresolvableParameterError"}
)


def validate_slice(description: Description, operations: Iterable[str]) -> tuple[Diagnostic, ...]:
    """Return what is wrong, by OpenAPI's own rules, with the operations and all that they reach.

    Faults of requests are errors. Those of responses are warnings, since a view takes from a response only what it
    lists, and so are defaults that do not fit: a rule judges those of the inputs that a charter lists.
    """
    names = tuple(dict.fromkeys(operations))
    findings = _validate(description, names, build_slice(description, names))
    if not any(finding.code == "TC727" and finding.severity == "error" for finding in findings):
        return findings
    requests = build_slice(description, names, requests_only=True)
    grave = {(f.origin, f.message) for f in _validate(description, names, requests)}
    return tuple(
        f if (f.origin, f.message) in grave else replace(f, severity="warning") for f in findings
    )


def validate_all(description: Description) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the whole description; of many files, with all that its operations reach.

    This takes half a minute for 13 MB.
    """
    names = tuple(f"{key.method} {key.path}" for key in description.operations())
    if len(description.library.documents) > 1:
        return _validate(description, names, build_slice(description, names))
    return _validate(description, (), Slice(value=description.root.value))


def _validate(
    description: Description, names: Sequence[str], built: Slice
) -> tuple[Diagnostic, ...]:
    if built.findings:
        return tuple(built.findings)
    root = Anchor(description.root)
    reading = Reading()
    try:
        validator = _validator(description, built.value)
        placed = list(_structural(validator, built.value))
        for steps, message in placed[:_MAX_FINDINGS]:
            reading.report("TC727", message, built.anchor(steps, root), _HINT)
        if not placed:
            _report_meaning(description, names, validator, reading)
    except ModuleNotFoundError:  # the extra is not installed: no fault of the description
        raise
    except Exception as error:  # the library raises many kinds on what is no description
        message = f"OpenAPI's rules cannot be applied ({type(error).__name__})"
        reading.report("TC727", message, root, _HINT)
    return tuple(dict.fromkeys(sorted(reading.findings, key=lambda finding: finding.sort_key)))


def _validator(description: Description, value: dict[str, Any]) -> Any:
    from .openapi_rules import validator_of  # slow to import

    is_slice = value is not description.root.value
    return validator_of(description.version, value, is_slice=is_slice)


def _structural(validator: Any, value: dict[str, Any]) -> Iterator[tuple[Sequence[Step], str]]:
    """Yield where the published schema of the version is broken, and how."""
    if next(iter(validator.schema_validator.iter_errors(value)), None) is None:
        return
    # The fast backend says only that a part is none of its alternatives; jsonschema says why.
    kind = import_module("jsonschema.validators").validator_for(validator.schema_validator.schema)
    for error in kind(validator.schema_validator.schema).iter_errors(value):
        deepest = _deepest(error)
        yield tuple(deepest.absolute_path), _wording(deepest)


def _deepest(error: Any) -> Any:
    """Return what is wrong in the alternative that comes furthest, a `$ref` last."""
    while error.context:
        error = max(
            error.context,
            key=lambda each: (len(each.absolute_path), "$ref" not in str(each.validator_value)),
        )
    return error


def _wording(error: Any) -> str:
    """Return what is wrong in our words: the names of keys, and no values."""
    rule, instance = error.validator, error.instance
    if rule == "required" and is_object(instance):
        missing = [name for name in error.validator_value if name not in instance]
        return f"{', '.join(map(shown, missing))} is missing"
    if rule in {"additionalProperties", "unevaluatedProperties"} and is_object(instance):
        known: Any = error.schema.get("properties", {}) if is_object(error.schema) else {}
        unknown = [name for name in instance if name not in known and not name.startswith("x-")]
        return f"{', '.join(map(shown, unknown[:3]))} is not known here"
    if rule == "type":
        return f"Not of the type {shown(str(error.validator_value))}"
    return f"Breaks the rule {shown(str(rule))} of the version's schema"


def _report_meaning(
    description: Description, names: Sequence[str], validator: Any, reading: Reading
) -> None:
    """Report what the schema of the version cannot say: defaults that do not fit, names given twice."""
    if not _has_meaning_faults(validator):
        return
    message = "A schema or a default breaks OpenAPI's rules"
    for name in names:
        found = description.find(name).value
        if found is not None:
            part = _validator(description, build_slice(description, [name]).value)
            if _has_meaning_faults(part):
                reading.report("TC727", message, found.operation.anchor, _HINT, "warning")
    if not reading.findings:
        reading.report("TC727", message, Anchor(description.root), _HINT, "warning")


def _has_meaning_faults(validator: Any) -> bool:
    errors = validator.root_validator(validator.schema_path)
    return any(type(error).__name__ not in _ALLOWED for error in errors)
