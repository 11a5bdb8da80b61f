"""TC220."""

from __future__ import annotations

from collections.abc import Iterator

import jsonschema_rs

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import Node, input_nodes, place_of

__all__ = ["ConstraintNotEnforced"]

_ENFORCED = frozenset(
    [
        "type",
        "enum",
        "const",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "items",
        "prefixItems",
        "contains",
        "minContains",
        "maxContains",
        "minItems",
        "maxItems",
        "uniqueItems",
        "properties",
        "patternProperties",
        "propertyNames",
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "required",
        "dependentRequired",
        "dependentSchemas",
        "minProperties",
        "maxProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "$ref",
        "$defs",
    ]
)
_NOTES = frozenset(
    [
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
        "$schema",
        "$id",
        "discriminator",
        "xml",
        "externalDocs",
    ]
)


class ConstraintNotEnforced(ToolRule):
    """Finds constraints of the description that the contract cannot enforce.

    Why: what is dropped in silence is believed to hold. Each constraint is enforced, narrowed away by the charter, or
    stops generation.

    Bad:

        text: {type: string, contentMediaType: application/json, contentSchema: {…}}       # in the description

    Good:

        input: {note: {to: /note, pattern: "^[A-Za-z ]{1,80}$"}}
    """

    code = "TC220"
    name = "constraint-not-enforced"
    hint = "Narrow the input in the charter to what can be checked, or leave it out."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            for keyword in self._unknown(node):
                yield Finding(
                    f"{tool.contract.tool}: `{keyword}` of `{node.name}` cannot be enforced",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )
        try:
            jsonschema_rs.Draft202012Validator(tool.contract.arguments)
        except ValueError:
            yield Finding(
                f"{tool.contract.tool}: the schema of the arguments cannot be checked",
                tool.origin,
                tool.contract.tool,
            )

    def _unknown(self, node: Node) -> list[str]:
        return sorted(
            key for key in node.schema if key not in _ENFORCED | _NOTES and not key.startswith("x-")
        )
