"""What values a template can take, as a schema, so that its place can be proved to accept them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from toolcharter_runtime.jsonvalue import is_list, is_map
from toolcharter_runtime.language import Reference, Scope, parse_template, references, render

from .case import Case, Input
from .hoisting import rooted
from .merging import JsonSchema, types_of
from .shaping import either

__all__ = ["KEY_FORMS", "Values", "schema_of_values"]

KEY_FORMS: Final[dict[str, JsonSchema]] = {
    "uuid": {
        "type": "string",
        "format": "uuid",
        "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        "minLength": 36,
        "maxLength": 36,
    },
    "base62": {"type": "string", "pattern": "^[0-9A-Za-z]{22}$", "minLength": 22, "maxLength": 22},
}
"""The two forms of an idempotency key; the first that fits its place is taken."""

_MARKER: Final[JsonSchema] = {
    "type": "string",
    "pattern": "^tc-[0-9a-z]{20}$",
    "minLength": 23,
    "maxLength": 23,
}
_LENGTHS: Final = {"uuid": 36, "date": 10, "ipv4": 15, "ipv6": 45}
"""Of times none: their seconds may have any number of digits behind the point."""


class Values:
    """The schemas of references, for one tool; `key_form` is the form that is tried."""

    def __init__(
        self,
        case: Case,
        key_form: Literal["uuid", "base62"] = "uuid",
        before: Case | None = None,
        inputs: Mapping[str, Input] | None = None,
    ) -> None:
        self._case = case
        self._key_form = key_form
        self._before = before
        self._inputs = case.inputs if inputs is None else inputs

    def of(self, reference: Reference) -> JsonSchema | None:
        """Return the schema of a reference's values; None where only the run can tell."""
        match reference.root:
            case None:
                return self._of_input(reference.path)
            case "key":
                return KEY_FORMS[self._key_form]
            case "marker":
                return _MARKER
            case "run" if reference.path[0] == "context":
                spec = self._case.api.charter.context.get(reference.path[1])
                return None if spec is None else spec.schema_keywords()
            case "run":
                return {"type": "string"}
            case "version" if self._before is not None:
                return self._of_version()
            case "before" if self._before is not None:
                found = self._before.view_field(reference.path[0])
                return None if found is None else dict(found.accepts)
            case _:
                return None

    def _of_version(self) -> JsonSchema | None:
        target = self._case.spec.target
        fields = target.version.fields if target is not None and target.version is not None else ()
        found = self._before.view_field(fields[0]) if self._before and len(fields) == 1 else None
        return None if found is None else dict(found.accepts)

    def is_sure(self, template: Any) -> bool:
        """Say whether an entry has a value in every call, and is never left out."""
        if not isinstance(template, str):
            return True
        for reference in references(template):
            if reference.root is not None:
                continue
            one = self._inputs.get(reference.path[0])
            if one is None or not one.required or reference.path[1:] not in ((), (one.tag,)):
                return False
        return True

    def _of_input(self, path: tuple[str, ...]) -> JsonSchema | None:
        one = self._inputs.get(path[0])
        if one is None:
            return None
        if len(path) == 1:
            return rooted(_bare(one.schema))
        if one.tag == path[1]:
            tags = list(one.tags.values())
            return {"type": tags[0]["type"], "enum": [tag["const"] for tag in tags]}
        schemas = [rooted(_bare(inner.schema)) for inner in one.members(path[1])]
        return schemas[0] if len(schemas) == 1 else rooted({"anyOf": schemas}) if schemas else None


def _bare(schema: JsonSchema) -> JsonSchema:
    return {key: value for key, value in schema.items() if key not in ("default", "description")}


def schema_of_values(template: Any, values: Values) -> JsonSchema | None:
    """Return a schema of all that the template can become; None where a part is known only to the run."""
    if isinstance(template, str):
        return _of_text(template, values)
    if is_list(template):
        return _of_list(template, values)
    if is_map(template):
        members = {name: schema_of_values(value, values) for name, value in template.items()}
        if any(member is None for member in members.values()):
            return None
        return {
            "type": "object",
            "properties": members,
            "required": [name for name in members if values.is_sure(template[name])],
            "additionalProperties": False,
        }
    return {"const": template}


def _of_list(template: list[Any], values: Values) -> JsonSchema | None:
    if not template:
        return {"const": []}
    items: list[JsonSchema] = []
    for item in template:
        schema = schema_of_values(item, values)
        if schema is None:
            return None
        items.append(schema)
    return {
        "type": "array",
        "items": either(items),
        "minItems": sum(values.is_sure(item) for item in template),
        "maxItems": len(template),
    }


def _of_text(template: str, values: Values) -> JsonSchema | None:
    parts = parse_template(template)
    if all(isinstance(part, str) for part in parts):
        return {"const": "".join(part for part in parts if isinstance(part, str))}
    schemas = [part if isinstance(part, str) else values.of(part) for part in parts]
    if any(schema is None for schema in schemas):
        return None
    if len(schemas) == 1 and isinstance(schemas[0], dict):
        return schemas[0]
    return _joined([schema for schema in schemas if schema is not None])


def _joined(parts: list[str | JsonSchema]) -> JsonSchema:
    joined: JsonSchema = {"type": "string", "minLength": sum(_shortest(part) for part in parts)}
    longest = [_longest(part) for part in parts]
    if None not in longest:
        joined["maxLength"] = sum(length for length in longest if length is not None)
    patterns = [_pattern(part) for part in parts]
    if None not in patterns:
        joined["pattern"] = f"^{''.join(pattern for pattern in patterns if pattern)}$"
    return joined


def _shortest(part: str | JsonSchema) -> int:
    if isinstance(part, str):
        return len(part)
    values = _texts(part)
    if values is not None:
        return min(map(len, values))
    return int(
        part.get(
            "minLength",
            _LENGTHS.get(str(part.get("format")), 0) if part.get("format") == "uuid" else 0,
        )
    )


def _longest(part: str | JsonSchema) -> int | None:
    if isinstance(part, str):
        return len(part)
    values = _texts(part)
    if values is not None:
        return max(map(len, values))
    kinds = types_of(part) or ()
    if kinds == ("boolean",):
        return 5
    if kinds == ("integer",) and {"minimum", "maximum"} <= part.keys():
        return max(len(str(int(part["minimum"]))), len(str(int(part["maximum"]))))
    if "maxLength" in part:
        return int(part["maxLength"])
    return _LENGTHS.get(str(part.get("format")))


def _texts(part: JsonSchema) -> list[str] | None:
    values = part.get("enum", [part["const"]] if "const" in part else None)
    if not is_list(values) or any(is_list(value) or is_map(value) for value in values):
        return None
    # Where a value is null, nothing is written at all.
    return [render("{x}.", Scope({"x": v}))[:-1] for v in values if v is not None] or None


def _pattern(part: str | JsonSchema) -> str | None:
    if isinstance(part, str):
        return "".join(_escaped(part))
    values = _texts(part)
    if values is not None:
        return f"(?:{'|'.join(''.join(_escaped(value)) for value in values)})"
    if types_of(part) == ("integer",):
        return "-?[0-9]+"
    found = re.fullmatch(r"\^([^|]*)\$", str(part.get("pattern", "")))
    return f"(?:{found[1]})" if found else None


def _escaped(text: str) -> Iterator[str]:
    for character in text:
        yield f"\\{character}" if character in "\\^$.|?*+()[]{}/" else character
