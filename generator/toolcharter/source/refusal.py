"""A refusal on its way from the reader that found it to the stage's result."""

from __future__ import annotations

from toolcharter.diagnostics import Diagnostic, Origin

__all__ = ["SourceError", "TextError", "refused"]


class TextError(Exception):
    """A text that cannot be read; the place is a line and column of it, both from 1."""

    def __init__(
        self, code: str, message: str, place: tuple[int, int] = (1, 1), hint: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint

    def diagnostic(self, name: str) -> Diagnostic:
        """Return the finding for the file of that name."""
        origin = Origin(name, *self.place)
        return Diagnostic(
            code=self.code, severity="error", message=self.message, origin=origin, hint=self.hint
        )


class SourceError(Exception):
    """A part of a description that cannot be read, as the finding that says so."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def refused(code: str, message: str, origin: Origin, hint: str = "") -> SourceError:
    """Return the refusal with that finding."""
    finding = Diagnostic(code=code, severity="error", message=message, origin=origin, hint=hint)
    return SourceError(finding)
