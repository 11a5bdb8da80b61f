"""How an exception that nobody foresaw is told in the log: its type and its place, and none of its text (R1, R4)."""

from __future__ import annotations

from pathlib import Path

__all__ = ["told"]


def told(error: BaseException) -> str:
    """Return the exception's type and the line that raised it, e.g. `KeyError at view.py:131`."""
    name, trace = type(error).__qualname__, error.__traceback__
    if trace is None:
        return name
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{name} at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
