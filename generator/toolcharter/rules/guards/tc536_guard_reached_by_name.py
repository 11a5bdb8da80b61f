"""TC536."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import bindings_of, place_of
from toolcharter.rules.guards._places import guard_at
from toolcharter_runtime.language import references

__all__ = ["GuardReachedByName"]


class GuardReachedByName(ToolRule):
    """Finds inputs that reach a guarded header because the operation declares a parameter of their name.

    Why: an input without `to` stands for the one parameter of its name. If that is `Host`, `Cookie` or a key, the model
    steers the connection, or makes two intents one.

    Bad:

        input: {host: {maxLength: 80}}          # the operation declares a header `Host`

    Good:

        input: {server: {to: query.server, maxLength: 80}}
    """

    code = "TC536"
    name = "guard-reached-by-name"
    hint = "Take the input out; what goes there is the boundary's, a constant or a credential (`send`)."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        name, inputs = tool.contract.tool, api.charter.tools[tool.contract.tool].input
        if tool.contract.hidden:
            return
        for at, value in bindings_of(tool.contract):
            guard = guard_at(at)
            for reference in references(value) if guard else ():
                spec = inputs.get(reference.path[0]) if reference.root is None else None
                if spec is not None and spec.to is None:
                    origin = place_of(tool, "input", reference.path)
                    message = f"{name}: `{reference.path[0]}` reaches {at}, a place of {guard}"
                    yield Finding(message, origin, name)
