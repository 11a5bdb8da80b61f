"""The independent voice: a description's own schema, in its version's dialect, with formats asserted.

openapi-schema-validator judges. Where it departs from what the specifications say, a correction below takes its place,
and `tests/fidelity/test_voice.py` has a fixture for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import referencing
import regress
from jsonschema import ValidationError
from jsonschema.validators import create, extend
from openapi_schema_validator import OAS30Validator, OAS31Validator, OAS32Validator
from referencing.jsonschema import DRAFT202012

from .formats import FORMATS

__all__ = ["VoiceFault", "original_validator"]

_referencing: Any = referencing  # its classes are of attrs, whose types are not installed
Resolve = Callable[[str], Any]
"""From a document's URI, without a fragment, to the document."""
_Errors = Iterator[ValidationError]


class VoiceFault(Exception):
    """The voice cannot judge: the schema itself is broken, e.g. a pattern that is no regular expression."""


def original_validator(
    version: str, schema: Any, resolve: Resolve, base: str = "", *, view: str = "request"
) -> Callable[[Any], bool]:
    """Return what says whether a value is valid against a schema of a description.

    `version` is the description's own, e.g. `2.0` or `3.1.1`; `base` is the URI of the document that holds the schema, and
    references are resolved against it. Of a request no `readOnly` property is required, of a `response` no `writeOnly` one.
    """
    classes = _REQUEST if view == "request" else _RESPONSE
    plain = version.startswith(("2", "3.0"))
    chosen = classes["3.0" if plain else "3.2" if version.startswith("3.2") else "3.1"]
    registry = _registry(resolve, base, is_plain=plain)
    if isinstance(schema, bool):
        return lambda _: schema
    validator = chosen(schema, registry=registry, _resolver=registry.resolver(base))

    def is_valid(value: Any) -> bool:
        try:
            return bool(validator.is_valid(value))
        except regress.RegressError as error:
            raise VoiceFault(f"no regular expression: {error}") from None

    return is_valid


@lru_cache(maxsize=64)
def _registry(resolve: Resolve, base: str, *, is_plain: bool) -> Any:
    """One a description: its documents when they are asked for, and the first one's anchors, if it has any."""
    specification = _PLAIN if is_plain else _ANYWHERE

    def retrieve(uri: str) -> Any:
        return _referencing.Resource(contents=resolve(uri), specification=specification)

    empty: Any = _referencing.Registry(retrieve=retrieve)
    first = retrieve(base)
    registry = empty.with_resource(base, first)
    return registry if is_plain or not _is_marked(first.contents) else registry.crawl()


def _is_marked(contents: Any) -> bool:
    if isinstance(contents, dict):
        marks = (contents.get(word) for word in ("$id", "$anchor", "$dynamicAnchor"))
        return any(isinstance(one, str) for one in marks) or any(map(_is_marked, contents.values()))
    return isinstance(contents, list) and any(map(_is_marked, contents))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> regress.Regex:
    """ECMA-262 with the `u` flag; what only its older grammar takes, e.g. `\\@`, without."""
    try:
        return regress.Regex(pattern, "u")
    except regress.RegressError:
        return regress.Regex(pattern)


