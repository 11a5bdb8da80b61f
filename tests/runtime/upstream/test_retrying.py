"""R3: bounded attempts, full jitter, one total deadline, `Retry-After` capped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcharter_runtime.upstream import Schedule

SCHEDULE = Schedule(attempts=4, first=0.2, longest=1.0, longest_asked=30)


@pytest.mark.parametrize(
    ("failed", "chance", "asked", "left", "pause"),
    [
        (1, 0.5, None, 60, 0.1),
        (2, 0.5, None, 60, 0.2),
        (3, 1.0, None, 60, 0.8),
        (4, 0.5, None, 60, None),
        (1, 0.5, 30, 60, 30),
        (1, 0.5, 31, 60, None),
        (1, 0.5, 86_400, 1_000_000, None),
        (1, 0.5, 10, 10, None),
        (1, 0.5, 0, 60, 0),
        (1, 1.0, None, 0.2, None),
        (1, 0.0, None, 0, None),
    ],
)
def test_the_schedule(
    failed: int, chance: float, asked: float | None, left: float, pause: float | None
) -> None:
    assert SCHEDULE.pause(failed, chance, asked, left) == pause


@given(st.integers(1, 3), st.floats(0, 1, exclude_max=True), st.floats(0, 100))
def test_no_pause_is_longer_than_its_bound_or_than_what_is_left(
    failed: int, chance: float, left: float
) -> None:
    pause = SCHEDULE.pause(failed, chance, None, left)
    assert pause is None or 0 <= pause <= min(1.0, left)
