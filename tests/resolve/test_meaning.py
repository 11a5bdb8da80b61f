"""What the reader makes of a schema accepts what the schema accepts: small random ones, with many values each."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .meaning import DEFINITIONS, VALUES, check

KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")
NAMES = st.sampled_from(["a", "b", "c"])


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


def both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, **other}


def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    some = st.lists(inner, min_size=1, max_size=3)
    either = inner | st.booleans()
    patterns = st.sampled_from(["^a", "b", "^[bc]$"])
    return st.one_of(
        st.builds(both, inner, inner),
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


@given(SCHEMAS)
@settings(
    max_examples=250, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
def test_branches_and_what_stands_beside_them_mean_the_schema(schema: dict[str, Any]) -> None:
    check(schema)