def _found(pattern: str, text: str) -> bool:
    """Whether it matches anywhere; regress takes no lone surrogate, U+FFFD stands for it."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _compiled(pattern).find(whole) is not None


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, str) and not _found(pattern, instance):
        yield ValidationError("does not match")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> _Errors:
    for pattern, inner in patterns.items() if isinstance(instance, dict) else ():
        for name, value in instance.items():
            if _found(pattern, name):
                yield from validator.descend(value, inner, path=name)


def _extras(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    patterns = schema.get("patternProperties", {})
    for name in instance:
        if name not in schema.get("properties", {}) and not any(_found(p, name) for p in patterns):
            yield name


def _additional_properties(validator: Any, inner: Any, instance: Any, schema: Any) -> _Errors:
    for name in _extras(instance, schema) if isinstance(instance, dict) else ():
        yield from validator.descend(instance[name], inner, path=name)


def _multiple_of(validator: Any, divisor: Any, instance: Any, schema: Any) -> _Errors:
    """Exactly, of the numbers as they are written: 19.99 is a multiple of 0.01."""
    if isinstance(instance, int | float) and not isinstance(instance, bool):
        whole = Fraction(Decimal(repr(instance))) / Fraction(Decimal(repr(divisor)))
        if whole.denominator != 1:
            yield ValidationError("is not a multiple")


def _key(value: Any) -> Any:
    """What two values have in common if JSON Schema calls them equal."""
    if isinstance(value, dict):
        return ("object", frozenset((k, _key(v)) for k, v in value.items()))
    if isinstance(value, list):
        return ("array", tuple(_key(one) for one in value))
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return (type(value).__name__, value)
    return ("number", value)


def _unique_items(validator: Any, wanted: bool, instance: Any, schema: Any) -> _Errors:
    if wanted and isinstance(instance, list):
        keys = [_key(one) for one in instance]
        if len(set(keys)) < len(keys):
            yield ValidationError("an element stands twice")


def _enum(validator: Any, options: Any, instance: Any, schema: Any) -> _Errors:
    if all(_key(one) != _key(instance) for one in options):
        yield ValidationError("is not listed")


def _const(validator: Any, option: Any, instance: Any, schema: Any) -> _Errors:
    if _key(option) != _key(instance):
        yield ValidationError("is not the constant")


def _format(validator: Any, name: Any, instance: Any, schema: Any) -> _Errors:
    """Of a null too, which no format speaks of; an unknown format is an annotation."""
    if isinstance(name, str) and name in FORMATS and not FORMATS[name](instance):
        yield ValidationError("has not the format")


def _type30(validator: Any, name: Any, instance: Any, schema: Any) -> _Errors:
    """2.0 and 3.0: `nullable` beside `type` admits null; 2.0 has `x-nullable` for it, and `file` for any text."""
    if instance is None and True in (schema.get("nullable"), schema.get("x-nullable")):
        return
    names = name if isinstance(name, list) else [name]
    if not any(validator.is_type(instance, "string" if one == "file" else one) for one in names):
        yield ValidationError("has another type")


def _required(unasked: str) -> Callable[[Any, Any, Any, Any], _Errors]:
    def required(validator: Any, names: Any, instance: Any, schema: Any) -> _Errors:
        if not isinstance(instance, dict) or not isinstance(names, list):
            return
        for name in names:
            if name in instance or _says(validator, schema, name, unasked):
                continue
            yield ValidationError("is required")

    return required


def _says(validator: Any, schema: Any, name: str, word: str) -> bool:
    """Whether a property is described with the word, where it is described or behind its references."""
    inner, resolver = schema.get("properties", {}).get(name), validator._resolver  # noqa: SLF001
    for _ in range(16):
        if not isinstance(inner, dict):
            return False
        if inner.get(word) is True:
            return True
        if "$ref" not in inner:
            return False
        found = resolver.lookup(inner["$ref"])
        inner, resolver = found.contents, found.resolver
    return False


def _nothing(validator: Any, value: Any, instance: Any, schema: Any) -> _Errors:
    """An annotation."""
    yield from ()


def _unevaluated(validator: Any, inner: Any, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, dict):
        known = _evaluated(validator, instance, schema)
        for name in [name for name in instance if name not in known]:
            yield from validator.descend(instance[name], inner, path=name)


def _evaluated(
    validator: Any, instance: dict[str, Any], schema: Any, *, below: bool = False
) -> set[str]:
    """The properties that a valid schema evaluates, with patterns in their own meaning."""
    if not isinstance(schema, dict):
        return set()
    known = set(schema.get("properties", {})) & set(instance)
    known |= {n for n in instance if any(_found(p, n) for p in schema.get("patternProperties", {}))}
    if "additionalProperties" in schema or (below and "unevaluatedProperties" in schema):
        return set(instance)
    for word in ("$ref", "$dynamicRef"):
        if word in schema:
            found = validator._resolver.lookup(schema[word])  # noqa: SLF001
            there = validator.evolve(schema=found.contents, _resolver=found.resolver)
            known |= _evaluated(there, instance, found.contents, below=True)
    for inner in _applied(validator, instance, schema):
        known |= _evaluated(validator, instance, inner, below=True)
    return known


def _applied(validator: Any, instance: dict[str, Any], schema: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas in place that hold for the instance."""

    def holds(inner: Any) -> bool:
        return next(validator.descend(instance, inner), None) is None

    members: Iterable[Any] = [
        *schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ()),
        *(inner for name, inner in schema.get("dependentSchemas", {}).items() if name in instance),
    ]  # fmt: skip
    yield from (inner for inner in members if holds(inner))
    if "if" in schema:
        if holds(schema["if"]):
            yield schema["if"]
            yield schema.get("then", True)
        else:
            yield schema.get("else", True)


