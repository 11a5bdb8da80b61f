"""Statements: written once in SQLAlchemy Core, compiled once a dialect, run as plain SQL.

Compiling, caching and type handling of Core cost more than a small statement itself; columns here hold only text,
integers and bytes, which every driver takes as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["Insert", "Statement", "given"]

Insert: TypeAlias = sqlite.Insert | postgresql.Insert
Clause: TypeAlias = sa.ClauseElement
Compiled: TypeAlias = tuple[str, tuple[tuple[str, Any], ...]]


def given(name: str) -> sa.BindParameter[Any]:
    """Return a parameter that the caller of the statement gives by this name."""
    return sa.bindparam(name, required=False)


class Statement:
    """One statement; `text_for` gives its SQL and the order of its parameters."""

    def __init__(self, clause: Clause) -> None:
        self._clause: Clause | None = clause
        self._compiled: dict[str, Compiled] = {}

    @classmethod
    def upsert(cls, table: sa.Table, build: Callable[[Insert], Insert]) -> Statement:
        """Return an insert with a conflict clause, which each dialect spells with its own class."""
        return _Upsert(table, build)

    def text_for(self, dialect: sa.Dialect) -> Compiled:
        """Return SQL and, in order, (name, default) of its parameters."""
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = self._compile(dialect)
        return compiled

    def _compile(self, dialect: sa.Dialect) -> Compiled:
        made: Any = self._clause_for(dialect).compile(dialect=dialect)
        names = made.positiontup or ()
        return str(made), tuple((name, made.params[name]) for name in names)

    def _clause_for(self, dialect: sa.Dialect) -> Clause:
        assert self._clause is not None, dialect.name
        return self._clause


class _Upsert(Statement):
    def __init__(self, table: sa.Table, build: Callable[[Insert], Insert]) -> None:
        self._clause = None
        self._compiled = {}
        self._table = table
        self._build = build

    def _clause_for(self, dialect: sa.Dialect) -> Clause:
        insert = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
        return self._build(insert(self._table))
