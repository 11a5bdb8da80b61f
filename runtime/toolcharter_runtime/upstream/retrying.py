"""When a read is tried again: full jitter, bounded attempts, one deadline, `Retry-After` capped (R3)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Schedule"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Bounds of the attempts of one read, in seconds. Pure: time and chance come from the caller."""

    attempts: int = 4
    first: float = 0.2
    longest: float = 8.0
    longest_asked: float = 30.0

    def pause(self, failed: int, chance: float, asked: float | None, left: float) -> float | None:
        """Return how long to wait after `failed` attempts, or None where there is no further one.

        `chance` is uniform in [0, 1); `asked` is what `Retry-After` said; `left` is the time to the deadline. An upstream
        that asks for more than the cap, or than is left, is not asked again.
        """
        if failed >= self.attempts:
            return None
        if asked is not None:
            pause = asked
            if asked > self.longest_asked:
                return None
        else:
            pause = chance * min(self.longest, self.first * 2 ** (failed - 1))
        return pause if pause < left else None
