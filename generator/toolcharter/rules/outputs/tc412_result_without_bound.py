"""TC412."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool, has_bound
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._schemas import Schema, is_bounded_text, nodes_below, types_of
from toolcharter.rules.outputs._fields import fields_of
from toolcharter_runtime.frozen import ViewField

__all__ = ["ResultWithoutBound"]


class ResultWithoutBound(ToolRule):
    """Finds texts and lists of any length, and values of any type, in a view.

    Why: a stray megabyte in an answer fills the model's context and pushes the task out of it.

    Bad:

        view: {body: /body}              # {type: string}

    Good:

        view: {body: {at: /body, truncate: 4000}}
    """

    code = "TC412"
    name = "result-without-bound"
    hint = "Add `truncate`, `maxLength` or `maxItems`, or a ceiling for all: `ceilings: {string: 2000, array: 100}`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        for path, field in fields_of(tool.contract.view.fields):
            if field.count is not None or field.secret:
                continue
            if not self._is_bounded(field, is_paged=tool.contract.page is not None):
                yield Finding(
                    f"{tool.contract.tool}: `{'.'.join(path)}` of the result has no bound",
                    place(api.charter, "tools", tool.contract.tool, "view", path[0]),
                    tool.contract.tool,
                )

    def _is_bounded(self, field: ViewField, *, is_paged: bool) -> bool:
        if field.each is not None:
            return is_paged or has_bound(field.accepts, "maxItems")
        if field.fields is not None:
            return True
        first, *inside = nodes_below(field.accepts)
        own = first.schema
        if field.truncate is not None and "string" in types_of(own):
            own = {**own, "maxLength": field.truncate}
        return all(map(_has_end, (own, *(node.schema for node in inside))))


def _has_end(schema: Schema) -> bool:
    """Say whether a value has a longest form, whatever is inside it."""
    types = types_of(schema)
    is_closed = schema.get("additionalProperties") is False
    if "object" in types and not is_closed and not has_bound(schema, "maxProperties"):
        return False
    if "array" in types and not has_bound(schema, "maxItems"):
        return False
    return "string" not in types or is_bounded_text(schema)
