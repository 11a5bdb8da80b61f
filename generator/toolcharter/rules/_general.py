"""Which operations do whatever they are told, by the last word of their path or their name."""

from __future__ import annotations

from ._json import words_of

__all__ = ["is_general"]

_WORDS = frozenset(
    {
        "batch",
        "eval",
        "exec",
        "execute",
        "graphql",
        "jsonrpc",
        "proxy",
        "rpc",
        "sql",
        "xmlrpc",
    }
)


def is_general(path: str, operation_id: str | None) -> bool:
    """Say whether an operation's path ends in, or its name is, a word for "do what is in the body"."""
    literal = [part for part in path.split("/") if part and "{" not in part]
    last = words_of(literal[-1]) if literal and path.rstrip("/").endswith(literal[-1]) else ()
    named = words_of(operation_id or "")
    return (len(last) == 1 and last[0] in _WORDS) or (len(named) == 1 and named[0] in _WORDS)
