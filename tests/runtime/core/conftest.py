from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions after a lost answer follow one another at once."""
    monkeypatch.setattr("toolcharter_runtime.calls.outcome._PAUSES", (0.0, 0.01, 0.01))
