"""What a schema means, and what the reader makes of it: both judged by the engine on the same values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

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


@dataclass(frozen=True)
class Stub:
    """A description that has definitions only."""

    definitions: dict[str, Any] = field(default_factory=lambda: DEFINITIONS)

    def definition(self, name: str) -> Any:
        return self.definitions[name]


READER = SchemaReader(cast("Description", Stub()))


def accepted(schema: dict[str, Any]) -> list[bool]:
    """Return for each of the values whether it is valid."""
    validator = compile_schema({**schema, "$defs": DEFINITIONS})
    return [validator.is_valid(value) for value in VALUES]


def looks_around(schema: Any) -> bool:
    """Say whether a union is closed by keywords that see which of its branches were met."""
    return "unevaluated" in str(schema)


def check(schema: dict[str, Any]) -> None:
    """Assert that a value is accepted by the branches and what stands beside them if, and only if, it is by the schema."""
    described = accepted(schema)
    try:
        expanded = READER.expand(schema)
    except EmptyError:
        assert not any(described)
        return
    except UncarriedError:
        return
    union = overlapping(READER, schema, [branch.schema for branch in expanded.branches])
    beside = accepted({} if union is None else standalone(READER, union))
    kinds = [accepted(standalone(READER, branch.schema)) for branch in expanded.branches]
    for index, value in enumerate(VALUES):
        taken = (value is None and expanded.nullable) or any(kind[index] for kind in kinds)
        taken = taken and beside[index]
        if looks_around(schema):
            assert not taken or described[index], value
        else:
            assert taken == described[index], value
