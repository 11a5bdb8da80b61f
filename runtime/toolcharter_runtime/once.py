"""Values made once per object: compiled schemas and templates live as long as their contract."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["PerObject"]

K = TypeVar("K")
V = TypeVar("V")


class PerObject(Generic[K, V]):
    """What `make` returns for an object, kept while that very object lives.

    Objects are told apart by identity, so that neither hashing nor comparing a contract is needed; two catalogs may
    hold contracts of the same id.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[K], V]) -> None:
        self._make = make
        self._made: dict[int, tuple[weakref.ref[Any], V]] = {}

    def of(self, key: K) -> V:
        """Return the value of the object, made at the first call."""
        entry = self._made.get(id(key))
        if entry is not None and entry[0]() is key:
            return entry[1]
        identity = id(key)
        value = self._make(key)
        self._made[identity] = (weakref.ref(key, lambda _: self._made.pop(identity, None)), value)
        return value
