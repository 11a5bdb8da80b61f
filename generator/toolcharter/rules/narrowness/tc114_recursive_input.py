"""TC114."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import as_list, as_map

__all__ = ["RecursiveInput"]


class RecursiveInput(ToolRule):
    """Finds inputs that may contain themselves.

    Why: a filter of filters of filters has no depth that anybody reviewed, and no bound that a schema can state.

    Bad:

        input: {filter: /filter}           # Filter: {and: [Filter], or: [Filter]}

    Good:

        input: {email: /filter/and/0/email}
    """

    code = "TC114"
    name = "recursive-input"
    hint = "List the fields that the tool needs, with places that reach into the structure."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        definitions = as_map(tool.contract.arguments.get("$defs"))
        uses = {name: set(_named(value)) for name, value in definitions.items()}
        for name in sorted(uses):
            reached: set[str] = set()
            waiting = set(uses[name])
            while waiting:
                step = waiting.pop()
                if step not in reached:
                    reached.add(step)
                    waiting |= uses.get(step, set())
            if name in reached:
                yield Finding(
                    f"{tool.contract.tool} takes `{name}`, which may contain itself",
                    tool.origin,
                    tool.contract.tool,
                )


def _named(value: Any) -> Iterator[str]:
    for key, inner in as_map(value).items():
        if key == "$ref" and isinstance(inner, str):
            yield inner.rpartition("/")[2]
        yield from _named(inner)
    for inner in as_list(value):
        yield from _named(inner)
