"""A schema of the description as a contract holds it: closed, standing alone, and no wider than it was."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from toolcharter.charter.findings import nearest
from toolcharter_runtime.jsonvalue import is_map, is_object

from .covering import compiles, covers
from .findings import UncarriedError
from .hoisting import rooted
from .merging import ANNOTATIONS, JsonSchema, has_bound, types_of
from .overlaps import overlapping
from .schemas import Branch, Expanded, SchemaReader
from .shaping import either
from .standalone import standalone

__all__ = ["BOUNDING_FORMATS", "LeafReader", "is_bounded", "only_branch", "tighten", "typed"]

BOUNDING_FORMATS: Final = frozenset({"date", "date-time", "ipv4", "ipv6", "time", "uuid"})
"""Formats whose values have a greatest length."""

_NUMBERS: Final = frozenset(
    {"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"}
)
_KEPT: Final[dict[str, frozenset[str]]] = {
    "string": frozenset({"const", "enum", "format", "maxLength", "minLength", "pattern"}),
    "integer": _NUMBERS | {"const", "enum", "format"},
    "number": _NUMBERS | {"const", "enum", "format"},
    "boolean": frozenset({"const", "enum"}),
    "array": frozenset({"maxItems", "minItems", "uniqueItems"}),
    "object": frozenset({"maxProperties", "minProperties"}),
}
_ELSEWHERE: Final = frozenset(
    {
        "additionalProperties", "maxProperties", "minProperties", "patternProperties", "properties", "propertyNames",
        "required",
    }
)  # fmt: skip
"""Keywords that say nothing about a value that is no object."""
_OF_TYPE: Final = frozenset(
    keyword for kept in _KEPT.values() for keyword in kept - {"const", "enum", "format"}
) | {"items", "prefixItems"}
_BESIDE: Final = frozenset(
    {
        "allOf", "contains", "dependentRequired", "dependentSchemas", "else", "if", "maxContains", "minContains", "not", "then",
        "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
"""Keywords that are enforced as the description has them."""
_ANY_WORD: Final = frozenset({"contentEncoding", "contentMediaType", "contentSchema"})
"""Keywords about a text's content, which no reader of JSON Schema asserts."""
_LIST_FIELDS: Final = "list its fields, each with its own place"
_NONE: Final = frozenset[str]()
_INT32: Final = {"minimum": -(2**31), "maximum": 2**31 - 1}
_NUMBER_FORMATS: Final = frozenset({"int32", "int64", "float", "double"})
_BASE64: Final = frozenset({"byte", "base64"})
_LOWER: Final = frozenset({"minLength", "minimum", "exclusiveMinimum", "minItems"})
_UPPER: Final = frozenset({"maxLength", "maximum", "exclusiveMaximum", "maxItems"})


