"""The one error of the little language."""

from __future__ import annotations

__all__ = ["LanguageError"]


class LanguageError(ValueError):
    """A place, template or condition that cannot be read, or a value that cannot stand where it should.

    `reason` is one sentence without any value of a user's: the text of a charter may be in it, arguments are not.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
