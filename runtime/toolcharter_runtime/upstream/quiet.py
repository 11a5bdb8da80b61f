"""Nothing of an exchange in a log: at level DEBUG the transport would write an answer's headers there (T1, R4)."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["quiet"]

_IS_OURS: Final = ContextVar("toolcharter_exchange", default=False)
_LOGGERS: Final = tuple(
    logging.getLogger(f"httpcore2.{part}")
    for part in ("connection", "http11", "http2", "proxy", "socks")
)


@contextmanager
def quiet() -> Generator[None]:
    """Keep the transport's log lines of this exchange back; those of the application's own clients are left alone."""
    for logger in _LOGGERS:
        logger.addFilter(_is_not_ours)  # one that is there already is not added again
    token = _IS_OURS.set(True)
    try:
        yield
    finally:
        _IS_OURS.reset(token)


def _is_not_ours(_: logging.LogRecord) -> bool:
    return not _IS_OURS.get()