class LeafReader:
    """Carries values over that need no word of the charter: scalars, lists, tuples and maps of them, and their unions."""

    def __init__(self, reader: SchemaReader) -> None:
        self._reader = reader

    def carry(self, branch: Branch, depth: int = 0) -> JsonSchema:
        """Return the schema of one branch; raises `UncarriedError` for what a contract cannot hold."""
        kind = _kind(branch)
        if kind is None:
            return {"enum": branch.schema["enum"]}
        carried: JsonSchema = {"type": kind}
        beside: JsonSchema = {}
        for keyword, value in branch.schema.items():
            if keyword in _KEPT[kind]:
                carried[keyword] = value
            elif keyword in _BESIDE:
                beside[keyword] = value
            else:
                _refuse(keyword, value)
        if kind == "array":
            self._carry_list(branch.schema, carried, depth)
        elif kind == "object":
            self._carry_map(branch.schema, carried, depth)
        if beside:
            carried["allOf"] = [standalone(self._reader, beside)]
        carried = _plain(carried)
        return carried if depth else rooted(carried)

    def carry_union(self, expanded: Expanded, depth: int = 0) -> JsonSchema:
        """Return the schema of several kinds of value, none of which is an object with members."""
        try:
            kinds = [self.carry(branch, depth) for branch in expanded.branches]
        except UncarriedError as error:
            if error.code != "TC113":
                raise
            only_branch(expanded, None)
            raise
        kinds = [kind if depth else rooted(kind) for kind in kinds]
        return either(kinds)

    def _carry_list(self, schema: JsonSchema, carried: JsonSchema, depth: int) -> None:
        first = schema.get("prefixItems")
        if first:
            carried["prefixItems"] = [self._inside(item, "items", depth) for item in first]
        items = schema.get("items", True)
        if items is False or (first and carried.get("maxItems", len(first) + 1) <= len(first)):
            carried["items"] = False
        elif first and items in (True, {}):
            reason = "elements after the first ones may be anything"
            raise UncarriedError("prefixItems", reason, code="TC104")
        else:
            carried["items"] = self._inside(items, "items", depth)

    def _carry_map(self, schema: JsonSchema, carried: JsonSchema, depth: int) -> None:
        patterns: Mapping[str, Any] = schema.get("patternProperties") or {}
        further = schema.get("additionalProperties", not patterns)
        if schema.get("properties") or schema.get("required"):
            raise UncarriedError("object", "an object stands there", _LIST_FIELDS, code="TC113")
        if patterns:
            carried["patternProperties"] = {
                pattern: self._inside(inner, "patternProperties", depth)
                for pattern, inner in patterns.items()
            }
        elif further in (True, {}):
            reason = "an object of any properties stands there"
            raise UncarriedError("additionalProperties", reason, _LIST_FIELDS, code="TC113")
        carried["additionalProperties"] = (
            self._inside(further, "additionalProperties", depth)
            if is_object(further) and further
            else False
        )
        keys = schema.get("propertyNames")
        if is_object(keys) and keys:
            carried["propertyNames"] = standalone(self._reader, keys)

    def _inside(self, schema: Any, keyword: str, depth: int) -> JsonSchema:
        if depth > 8:
            raise UncarriedError(keyword, "values nest more than 8 levels deep")
        if not is_object(schema) or not schema:
            reason = "the elements of the list have no type"
            if keyword != "items":
                reason = "the values of the map have no type"
            raise UncarriedError(keyword, reason, "type it in the charter", "TC104")
        expanded = self._reader.expand(schema)
        if len(expanded.branches) > 1:
            carried = self.carry_union(expanded, depth + 1)
        else:
            carried = self.carry(only_branch(expanded, None), depth + 1)
        union = overlapping(self._reader, schema, carried.get("anyOf", [carried]))
        carried = nullable(carried) if expanded.nullable else carried
        if union is not None:
            rest = standalone(self._reader, union)
            carried = {**carried, "allOf": [*carried.get("allOf", ()), rest]}
        return carried


def nullable(schema: JsonSchema) -> JsonSchema:
    """Return the schema with null as one more value."""
    if not isinstance(schema.get("type"), str) or schema["type"] == "object" or "allOf" in schema:
        if "enum" in schema and "type" not in schema:
            return {**schema, "enum": [*schema["enum"], None]}
        if schema.keys() == {"anyOf"}:
            return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
        return {"anyOf": [schema, {"type": "null"}]}
    wider = {**schema, "type": [schema["type"], "null"]}
    if "enum" in wider:
        wider["enum"] = [*wider["enum"], None]
    if "const" in wider:
        wider["enum"] = [wider.pop("const"), None]
    return wider


def only_branch(expanded: Expanded, wanted: str | None) -> Branch:
    """Return the one branch there is, or the one that `wanted` names by component, type or tag."""
    branches = expanded.branches
    if wanted is not None:
        return _named_branch(branches, wanted)
    if len(branches) == 1:
        return branches[0]
    if not branches:
        raise UncarriedError("type", "only null may stand there", "leave the place out")
    names = ", ".join(dict.fromkeys(b.name or str(b.schema.get("type", "?")) for b in branches))
    reason = f"one of {len(branches)} kinds of value stands there ({names})"
    raise UncarriedError("anyOf", reason, "say which with `branch`", code="TC113")


