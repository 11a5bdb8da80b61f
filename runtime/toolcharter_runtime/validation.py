"""Pass one: a call's raw JSON against the frozen schema, before any model is built (D1, C1, C3).

Nothing that this module raises holds a value of the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from toolcharter_runtime.completing import Walk, in_utc
from toolcharter_runtime.faults import find_fault, known_pointer
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.language import LanguageError, references, tokens_of
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.redaction import find_mask
from toolcharter_runtime.schemas import compile_schema
from toolcharter_runtime.strict import MAX_BYTES, Json, Rejected, check_json, in_digits, parse_json

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["complete_arguments", "in_utc", "parse_arguments", "validate_arguments"]


@dataclass(frozen=True, slots=True)
class _Compiled:
    validator: Draft202012Validator
    schema: Mapping[str, Any]
    walk: Walk
    has_instants: bool
    """A write that takes instants: they are normalised before the proposal exists (P3)."""
    has_multiples: bool
    """A number beyond digits is judged as it was written: its double is another multiple."""


def _compile(contract: Contract) -> _Compiled:
    schema = contract.arguments
    has_instants = contract.effect == "write" and "date-time" in str(schema)
    return _Compiled(
        compile_schema(schema), schema, Walk(schema), has_instants, "multipleOf" in str(schema)
    )


_COMPILED: PerObject[Contract, _Compiled] = PerObject(_compile)


def parse_arguments(
    contract: Contract, raw: bytes | str, *, max_bytes: int = MAX_BYTES
) -> dict[str, Any]:
    """Parse and validate the JSON text of a call's arguments; raise `Rejected`."""
    try:
        value = parse_json(raw, max_bytes=max_bytes)
    except Rejected as refused:
        raise _shown(contract, refused) from None
    return _validated(contract, value)


def validate_arguments(contract: Contract, arguments: Any) -> dict[str, Any]:
    """Return the arguments of a call, checked as JSON and against the contract; raise `Rejected`.

    An integral float such as `1.0` becomes an integer before anything else, and a write's instants are brought to UTC.
    A masked value (T2) is refused. What was given is left as it is.
    """
    try:
        value = check_json(arguments)
    except Rejected as refused:
        raise _shown(contract, refused) from None
    return _validated(contract, value)


def complete_arguments(contract: Contract, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a write's validated arguments with defaults filled in (P3, C3).

    No default is added for an input that goes into a body which the charter calls partial.
    """
    completed = _COMPILED.of(contract).walk.complete(dict(arguments))
    for name in _partial_inputs(contract):
        if name not in arguments:
            completed.pop(name, None)
    return completed


def _validated(contract: Contract, value: Json) -> dict[str, Any]:
    compiled = _COMPILED.of(contract)
    if not is_object(value):
        raise Rejected("", "must be an object")
    judged = in_digits(value) if compiled.has_multiples else value
    if not compiled.validator.is_valid(judged):
        raise find_fault(compiled.validator.iter_errors(judged), compiled.schema)
    masked = find_mask(value)
    if masked is not None:
        raise Rejected(known_pointer(masked, compiled.schema), "is a mask, not a value")
    if compiled.has_instants:
        return compiled.walk.normalize(value)
    return value


def _shown(contract: Contract, refused: Rejected) -> Rejected:
    try:
        tokens = tokens_of(refused.pointer)
    except LanguageError:  # an echoed name was cut inside an escape
        return Rejected("", refused.reason)
    path = [int(token) if token.isascii() and token.isdigit() else token for token in tokens]
    return Rejected(known_pointer(path, contract.arguments), refused.reason)


def _partial_inputs(contract: Contract) -> set[str]:
    body = contract.request.body
    if body is None or not body.partial:
        return set()
    names: set[str] = set()
    for binding in body.bindings:
        names.update(
            item.path[0] for item in references(cast("Json", binding.value)) if item.root is None
        )
        if binding.each is not None:
            names.add(binding.each)
    return names
