"""TC403."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._schemas import types_of
from toolcharter_runtime.frozen import ViewField

__all__ = ["ListWithoutPages"]


class ListWithoutPages(ToolRule):
    """Finds reads that answer a list without pages.

    Why: the list grows until an answer no longer fits, on the day when there is most to see. Pages with a cursor keep
    each answer small; a list that is short by nature says how short. The boundary searches pages item by item; a short
    list it asks as a whole (TC547).

    Bad:

        list_orders:
          view: {orders: {at: /items, each: {order: /id}}}

    Good:

        list_orders:
          view: {orders: {at: /items, each: {order: /id}}}
          page: {next: /next_cursor, to: query.cursor, size: {query.limit: 50}}
    """

    code = "TC403"
    name = "list-without-pages"
    hint = "Say how one more page is asked for (`page`), or bound a list that is short by nature with `maxItems`."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        contract = tool.contract
        if contract.effect != "read" or contract.page is not None:
            return
        spec = api.charter.tools[contract.tool]
        for field in contract.view.fields:
            entry = spec.view.get(field.name)
            is_stated = entry is not None and entry.max_items is not None
            if self._is_list(field) and not is_stated and not self._is_short(field, api):
                yield Finding(
                    f"{contract.tool} answers a list without pages: `{field.name}`",
                    place(api.charter, "tools", contract.tool, "page"),
                    contract.tool,
                )

    def _is_list(self, field: ViewField) -> bool:
        return field.each is not None or "array" in types_of(field.accepts)

    def _is_short(self, field: ViewField, api: ResolvedApi) -> bool:
        """Say whether the description bounds the list, tighter than the ceiling of last resort would."""
        bound, ceiling = field.accepts.get("maxItems"), api.charter.ceilings.array
        return isinstance(bound, int) and (ceiling is None or bound < ceiling)
