"""The desk: where people read what would be done, decide it, and settle what is unknown."""

from __future__ import annotations

__all__: list[str] = []
