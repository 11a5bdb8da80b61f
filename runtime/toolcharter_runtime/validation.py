"""Pass one: a call's raw JSON against the frozen schema, before any model is built (D1, C1, C3).

Nothing that this module raises holds a value of the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from toolcharter_runtime.faults import beside, elements, find_fault, known_pointer
from toolcharter_runtime.frozen import Contract
from toolcharter_runtime.language import LanguageError, references, tokens_of
from toolcharter_runtime.once import PerObject
from toolcharter_runtime.redaction import find_mask
from toolcharter_runtime.schemas import FORMATS, compile_schema
from toolcharter_runtime.strict import MAX_BYTES, Json, Rejected, check_json, parse_json

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator
from toolcharter_runtime.jsonvalue import is_list, is_map, is_object

__all__ = ["complete_arguments", "in_utc", "parse_arguments", "validate_arguments"]


@dataclass(frozen=True, slots=True)
class _Compiled:
    validator: Draft202012Validator
    schema: Mapping[str, Any]
    has_instants: bool
    """A write that takes instants: they are normalised before the proposal exists (P3)."""


def _compile(contract: Contract) -> _Compiled:
    schema = contract.arguments
    has_instants = contract.effect == "write" and "date-time" in str(schema)
    return _Compiled(compile_schema(schema), schema, has_instants)


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
    compiled = _COMPILED.of(contract)
    completed = _complete(dict(arguments), compiled.schema, compiled.schema)
    for name in _partial_inputs(contract):
        if name not in arguments:
            completed.pop(name, None)
    return cast("dict[str, Any]", completed)


def _validated(contract: Contract, value: Json) -> dict[str, Any]:
    compiled = _COMPILED.of(contract)
    if not is_object(value):
        raise Rejected("", "must be an object")
    if not compiled.validator.is_valid(value):
        raise find_fault(compiled.validator.iter_errors(value), compiled.schema)
    masked = find_mask(value)
    if masked is not None:
        raise Rejected(known_pointer(masked, compiled.schema), "is a mask, not a value")
    if compiled.has_instants:
        return cast("dict[str, Any]", _normalized(value, [compiled.schema], compiled.schema))
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


def _complete(value: Any, node: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    node = _resolve(node, schema)
    branch = _selected(value, node, schema)
    if branch is not None:
        value = _complete(value, branch, schema)
    if is_object(value):
        return _complete_object(value, node.get("properties", {}), schema)
    if is_list(value) and is_map(node.get("items")):
        return [_complete(item, node["items"], schema) for item in value]
    return value


def _complete_object(
    value: dict[str, Any], properties: Mapping[str, Any], schema: Mapping[str, Any]
) -> dict[str, Any]:
    completed = dict(value)
    for name, inner in properties.items():
        if name in completed:
            completed[name] = _complete(completed[name], inner, schema)
            continue
        resolved = _resolve(inner, schema)
        if "default" in resolved:
            completed[name] = resolved["default"]
    return completed


def _resolve(node: Any, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if not is_map(node):
        return {}
    reference = node.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        return node
    found = _resolve(schema.get("$defs", {}).get(reference[8:]), schema)
    return {**found, **{key: item for key, item in node.items() if key != "$ref"}}


def _selected(
    value: Any, node: Mapping[str, Any], schema: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """The branch of a union that a valid value took."""
    for keyword in ("oneOf", "anyOf"):
        for member in node.get(keyword, ()):
            branch = _resolve(member, schema)
            definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
            if compile_schema({**definitions, **branch}).is_valid(value):
                return branch
    return None


def _normalized(value: Any, nodes: list[Any], schema: Mapping[str, Any]) -> Any:
    """The value with every instant that the schema knows in UTC (C2)."""
    known = [part for node in nodes for part in beside(node, schema)]
    if isinstance(value, str):
        typed = any(part.get("format") == "date-time" for part in known)
        return in_utc(value) if typed and FORMATS["date-time"](value) else value
    if is_list(value):
        return [
            _normalized(item, [inner for part in known for inner in elements(part, index)], schema)
            for index, item in enumerate(value)
        ]
    if is_object(value):
        properties = [part["properties"] for part in known if "properties" in part]
        return {
            name: _normalized(item, [part[name] for part in properties if name in part], schema)
            for name, item in value.items()
        }
    return value


def in_utc(value: str) -> str:
    """Return a date-time in UTC, without a fraction of zero or trailing zeros, so that equal instants are equal."""
    whole, fraction = value[:19].upper(), ""
    rest = value[19:].upper()
    if rest.startswith("."):
        digits = rest[1:].rstrip("Z").partition("+")[0].partition("-")[0]
        rest = rest[1 + len(digits) :]
        fraction = digits.rstrip("0")
    instant = datetime.fromisoformat(whole + rest.replace("Z", "+00:00")).astimezone(UTC)
    text = instant.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    return f"{text}.{fraction}Z" if fraction else f"{text}Z"