_CORRECTED: Final[dict[str, Any]] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
    "enum": _enum,
    "format": _format,
}
_CORRECTED_31: Final[dict[str, Any]] = {
    **_CORRECTED,
    "const": _const,
    "unevaluatedProperties": _unevaluated,
}


def _unions_of(cls: Any) -> dict[str, Any]:
    """`allOf`, `anyOf` and `oneOf` as JSON Schema has them: a discriminator names a branch and changes no verdict."""
    return {word: cls.VALIDATORS[word] for word in ("allOf", "anyOf", "oneOf")}


def _beside(schema: Any) -> Iterable[tuple[str, Any]]:
    """In 2.0 and 3.0 all that stands beside a reference is ignored."""
    return [("$ref", schema["$ref"])] if isinstance(schema.get("$ref"), str) else schema.items()


def _plain(unasked: str) -> Any:
    words = {
        **OAS30Validator.VALIDATORS, **_CORRECTED, **_unions_of(OAS31Validator),
        "type": _type30, "required": _required(unasked),
        "patternProperties": _nothing,
    }  # fmt: skip
    return create(
        meta_schema=OAS30Validator.META_SCHEMA,
        validators=words,
        type_checker=OAS31Validator.TYPE_CHECKER,
        id_of=lambda _: "",
        applicable_validators=_beside,
    )


def _modern(cls: Any, unasked: str) -> Any:
    return extend(cls, {**_CORRECTED_31, "required": _required(unasked)})


def _classes(unasked: str) -> dict[str, Any]:
    return {
        "3.0": _plain(unasked),
        "3.1": _modern(OAS31Validator, unasked),
        "3.2": _modern(OAS32Validator, unasked),
    }


_REQUEST: Final = _classes("readOnly")
_RESPONSE: Final = _classes("writeOnly")


def _below(contents: Any) -> Iterator[Any]:
    """Every object of a document: in a description schemas stand anywhere, and `$id` and `$anchor` with them."""
    if isinstance(contents, dict):
        for one in contents.values():
            yield from ([one] if isinstance(one, dict) else _below(one))
    elif isinstance(contents, list):
        for one in contents:
            yield from ([one] if isinstance(one, dict) else _below(one))


def _id(contents: Any) -> str | None:
    found = contents.get("$id") if isinstance(contents, dict) else None
    return found if isinstance(found, str) else None


def _anchors(specification: Any, contents: Any) -> Iterable[Any]:
    return DRAFT202012.anchors_in(contents) if isinstance(contents, dict) else ()


def _entered(segments: Any, resolver: Any, subresource: Any) -> Any:
    return resolver.in_subresource(subresource) if _id(subresource.contents) else resolver


_ANYWHERE: Final[Any] = _referencing.Specification(
    name="a description",
    id_of=_id,
    subresources_of=_below,
    anchors_in=_anchors,
    maybe_in_subresource=_entered,
)
_PLAIN: Final[Any] = _referencing.Specification(
    name="a description without identifiers",
    id_of=lambda contents: None,
    subresources_of=lambda contents: (),
    anchors_in=lambda specification, contents: (),
    maybe_in_subresource=lambda segments, resolver, subresource: resolver,
)
