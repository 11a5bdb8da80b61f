"""TC103."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import (
    Node,
    input_nodes,
    is_fenced,
    names_of,
    place_of,
    places_by_input,
    types_of,
)
from toolcharter.rules.narrowness._tunnels import holds_document, is_language

__all__ = ["Tunnel"]

_CHOICES = frozenset({"action", "method", "verb", "operation", "command"})
_VERBS = frozenset(
    [
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "head",
        "create",
        "update",
        "remove",
        "read",
        "write",
        "list",
        "add",
        "set",
        "insert",
        "execute",
    ]
)


class Tunnel(ToolRule):
    """Finds one input that chooses the action, the method, the path, a query in some language or the raw payload.

    Why: such a tool has as many effects as there are strings. Nobody can classify it, bound it or approve it; one tunnel
    makes every other tool's narrowness worthless.

    Bad:

        execute_action:
          input: {action: /action, payload: /payload}

    Good:

        rename_contact:
          send: {/action: rename}
          input: {name: /payload/name}
    """

    code = "TC103"
    name = "tunnel"
    hint = "Make one tool per action with the choice as a constant under `send`, or fence the value with an enum or pattern."

    def check(self, tool: ResolvedTool, api: ResolvedApi) -> Iterator[Finding]:
        places = places_by_input(tool.contract)
        for node in input_nodes(tool.contract):
            chosen = self._chooses(node, places) or holds_document(node, places, tool, api)
            if chosen:
                yield Finding(
                    f"{tool.contract.tool}: the model chooses {chosen} with `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _chooses(self, node: Node, places: Mapping[str, tuple[str, ...]]) -> str | None:
        if not node.path or node.path[-1] == "*":
            return None
        schema, names = node.schema, names_of(node, places)
        is_text = "string" in types_of(schema) and not is_fenced(schema)
        if "" in places.get(node.name, ()) and (is_text or not schema.get("properties")):
            return "the whole payload"
        language = next((words[-1] for words in names if is_language(words)), None)
        if is_text and language:
            return f"an unfenced {language}"
        values = {str(value).lower() for value in schema.get("enum") or ()}
        if len(values & _VERBS) > 1 and any(words[-1] in _CHOICES for words in names):
            return "the action"
        return None
