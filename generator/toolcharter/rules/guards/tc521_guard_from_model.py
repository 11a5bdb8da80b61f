"""TC521."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcharter.charter import Charter
from toolcharter.charter.schema import InputSpec, ToolSpec
from toolcharter.rules._base import CharterRule, Finding, place, tools_of
from toolcharter.rules.guards._places import guard_at, guard_beside
from toolcharter_runtime.language import LanguageError, references

__all__ = ["GuardFromModel"]


class GuardFromModel(CharterRule):
    """Finds inputs bound to a key, a precondition, a credential or a header that steers the connection.

    Why: the boundary makes keys and preconditions itself. A key that a model supplies makes two intents one, or one two;
    a precondition that it supplies approves a state which nobody saw.

    Bad:

        input: {key: header.Idempotency-Key, etag: header.If-Match}

    Good:

        send: {header.Idempotency-Key: "{$key}", header.If-Match: "{$version}"}
    """

    code = "TC521"
    name = "guard-from-model"
    hint = "Take the input out; `send` fills the place with `{$key}`, `{$version}` or `{$credential.x}`."

    def check(self, charter: Charter) -> Iterator[Finding]:
        for name, tool in tools_of(charter):
            if tool.hidden:
                continue
            for path, spec in _inputs(tool.input):
                at = (
                    spec if spec.model_fields_set else charter.fields.get(path[-1], spec)
                ).to or ""
                if guard_at(at):
                    shown = (
                        f"{name}: `{path[-1]}` of the model fills {at}, a place of {guard_at(at)}"
                    )
                    yield Finding(shown, place(charter, "tools", name, "input", *path), name)
            for at, template, key in _sent(charter, tool):
                names = _named(template)
                guard = guard_at(at) or guard_beside(template) if names else None
                if guard:
                    shown = f"{name}: `{names[0]}` of the model reaches {at}, a place of {guard}"
                    yield Finding(shown, place(charter, *key, at), name)


def _inputs(inputs: Mapping[str, InputSpec]) -> Iterator[tuple[tuple[str, ...], InputSpec]]:
    for name, spec in inputs.items():
        yield (name,), spec
        for steps, inner in spec.inner():
            for path, found in _inputs({steps[-1]: inner}):
                yield (name, *steps, *path[1:]), found


def _sent(charter: Charter, tool: ToolSpec) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Yield every place that `send` fills, its template and the keys that lead to it."""
    own = next(name for name, other in charter.tools.items() if other is tool)
    yield from ((at, template, ("tools", own, "send")) for at, template in tool.send.items())
    shared = {at: template for at, template in charter.defaults.send.items() if at not in tool.send}
    yield from ((at, template, ("defaults", "send")) for at, template in shared.items())


def _named(template: Any) -> list[str]:
    try:
        return [".".join(found.path) for found in references(template) if found.root is None]
    except LanguageError:
        return []
