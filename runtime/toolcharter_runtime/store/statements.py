"""Statements: written once in SQLAlchemy Core, compiled once a dialect, run as plain SQL.

Compiling, caching and type handling of Core cost more than a small statement itself; columns here hold only text,
integers and bytes, which every driver takes as they are.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["Compiled", "Insert", "Statement", "given"]

Insert: TypeAlias = sqlite.Insert | postgresql.Insert
Clause: TypeAlias = sa.ClauseElement

_row_class: Final[Any] = collections.namedtuple  # noqa: PYI024 - columns are known at run time


def given(name: str) -> sa.BindParameter[Any]:
    """Return a parameter that the caller of the statement gives by this name."""
    return sa.bindparam(name, required=False)


class Compiled:
    """A statement in one dialect."""

    __slots__ = ("_parameters", "row", "text")

    def __init__(self, clause: Clause, dialect: sa.Dialect) -> None:
        made: Any = clause.compile(dialect=dialect)
        self.text = str(made)
        """The SQL, its parameters by position."""
        self._parameters = tuple((name, made.params[name]) for name in made.positiontup or ())
        columns = [column.name for column in getattr(clause, "selected_columns", ())]
        self.row: Callable[[Iterable[Any]], Any] = _row_class("Row", columns)._make
        """Makes a row with attributes of what a cursor fetches."""

    def in_order(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the parameters as the SQL wants them."""
        return tuple([values.get(name, default) for name, default in self._parameters])


class Statement:
    """One statement, compiled when a dialect first asks for it."""

    def __init__(self, clause: Clause | Callable[[sa.Dialect], Clause]) -> None:
        self._clause = clause
        self._compiled: dict[str, Compiled] = {}

    @classmethod
    def upsert(cls, table: sa.Table, build: Callable[[Insert], Insert]) -> Statement:
        """Return an insert with a conflict clause, which each dialect spells with its own class."""

        def clause(dialect: sa.Dialect) -> Clause:
            insert = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
            return build(insert(table))

        return cls(clause)

    def compiled_for(self, dialect: sa.Dialect) -> Compiled:
        """Return the statement as this dialect writes it."""
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            clause = self._clause
            made = clause if isinstance(clause, sa.ClauseElement) else clause(dialect)
            compiled = self._compiled[dialect.name] = Compiled(made, dialect)
        return compiled
