"""TC805."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcharter.charter import Charter
from toolcharter.charter.schema import InputSpec
from toolcharter.rules._base import CharterRule, Finding, place, tools_of
from toolcharter.rules._schemas import as_list, as_map
from toolcharter_runtime.language import LanguageError, parse_template

__all__ = ["UnusedEntry"]


class UnusedEntry(CharterRule):
    """Finds shared `fields` and `context` entries that nothing uses.

    Why: an entry that bounds nothing makes a reader believe that something is bounded.

    Bad:

        fields: {invoice: {pattern: "^I-[0-9]{6}$"}}         # no tool has `input: {invoice}`

    Good:

        fields: {customer: {pattern: "^C-[0-9]{4,8}$"}}
        tools: {get_customer: {input: {customer: }}}
    """

    code = "TC805"
    name = "unused-entry"
    severity = "warning"
    hint = "Take it out, or use it."

    def check(self, charter: Charter) -> Iterator[Finding]:
        used = {name for _, tool in tools_of(charter) for name in self._shared(tool.input)}
        for name in sorted(set(charter.fields) - used):
            yield Finding(f"field {name} is used by no tool", place(charter, "fields", name))
        stated = set(self._context(charter.raw))
        for name in sorted(set(charter.context) - stated):
            yield Finding(f"context {name} is used nowhere", place(charter, "context", name))

    def _shared(self, inputs: Mapping[str, InputSpec]) -> Iterator[str]:
        for name, spec in inputs.items():
            if not spec.model_fields_set:
                yield name
            for steps, inner in spec.inner():
                yield from self._shared({steps[-1]: inner})

    def _context(self, value: Any) -> Iterator[str]:
        """Yield the names of `{$run.context.x}` and of conditions on `$run.context.x`, anywhere."""
        for key, inner in as_map(value).items():
            yield from self._context(f"{{{key}}}" if key.startswith("$run.") else "")
            yield from self._context(inner)
        for inner in as_list(value):
            yield from self._context(inner)
        if isinstance(value, str) and "$run.context." in value:
            yield from _names(value if "{" in value else f"{{{value}}}")


def _names(text: str) -> Iterator[str]:
    try:
        parts = parse_template(text)
    except LanguageError:
        return
    for part in parts:
        if not isinstance(part, str) and part.root == "run" and part.path[:1] == ("context",):
            yield part.path[1]
