"""What the spectator reads: numbered steps, small tables, and whether each fact is the expected one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["Page"]

_WIDTH = 112


class Page:
    """Prints the story and remembers what was other than expected."""

    def __init__(self) -> None:
        self._steps = 0
        self.differences: list[str] = []
        """What was other than expected; the story has failed unless this is empty."""
        self.checked = 0

    def step(self, title: str) -> None:
        """Begin a step."""
        self._steps += 1
        print(f"\n{self._steps:>2}  {title}")

    def say(self, text: str) -> None:
        """Print one line."""
        print(f"      {text[:_WIDTH]}")

    def table(self, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Print a small table."""
        lines = [tuple(map(str, head)), *(tuple(map(str, row)) for row in rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            self.say("  ".join(cells).rstrip())

    def expect(self, what: str, actual: Any, expected: Any) -> None:
        """Print a fact, and remember it if it is not the expected one."""
        self.checked += 1
        if actual == expected:
            print(f"  ok  {what}"[: _WIDTH + 6])
            return
        self.differences.append(what)
        print(
            f"  DIFFERS  {what}\n           expected {expected!r}\n           actual   {actual!r}"
        )
