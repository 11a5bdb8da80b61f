"""The only door to openapi-spec-validator: its validators, with a short way past schemas in which it would find nothing.

The library applies the metaschema to each schema in Python, and then walks all of it for defaults that do not fit. Here
jsonschema-rs applies the metaschema first, and the library only to a schema that does not pass; and only a schema that
is not plain is walked. What comes out is the same, a good deal earlier. The short way is for slices, in which every
reference leads somewhere, and for 3.0, whose own schema, applied before, lets nothing stand for a schema that is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import jsonschema_rs
from jsonschema_path.paths import SchemaPath
from openapi_schema_validator.validators import OAS30Validator
from openapi_spec_validator import (
    OpenAPIV2SpecValidator,
    OpenAPIV30SpecValidator,
    OpenAPIV31SpecValidator,
    OpenAPIV32SpecValidator,
)
from openapi_spec_validator.validation.keywords import KeywordValidator, OpenAPIV30SchemaValidator

from .shapes import is_array, is_object

__all__ = ["validator_of"]

_SHARED: Final = "#/components/schemas/"
_WALKED: Final = frozenset({"$id", "allOf", "default"})


def validator_of(version: str, value: dict[str, Any], *, is_slice: bool) -> Any:
    """Return the library's validator of a description, or of a slice of one, of that version of OpenAPI."""
    if is_slice and version == "3.0":
        return _Slice30(value)
    return _BY_LIBRARY[version](value)


class _Schemas(OpenAPIV30SchemaValidator):
    """Does not walk a schema that is plain.

    It has no default and no `allOf`, whose properties the library gathers, and refers only to schemas that are judged
    on their own.
    """

    def __call__(
        self, schema: SchemaPath, require_properties: bool = True, meta_checked: bool = False
    ) -> Iterator[Any]:
        value: Any = schema.read_value()
        if not is_object(value) or not self._is_plain(value, schema.accessor.node):
            yield from super().__call__(schema, require_properties, meta_checked)
        elif not meta_checked:
            error = self._validate_schema_meta(schema, value)
            if error is not None:
                yield error

    def _get_schema_checker(self, schema: SchemaPath, schema_value: Any) -> Callable[[Any], None]:
        by_library = super()._get_schema_checker(schema, schema_value)

        def check(value: Any) -> None:
            if not _metaschema().is_valid(value):
                by_library(value)

        return check

    def _is_plain(self, value: Any, root: Any) -> bool:
        if is_array(value):
            return all(self._is_plain(item, root) for item in value)
        if not is_object(value):
            return True
        if not _WALKED.isdisjoint(value) or isinstance(value.get("id"), str):
            return False
        if "$ref" in value and not _is_shared(value["$ref"], root):
            return False
        return all(self._is_plain(member, root) for member in value.values())


def _is_shared(reference: Any, root: Any) -> bool:
    """Say whether a reference names a whole schema of the components: the library judges each of those."""
    if not isinstance(reference, str) or not reference.startswith(_SHARED):
        return False
    return reference.removeprefix(_SHARED) in root.get("components", {}).get("schemas", {})


@cache
def _metaschema() -> jsonschema_rs.Draft4Validator:
    """Return the metaschema that the library takes for 3.0, with the library's own idea of a pattern."""

    def is_pattern(text: str) -> bool:
        return bool(OAS30Validator.FORMAT_CHECKER.conforms(text, "regex"))

    return jsonschema_rs.Draft4Validator(
        dict(OAS30Validator.META_SCHEMA), formats={"regex": is_pattern}, validate_formats=True
    )


def _keywords() -> dict[str, type[KeywordValidator]]:
    return {**OpenAPIV30SpecValidator.keyword_validators, "schema": _Schemas}


class _Slice30(OpenAPIV30SpecValidator):
    keyword_validators = _keywords()


_BY_LIBRARY: Final = {
    "2.0": OpenAPIV2SpecValidator,
    "3.0": OpenAPIV30SpecValidator,
    "3.1": OpenAPIV31SpecValidator,
    "3.2": OpenAPIV32SpecValidator,
}