def _named_branch(branches: tuple[Branch, ...], wanted: str) -> Branch:
    for matches in (
        [b for b in branches if b.name == wanted],
        [b for b in branches if types_of(b.schema) == (wanted,)],
        [b for b in branches if wanted in _tags(b.schema)],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            reason = f"`branch: {wanted}` names {len(matches)} kinds of value"
            raise UncarriedError("anyOf", reason, "name the component, or the tag", code="TC113")
    names = sorted({b.name or str(b.schema.get("type", "?")) for b in branches})
    reason = f"`branch: {wanted}` names none of the kinds of value that stand there"
    raise UncarriedError("anyOf", reason, f"known: {', '.join(names)}", code="TC113")


def _tags(schema: JsonSchema) -> tuple[Any, ...]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    return tuple(s["const"] for s in properties.values() if is_object(s) and "const" in s)


def tighten(described: JsonSchema, written: Mapping[str, Any]) -> JsonSchema:
    """Return the described schema with the charter's keywords; raises `UncarriedError` where one is not tighter."""
    tight = dict(described)
    for keyword, value in written.items():
        if keyword == "default":
            tight[keyword] = value
        elif keyword == "items" and is_map(value):
            tight[keyword] = tighten(tight.get("items", {}), value)
        else:
            _check_tighter(keyword, described, value)
            tight[keyword] = value
    _check_contradiction(tight)
    return tight


def _check_tighter(keyword: str, described: JsonSchema, value: Any) -> None:
    if keyword not in described or described[keyword] == value:
        kinds = types_of(described)
        if keyword == "type" and kinds is None:
            return
        known = _KEPT.get(kinds[0], _NONE) if kinds else _OF_TYPE
        if keyword not in known and keyword not in ("type", "const", "enum", "format"):
            reason = f"`{keyword}` says nothing about a value of type {kinds[0] if kinds else '?'}"
            raise UncarriedError(keyword, reason, "remove it", code="TC115")
        return
    before = described[keyword]
    if not _is_tighter(keyword, before, value, described):
        reason = f"`{keyword}` is not proved to be tighter than the description's"
        raise UncarriedError(
            keyword, reason, "a keyword over a described place may only tighten it", "TC115"
        )


def _is_tighter(keyword: str, before: Any, value: Any, described: JsonSchema) -> bool:
    if keyword in _LOWER:
        return bool(value >= before)
    if keyword in _UPPER:
        return bool(value <= before)
    if keyword == "type":
        return value in (types_of(described) or ()) or (value == "integer" and before == "number")
    if keyword == "enum":
        return all(item in before for item in value)
    if keyword == "uniqueItems":
        return bool(value or not before)
    outer = {"type": described.get("type", "string"), keyword: before}
    return covers(outer, {"type": described.get("type", "string"), keyword: value})


def _check_contradiction(schema: JsonSchema) -> None:
    for low, high in (("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems")):
        if low in schema and high in schema and schema[low] > schema[high]:
            raise UncarriedError(
                low, f"`{low}` is above `{high}`: no value is valid", "mend one", "TC115"
            )
    if "default" in schema:
        bare = {k: v for k, v in schema.items() if k != "default"}
        if compiles(bare) is None and not covers(bare, {"const": schema["default"]}):
            reason = "the default is not a valid value"
            raise UncarriedError(
                "default", reason, "state a `default` that is, or `required: true`", "TC115"
            )
    broken = compiles({k: v for k, v in schema.items() if k != "default"})
    if broken is not None:
        raise UncarriedError(
            "pattern", "the schema cannot be enforced: a keyword of it is malformed", code="TC212"
        )


def typed(written: Mapping[str, Any], name: str = "", known: Collection[str] = ()) -> JsonSchema:
    """Return the schema that the charter gives to a place with no described type; raises `UncarriedError`.

    `name` is the last segment of the place, and `known` the described names beside it.
    """
    if "type" not in written and not {"const", "enum"} & written.keys():
        near = nearest(name, known)
        if name not in known and near.startswith("did you mean"):
            raise UncarriedError("type", f"the description has no `{name}`", near, code="TC110")
        reason = "the description gives no type there, and the charter neither"
        raise UncarriedError(
            "type", reason, "state `type` and its bounds in the charter", code="TC104"
        )
    schema = dict(written)
    if "type" not in schema:
        schema["type"] = _type_of_values(schema.get("enum", [schema.get("const")]))
    if schema["type"] == "array" and "items" not in schema:
        raise UncarriedError(
            "items", "the list's elements have no type", "state `items` with a type"
        )
    _check_contradiction(schema)
    return schema


def is_bounded(schema: JsonSchema) -> bool:
    """Say whether a string cannot be of any length (a finite pattern counts; see `patterns`)."""
    return (
        bool({"const", "enum"} & schema.keys())
        or has_bound(schema, "maxLength")
        or schema.get("format") in BOUNDING_FORMATS
    )


def _kind(branch: Branch) -> str | None:
    """Return the type of a branch's values; None where they are listed and have several."""
    kinds = types_of(branch.schema)
    if kinds is not None:
        return kinds[0]
    values = branch.schema.get(
        "enum", [branch.schema["const"]] if "const" in branch.schema else None
    )
    if values is None:
        if branch.schema.get("properties"):
            raise UncarriedError("object", "an object stands there", _LIST_FIELDS, code="TC113")
        reason = "the description gives no type there"
        raise UncarriedError("type", reason, "type it in the charter", code="TC104")
    names = {_json_type(value) for value in values}
    return None if len(names) > 1 and names != {"integer", "number"} else _type_of_values(values)


def _type_of_values(values: list[Any]) -> str:
    names = {_json_type(value) for value in values}
    if names == {"integer", "number"}:
        return "number"
    if len(names) != 1:
        raise UncarriedError("enum", "the values have different types", "state `type`")
    return names.pop()


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return (
        "number"
        if isinstance(value, float)
        else "string"
        if isinstance(value, str)
        else "object"
        if is_object(value)
        else "array"
    )


def _refuse(keyword: str, value: Any) -> None:
    """Let go of what accepts every value of this type; raise for anything else."""
    is_said = keyword == "type" or keyword in ANNOTATIONS or keyword.startswith("x-")
    if is_said or keyword in _ELSEWHERE or keyword in _OF_TYPE:
        return
    if keyword in _ANY_WORD or (keyword == "nullable" and not value):
        return
    raise UncarriedError(keyword, f"the contract cannot hold the keyword `{keyword}`")


def _plain(schema: JsonSchema) -> JsonSchema:
    """Write number formats as bounds, and refuse bytes."""
    form = schema.get("format")
    if form == "binary" and schema["type"] == "string":
        raise UncarriedError("format", "bytes stand there", "leave the place out", code="TC405")
    if form in _BASE64 and schema["type"] == "string":
        schema = {**schema, "format": "byte"}
    if form in _NUMBER_FORMATS:
        schema = {k: v for k, v in schema.items() if k != "format"}
        if form == "int32" and schema["type"] == "integer":
            schema["minimum"] = max(schema.get("minimum", _INT32["minimum"]), _INT32["minimum"])
            schema["maximum"] = min(schema.get("maximum", _INT32["maximum"]), _INT32["maximum"])
    broken = compiles(rooted(schema))
    if broken is not None:
        hint = "state a `pattern` in the charter, in ECMA-262"
        raise UncarriedError(
            "pattern", "a keyword there is malformed and cannot be enforced", hint, "TC212"
        )
    return schema
