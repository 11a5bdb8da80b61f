"""TC536."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import place_of, places_reached
from toolcharter.rules.guards._places import guard_at, keys_of_schemes, reads_of
from toolcharter_runtime.language import references

__all__ = ["GuardReachedByName"]


class GuardReachedByName(ToolRule):
    """Finds inputs that reach a guarded header because the operation declares a parameter of their name.

    Why: an input without `to` stands for the one parameter of its name. If that is `Host`, `Cookie` or a key, the model
    steers the connection, or makes two intents one. The same holds of a parameter that a security scheme calls its key,
    and of a hidden read whose arguments the model's words become.

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
        schemes = keys_of_schemes(api)
        yield from self._through_hidden(tool, api, schemes)
        if tool.contract.hidden:
            return
        for argument, places in sorted(places_reached(tool.contract).items()):
            first, *inner = argument.split(".")
            spec = inputs.get(first)
            for at in places if spec is not None else ():
                by_name = guard_at(at)
                guard = by_name or schemes.get(at.lower())
                if guard and spec and (inner or spec.to is None or not by_name):  # else it is TC521
                    origin = place_of(tool, "input", (first, *inner))
                    message = f"{name}: `{argument}` reaches {at}, a place of {guard}"
                    yield Finding(message, origin, name)

    def _through_hidden(
        self, tool: ResolvedTool, api: ResolvedApi, schemes: Mapping[str, str]
    ) -> Iterator[Finding]:
        """A hidden read takes what the boundary gives it, which must not be the model's word at such a place."""
        hidden = {one.contract.id: one.contract for one in api.tools if one.contract.hidden}
        for read in reads_of(tool.contract):
            places = places_reached(hidden[read.tool]) if read.tool in hidden else {}
            for argument, value in read.arguments.items():
                named = [r.path[0] for r in references(value) if r.root is None]
                for at in places.get(argument, ()) if named else ():
                    guard = guard_at(at) or schemes.get(at.lower())
                    if guard:
                        message = f"{tool.contract.tool}: `{named[0]}` reaches {at} of {read.tool}, a place of {guard}"
                        yield Finding(message, tool.origin, tool.contract.tool)
