"""TC524."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule, place
from toolcharter.rules._schemas import Schema, input_nodes, is_fenced
from toolcharter_runtime.language import Reference, references

__all__ = ["SummaryOfFreeText"]

_ALLOWED_ROOTS = frozenset({None, "before", "run", "records", "environment"})


class SummaryOfFreeText(ToolRule):
    """Finds sentences of effect that name free text of the model.

    Why: the approver trusts this one sentence. Free text in it, "…and approved by the CFO", makes the model its author;
    such text stands apart on the page, labelled untrusted.

    Bad:

        summary: "Send the customer: {text}"

    Good:

        summary: "Send an e-mail to customer {customer}"       # the text stands apart
    """

    code = "TC524"
    name = "summary-of-free-text"
    hint = "Name only inputs bounded by an enum, a number, a date or an anchored pattern without spaces."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        write = tool.contract.write
        if write is None:
            return
        origin = place(api.charter, "tools", tool.contract.tool, "summary")
        for reference in references(write.summary):
            flaw = self._flaw(tool, reference)
            if flaw:
                yield Finding(
                    f"{tool.contract.tool}: `summary` names {flaw}", origin, tool.contract.tool
                )

    def _flaw(self, tool: ResolvedTool, reference: Reference) -> str:
        named = ".".join(reference.path)
        if reference.root not in _ALLOWED_ROOTS:
            return f"`{{${reference.root}}}`"
        return f"`{named}`, which is free text" if self._is_free(tool, reference) else ""

    def _is_free(self, tool: ResolvedTool, reference: Reference) -> bool:
        if reference.root is not None:
            return False
        path = reference.path
        schemas: list[Schema] = [
            node.schema for node in input_nodes(tool.contract) if node.path == path
        ]
        lists: list[Any] = [schema.get("items") for schema in schemas]
        schemas += [items for items in lists if isinstance(items, dict)]
        use = tool.contract.inputs.get(".".join(path))
        return not schemas or not all(is_fenced(s) for s in schemas) or bool(use and use.free_text)
