"""One code that another stage reports, explained by data instead of a docstring."""

from __future__ import annotations

from toolcharter.rules._base import Explanation, ReportedRule, Severity

__all__ = ["Entry"]


class Entry(ReportedRule):
    """A registered code: its facts, and the four parts that `explain` prints."""

    def __init__(
        self, code: str, name: str, parts: tuple[str, str, str, str], severity: Severity = "error"
    ) -> None:
        """Keep the code, its name and (what, why, bad, good)."""
        self.code = code
        self.name = name
        self.severity = severity
        what, why, bad, good = parts
        self._explanation = Explanation(what, why, bad, good)

    def explanation(self) -> Explanation:
        """Return the four parts."""
        return self._explanation
