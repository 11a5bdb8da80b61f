"""What an operation does, by its verb alone or by the last word of its path or its name."""

from __future__ import annotations

from ._json import words_of

__all__ = ["READING", "is_general"]

READING = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})
"""Verbs that should change nothing; the charter's `effect` decides."""

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
