"""What makes an input a tunnel: a name that calls a program or a query, or a text that is a document of its own."""

from __future__ import annotations

from collections.abc import Mapping

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter.rules._described import schemas_at
from toolcharter.rules._schemas import Node, is_fenced, types_of

__all__ = ["holds_document", "is_language"]

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
        "eval",
        "args",
        "params",
        "payload",
        "endpoint",
        "path",
        "route",
        "action",
        "method",
        "verb",
        "operation",
        "argv",
        "bash",
        "cypher",
        "formula",
        "gql",
        "jsonpath",
        "kql",
        "lucene",
        "macro",
        "odata",
        "powershell",
        "promql",
        "shell",
        "sparql",
        "where",
        "xpath",
    ]
)
_PROGRAMS = frozenset({"source", "program", "script"})
_THINGS = frozenset(
    {("delivery", "method"), ("payment", "method"), ("shipping", "method"), ("webhook", "endpoint")}
)
"""Names of things that an API keeps, and which end like those of actions and addresses."""


def holds_document(
    node: Node, places: Mapping[str, tuple[str, ...]], tool: ResolvedTool, api: ResolvedApi
) -> str | None:
    """Return "a raw payload" where the description calls a text another document, which no contract looks into."""
    if "string" not in types_of(node.schema) or is_fenced(node.schema):
        return None
    at = places.get(".".join(node.path), ())
    found = [s for one in at for s in schemas_at(tool.operation, one, api.description)]
    kinds = [str(s.get("contentMediaType", "")) for s in (node.schema, *found)]
    return "a raw payload" if any("json" in kind for kind in kinds) else None


def is_language(words: tuple[str, ...]) -> bool:
    """Say whether a name calls a program or a query: a postal code is an identifier, a bare or a source code is none."""
    if words[-2:] in _THINGS:
        return False
    if words[-1] == "code":
        return len(words) == 1 or words[-2] in _PROGRAMS
    return words[-1] in _LANGUAGES
