"""TC103."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._base import Finding, ToolRule
from toolcharter.rules._schemas import (
    Node,
    bindings_of,
    input_nodes,
    is_fenced,
    place_of,
    types_of,
    words_of,
)

__all__ = ["Tunnel"]

_LANGUAGES = frozenset(
    [
        "query",
        "sql",
        "script",
        "command",
        "cmd",
        "expression",
        "graphql",
        "jql",
        "cql",
        "soql",
        "statement",
        "code",
        "eval",
        "args",
        "params",
        "payload",
        "request",
        "endpoint",
        "path",
        "route",
        "action",
        "method",
        "verb",
        "operation",
        "resource",
    ]
)
_PROGRAMS = frozenset({"source", "program", "script"})
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
        "replace",
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
        whole = {
            value for at, value in bindings_of(tool.contract) if at == "" and isinstance(value, str)
        }
        for node in input_nodes(tool.contract):
            chosen = self._chooses(node, whole)
            if chosen:
                yield Finding(
                    f"{tool.contract.tool}: the model chooses {chosen} with `{node.name}`",
                    place_of(tool, "input", node.path),
                    tool.contract.tool,
                )

    def _chooses(self, node: Node, whole: set[str]) -> str | None:
        if not node.path or node.path[-1] == "*":
            return None
        schema = node.schema
        is_text = "string" in types_of(schema) and not is_fenced(schema)
        if "{" + node.name + "}" in whole and (is_text or not schema.get("properties")):
            return "the whole payload"
        if is_text and "json" in str(schema.get("contentMediaType", "")):
            return "a raw payload"
        words = words_of(node.field)
        # A postal code or a currency code is an identifier; a bare or a source code is a program.
        is_identifier = len(words) > 1 and words[-1] == "code" and words[-2] not in _PROGRAMS
        if is_text and words and words[-1] in _LANGUAGES and not is_identifier:
            return f"an unfenced {words[-1]}"
        values = {str(value).lower() for value in schema.get("enum") or ()}
        if words and words[-1] in _CHOICES and len(values & _VERBS) > 1:
            return "the action"
        return None
