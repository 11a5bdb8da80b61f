"""One figure a line: what was measured, beside what, the ratio, and the bar it is held to."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Figure", "show"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A ratio of two measurements of one run; `bar` is the most that we allow ourselves, if any."""

    name: str
    ours: str
    theirs: str
    ratio: float | None
    bar: float | None = None

    @property
    def verdict(self) -> str:
        """Return `ok`, `MISSED`, or nothing where there is no bar."""
        if self.bar is None or self.ratio is None:
            return ""
        return "ok" if self.ratio <= self.bar else "MISSED"


def show(figures: list[Figure]) -> int:
    """Print the table; return how many bars were missed."""
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:5.2f}"
        bar = "" if figure.bar is None else f"<= {figure.bar:.2f}"
        print(
            f"{figure.name:<{width}}  {figure.ours:>14}  {figure.theirs:>34}  {ratio:>6}  {bar:>8}  {figure.verdict}"
        )
    missed = sum(figure.verdict == "MISSED" for figure in figures)
    print(f"{len(figures)} figures, {missed} bars missed")
    return missed
