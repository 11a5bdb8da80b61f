"""Why there is no answer. None of these texts holds a URL, a header or a value (R4)."""

from __future__ import annotations

from typing import Literal

__all__ = ["NoAnswer", "NotSent", "UpstreamError", "Violation"]


class UpstreamError(Exception):
    """Base of the upstream's faults."""


class NotSent(UpstreamError):
    """Surely no byte of the request left: no connection, no name, no credential."""


class NoAnswer(UpstreamError):
    """The request may have arrived; no whole answer came back. `kind` says whether it was cut off or too late."""

    def __init__(self, kind: Literal["cut", "timeout"]) -> None:
        super().__init__(kind)
        self.kind: Literal["cut", "timeout"] = kind


class Violation(UpstreamError):
    """The answer breaks the contract at a place. `too_large` where its size is what breaks it."""

    def __init__(self, pointer: str, reason: str = "", *, too_large: bool = False) -> None:
        super().__init__(f"{pointer or '/'}: {reason}")
        self.pointer = pointer
        self.reason = reason
        self.too_large = too_large
