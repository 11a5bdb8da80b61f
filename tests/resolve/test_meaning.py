"""What the reader makes of a schema accepts what the schema accepts: small random ones, judged by the engine on many values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolcharter.resolve.findings import UncarriedError
from toolcharter.resolve.merging import EmptyError
from toolcharter.resolve.overlaps import overlapping
from toolcharter.resolve.schemas import SchemaReader
from toolcharter.resolve.standalone import standalone
from toolcharter.source import Description
from toolcharter_runtime.schemas import compile_schema

DEFINITIONS: dict[str, Any] = {
    "Name": {"type": "string", "minLength": 1},
    "Pair": {"type": "object", "required": ["a"], "properties": {"a": {}, "b": {"type": "string"}}},
    "Shut": {"type": "object", "properties": {"a": {}, "c": {}}, "additionalProperties": False},
    "Tree": {"type": "object", "properties": {"a": {"$ref": "#/$defs/Tree"}}, "required": ["b"]},
    "Maybe": {"anyOf": [{"$ref": "#/$defs/Name"}, {"type": "null"}]},
    "Apart": {"oneOf": [{"$ref": "#/$defs/Pair"}, {"required": ["c"]}, {"type": "integer"}]},
}
VALUES: list[Any] = [
    None, True, False, 0, 1, 2, 6, 1.0, 1.5, -1, "", "a", "ab", "abc", "b", [], [1], [1, 1], [1, "a"], ["a", None, 2],
    [True, 1], {}, {"a": 1}, {"a": "a"}, {"b": "b"}, {"b": 1}, {"a": 1, "b": "b"}, {"c": None}, {"a": 1, "c": 2},
    {"a": "a", "b": "b", "c": "c"}, {"a": {"b": 1}}, {"a": {"b": 1}, "b": "x"}, {"a": None, "c": True}, {"b": 2, "c": 1},
]  # fmt: skip
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")
NAMES = st.sampled_from(["a", "b", "c"])


@dataclass(frozen=True)
class Stub:
    """A description that has definitions only."""

    definitions: dict[str, Any] = field(default_factory=lambda: DEFINITIONS)

    def definition(self, name: str) -> Any:
        return self.definitions[name]


READER = SchemaReader(cast("Description", Stub()))


def plain() -> st.SearchStrategy[dict[str, Any]]:
    count = st.integers(0, 2)
    return st.one_of(
        st.just({}),
        st.just({"not": {}}),
        st.sampled_from([{"$ref": f"#/$defs/{name}"} for name in DEFINITIONS]),
        st.fixed_dictionaries({"type": st.sampled_from(KINDS)}),
        st.fixed_dictionaries({"type": st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True)}),
        st.fixed_dictionaries({"const": st.sampled_from(VALUES)}),
        st.fixed_dictionaries({"enum": st.lists(st.sampled_from(VALUES), min_size=1, max_size=4)}),
        st.fixed_dictionaries({"pattern": st.sampled_from(["^a", "b$", "^.$", ""])}),
        st.fixed_dictionaries({"minimum": count, "multipleOf": st.sampled_from([1, 2, 3, 1.5, 0.5])}),
        st.fixed_dictionaries({"exclusiveMaximum": count}),
        st.fixed_dictionaries({"minLength": count, "maxLength": count}),
        st.fixed_dictionaries({"minItems": count}),
        st.fixed_dictionaries({"maxItems": count, "uniqueItems": st.booleans()}),
        st.fixed_dictionaries({"minProperties": count, "maxProperties": st.integers(1, 3)}),
        st.fixed_dictionaries({"required": st.lists(NAMES, unique=True, max_size=2)}),
        st.fixed_dictionaries({"dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, unique=True, max_size=2))}),
    )  # fmt: skip


def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    some = st.lists(inner, min_size=1, max_size=3)
    either = inner | st.booleans()
    patterns = st.sampled_from(["^a", "b", "^[bc]$"])
    return st.one_of(
        st.builds(lambda a, b: {**a, **b}, inner, inner),
        st.builds(lambda a, b, c: {**a, **b, **c}, inner, inner, inner),
        st.fixed_dictionaries({"allOf": some}),
        st.fixed_dictionaries({"anyOf": some}),
        st.fixed_dictionaries({"oneOf": some}),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
        st.fixed_dictionaries({"properties": st.dictionaries(NAMES, inner, max_size=3)}),
        st.fixed_dictionaries(
            {"properties": st.dictionaries(NAMES, inner, max_size=2), "additionalProperties": either}
        ),
        st.fixed_dictionaries({"patternProperties": st.dictionaries(patterns, inner, max_size=2)}),
        st.fixed_dictionaries({"propertyNames": inner}),
        st.fixed_dictionaries({"dependentSchemas": st.dictionaries(NAMES, inner, max_size=2)}),
        st.fixed_dictionaries({"items": either}, optional={"prefixItems": some}),
        st.fixed_dictionaries(
            {"contains": inner}, optional={"minContains": st.integers(0, 2), "maxContains": st.integers(1, 2)}
        ),
        st.fixed_dictionaries({"unevaluatedProperties": either}),
        st.fixed_dictionaries({"unevaluatedItems": either}),
    )  # fmt: skip


SCHEMAS = st.recursive(plain(), larger, max_leaves=7)


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    return compile_schema({**schema, "$defs": DEFINITIONS}).is_valid(value)


def looks_around(schema: Any) -> bool:
    """Say whether a union is closed by keywords that see which of its branches were met."""
    return "unevaluated" in str(schema)


@given(SCHEMAS)
@settings(
    max_examples=400, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
def test_branches_and_what_stands_beside_them_mean_the_schema(schema: dict[str, Any]) -> None:
    check(schema)


def check(schema: dict[str, Any]) -> None:
    described = {repr(value): is_valid(schema, value) for value in VALUES}
    try:
        expanded = READER.expand(schema)
    except EmptyError:
        assert not any(described.values())
        return
    except UncarriedError as error:
        assert error.reason  # noqa: PT017
        return
    union = overlapping(READER, schema, [branch.schema for branch in expanded.branches])
    beside = {} if union is None else standalone(READER, union)
    branches = [standalone(READER, branch.schema) for branch in expanded.branches]
    for value in VALUES:
        taken = (value is None and expanded.nullable) or any(is_valid(b, value) for b in branches)
        taken = taken and is_valid(beside, value)
        if looks_around(schema):
            assert not taken or described[repr(value)], value
        else:
            assert taken == described[repr(value)], value
