"""The two nothings of the language, which are no JSON values: nothing stands there, and no value was given."""

from __future__ import annotations

from typing import Any, Final, Self

__all__ = ["ABSENT", "UNSET", "Absent", "Unset"]


class _Nothing:
    """One instance a class, false, the same after a copy."""

    _only: Any = None

    def __new__(cls) -> Self:
        """Return the one instance."""
        if cls._only is None:
            cls._only = super().__new__(cls)
        only: Self = cls._only
        return only

    def __repr__(self) -> str:
        """Return the name of the one instance."""
        return type(self).__name__.upper()

    def __bool__(self) -> bool:
        """Return False."""
        return False

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        """Copy and unpickle to the one instance."""
        return (type(self), ())


class Absent(_Nothing):
    """The type of `ABSENT`."""


class Unset(_Nothing):
    """The type of `UNSET`."""


ABSENT: Final = Absent()
"""Nothing stands at the place. It is not JSON `null`, which is a value (C3)."""

UNSET: Final = Unset()
"""What rendering gives where a reference has no value."""
