"""Nothing of an exchange in a log: at level DEBUG the transport would write an answer's headers there (T1, R4)."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import Final

__all__ = ["Quiet", "hold_back"]

_IS_OURS: Final = ContextVar("toolcharter_exchange", default=False)
_LOGGERS: Final = tuple(
    logging.getLogger(f"httpcore2.{part}")
    for part in ("connection", "http11", "http2", "proxy", "socks")
)


def hold_back() -> None:
    """Keep back the transport's log lines of our exchanges; those of the application's own clients are left alone."""
    for logger in _LOGGERS:
        logger.addFilter(_is_not_ours)  # one that is there already is not added again


class Quiet:
    """One exchange, of which the transport's loggers say nothing; a class, for it is entered on every call."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _IS_OURS.set(True)

    def __exit__(self, *_: object) -> None:
        _IS_OURS.reset(self._token)


def _is_not_ours(_: logging.LogRecord) -> bool:
    return not _IS_OURS.get()
