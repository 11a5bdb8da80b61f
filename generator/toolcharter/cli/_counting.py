"""Numbers with what they count."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, word: str) -> str:
    """Return e.g. `1 tool` or `2 tools`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
