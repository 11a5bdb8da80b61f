"""TC102."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool, has_bound
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import (
    Schema,
    as_map,
    input_nodes,
    is_bounded_text,
    place_of,
    types_of,
)

__all__ = ["MapWithoutBounds"]

_REST = ("additionalProperties", "unevaluatedProperties", "patternProperties")


class MapWithoutBounds(ToolRule):
    """Finds maps of any number of entries, or with keys of any length: an error in a write, a warning in a read.

    Why: the keys of a map are the model's own words. Each is text that goes upstream and onto the approver's page, and
    the number of them is the number of things that one call may touch.

    Bad:

        input: {labels: /labels}             # {type: object, additionalProperties: {type: string}}

    Good:

        input:
          labels: {to: /labels, maxProperties: 20, keys: {pattern: "^[a-z0-9-]{1,40}$"}, values: {maxLength: 80}}
    """

    code = "TC102"
    name = "map-without-bounds"
    hint = "Add `maxProperties` and `keys: {pattern: …}`; or ceilings for all: `ceilings: {array: 100, string: 2000}`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for node in input_nodes(tool.contract):
            missing = self._missing(node.schema)
            if missing:
                yield Finding(
                    f"{tool.contract.tool} takes a map {' and '.join(missing)} as `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                    severity="warning" if tool.contract.effect == "read" else None,
                )

    def _missing(self, schema: Schema) -> list[str]:
        is_object = "object" in types_of(schema) or "properties" in schema
        if not is_object or not any(as_map(schema.get(key)) for key in _REST):
            return []
        missing = [] if has_bound(schema, "maxProperties") else ["of any number of entries"]
        patterns = as_map(schema.get("patternProperties"))
        is_closed = False in (schema.get(key) for key in _REST)
        are_fenced = is_closed and all(is_bounded_text({"pattern": key}) for key in patterns)
        if not are_fenced and not is_bounded_text(as_map(schema.get("propertyNames"))):
            missing.append("with keys of any length")
        return missing
